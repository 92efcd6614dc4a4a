// When role assignments, permissions and users were last used, by recorded decisions; and where that cannot be known.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatLine } from '../../../src/client/decision-record.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { type Harness, openHarness } from './harness.ts'

const LOGS = '/v2/pdps/default/development/audit_logs'
const DAY_MS = 86_400_000

interface Sent {
  readonly user: string
  readonly tenant?: string
  readonly permission: string
  /** days ago */
  readonly ago: number
  readonly allow?: boolean
  readonly dropped?: number
}

describe('last used', () => {
  let api: Harness
  let secret: string
  let keyId: string
  let seq = 0
  const now = Date.now()
  const get = async (path: string) => (await api.ask('GET', `$F/last_used/${path}`)).body
  const send = async (...sent: readonly Sent[]) => {
    const lines = sent.map(({ user, tenant = 'acme', permission, ago, allow = true, dropped = 0 }) => {
      const [resourceType, action] = permission.split(':') as [string, string]
      const what = { user, tenant, action, resourceType, resourceKey: null, allow, reason: undefined }
      const how = {
        request: null,
        revision: 1,
        micros: 1,
        sent: undefined,
        now: undefined,
        isTenantSent: true,
        omitted: [],
      }
      const of = { environment: api.environment, apiKey: keyId }
      return `{"instance":"${'ab'.repeat(16)}","seq":${++seq}${formatLine({ at: now - ago * DAY_MS, ...what, ...how, ...of }, dropped)}`
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await api.ask('POST', LOGS, Buffer.from(lines.join('')), { key: secret, headers })
    expect(answer.body).toMatchObject({ stored: sent.length })
  }
  const ago = (text: string | null) => (text === null ? null : Math.round((now - Date.parse(text)) / DAY_MS))
  /** role@tenant, days ago, whether it is unused or why that is unknown */
  const listRoles = async (query: string) =>
    (await get(`role_assignments?${query}`)).data.map(
      (row: {
        user: string
        role: string
        tenant: string
        last_used: string | null
        unused: boolean | null
        unknown: string | null
      }) => [`${row.user} ${row.role} ${row.tenant}`, ago(row.last_used), row.unknown ?? row.unused] as const,
    )

  beforeAll(async () => {
    api = await openHarness({})
    secret = api.made.environments[0]!.secret
    keyId = api.store.findApiKey(hashSecret(secret))!.key.id
    const post = async (path: string, body: object) => {
      const { status } = await api.ask('POST', path, body)
      expect({ path, body, status }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 300) })
    }
    expect((await api.ask('DELETE', '$S/resources/hello')).status).toBe(204)
    for (const key of ['acme', 'globex']) await post('$F/tenants', { key, name: key })
    const roles = { editor: { name: 'Editor', permissions: ['write'] } }
    await post('$S/resources', {
      key: 'folder',
      name: 'Folder',
      actions: { list: {} },
      roles: { owner: { name: 'Owner', permissions: ['list'] } },
    })
    await post('$S/resources', {
      key: 'doc',
      name: 'Doc',
      actions: { read: {}, write: {}, export: {} },
      relations: { parent: 'folder' },
      roles: {
        editor: {
          ...roles.editor,
          granted_to: { users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' }] },
        },
      },
    })
    await post('$S/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
    await post('$S/roles', { key: 'exporter', name: 'Exporter', permissions: ['doc:export'], extends: ['reader'] })
    await post('$S/roles', { key: 'staff', name: 'Staff', permissions: [] })
    for (const key of ['ida', 'bob', 'eva']) await post('$F/users', { key })
    await post('$F/resource_instances', { resource: 'folder', key: 'plans', tenant: 'acme' })
    for (const [user, role, tenant] of [
      ['ida', 'exporter', 'acme'],
      ['ida', 'exporter', 'globex'],
      ['bob', 'reader', 'acme'],
      ['bob', 'staff', 'acme'],
    ])
      await post('$F/role_assignments', { user, role, tenant })
    await post('$F/role_assignments', { user: 'eva', role: 'owner', tenant: 'acme', resource_instance: 'folder:plans' })
  })
  afterAll(() => api.close())

  it('says that nothing is known while nothing was recorded', async () => {
    const page = await get('permissions?unused_for=30d')
    expect(page).toMatchObject({ known_since: null, known_until: null, dropped: 0, next: null })
    expect(page.data[0]).toMatchObject({ last_used: null, unused: null, unknown: 'nothing_recorded' })
    expect((await get('permissions')).data[0]).toMatchObject({ last_used: null, unused: null, unknown: null })
  })

  it('says that it is not known for so long as recording has gone on', async () => {
    await send({ user: 'ida', permission: 'doc:read', ago: 20 })
    expect((await get('users?user=bob&unused_for=30s')).data).toEqual([])
    const page = await get('permissions?unused_for=30d')
    expect(page.data.map((row: { permission: string }) => row.permission)).not.toContain('doc:read')
    expect(page.data[0]).toMatchObject({ permission: 'folder:list', unused: null, unknown: 'not_recorded_so_long' })
  })

  it('knows a role by the permissions that it gives: extended, derived, in its tenant', async () => {
    await send(
      { user: 'bob', permission: 'doc:export', ago: 100 },
      { user: 'ida', permission: 'doc:export', ago: 50, allow: false }, // denied
      { user: 'eva', permission: 'doc:write', ago: 40 }, // by the role on documents that follows from that on the folder
    )
    expect((await listRoles('')).filter(([name]: readonly [string]) => !name.endsWith('default'))).toEqual([
      ['ida exporter acme', 20, null],
      ['ida exporter globex', null, null],
      ['bob reader acme', null, null],
      ['bob staff acme', null, null],
      ['eva owner acme', 40, null],
    ])
    expect(await listRoles('user=eva&role=folder%23owner')).toHaveLength(1)
    expect(await listRoles('role=exporter&tenant=globex')).toEqual([['ida exporter globex', null, null]])
    for (const query of ['user=absent', 'role=absent', 'role=doc%23absent', 'tenant=absent'])
      expect(await listRoles(query)).toEqual([])
  })

  it('what was given within the time is not called unused', async () => {
    expect(await listRoles('unused_for=15d')).toEqual([])
    expect((await get('users?unused_for=15d')).data).toEqual([])
    await send({ user: 'ida', permission: 'doc:read', ago: -1 / 24, allow: false }) // or nothing was recorded in that second
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect((await listRoles('unused_for=1s')).map(([name]: readonly [string]) => name)).toContain('ida exporter globex')
  })

  it('lists permissions and users that were not used', async () => {
    const unused = (await get('permissions?unused_for=15d')).data
    expect(
      unused.map((row: { permission: string; last_used: string | null; unused: boolean }) => [
        row.permission,
        ago(row.last_used),
        row.unused,
      ]),
    ).toEqual([
      ['folder:list', null, true],
      ['doc:read', 20, true],
      ['doc:write', 40, true],
      ['doc:export', 100, true],
    ])
    expect((await get('permissions?resource=folder')).data).toHaveLength(1)
    expect((await get('permissions?resource=absent')).data).toEqual([])
    const users = (await get('users')).data.slice(2) // behind those of every environment here
    expect(users.map((row: { user: string; last_used: string | null }) => [row.user, ago(row.last_used)])).toEqual([
      ['ida', 20],
      ['bob', 100],
      ['eva', 40],
    ])
  })

  it('goes on in pages, each row once', async () => {
    const pages: string[][] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: { data: { permission: string }[]; next: string | null } = await get(
        `permissions?unused_for=15d&limit=2&after=${after}`,
      )
      pages.push(page.data.map(({ permission }) => permission))
      after = page.next
    }
    expect(pages).toEqual([
      ['folder:list', 'doc:read'],
      ['doc:write', 'doc:export'],
    ])
  })

  it('counts decisions that were not recorded', async () => {
    await send({ user: 'ida', permission: 'doc:read', ago: 10, dropped: 7 })
    const { dropped, dropped_at: at } = await get('users')
    expect([dropped, ago(at)]).toEqual([7, 10])
  })

  it('is in an access review: a field of each line, a filter, a column of the file', async () => {
    const review = async (query: string) =>
      (await api.ask('GET', `/v2/projects/default/envs/development/access?${query}`)).body
    expect((await review('')).lines[0]).not.toHaveProperty('last_used')
    const all = await review('last_used=true&user=ida')
    expect(all.uses).toMatchObject({ dropped: 7 })
    const seen = (lines: { action: string; tenant: string; last_used: string | null }[]) =>
      lines.map(({ action, tenant, last_used: used }) => `${action} ${tenant} ${ago(used)}`).sort()
    expect(seen(all.lines)).toEqual(['export acme null', 'export globex null', 'read acme 10', 'read globex null'])
    expect(seen((await review('unused_for=5d&user=ida')).lines)).toHaveLength(4)
    expect(seen((await review('unused_for=15d&user=ida')).lines)).toEqual([
      'export acme null',
      'export globex null',
      'read globex null',
    ])
    const assigned = (await review('state=in_force&last_used=true&user=eva')).lines
    expect(assigned.map((line: { last_used: string | null }) => ago(line.last_used))).toEqual([null])
    const file = await api.ask('GET', '/v2/projects/default/envs/development/access?format=csv&last_used=true&user=ida')
    const [head, ...lines] = String(file.body).trim().split('\r\n')
    expect(head).toMatch(/,ticket,last_used$/)
    expect(lines.filter((line) => /,\d{4}-\d\d-\d\dT[^,]+$/.test(line))).toHaveLength(1)
  })

  it('refuses times that it cannot know about, and what names nothing', async () => {
    for (const path of ['role_assignments', 'permissions', 'users']) {
      for (const query of [
        'unused_for=soon',
        'unused_for=0s',
        'unused_for=401d',
        'limit=0',
        'limit=501',
        'limit=x',
        'after=x',
        'unusd_for=1d',
      ]) {
        const { status } = await api.ask('GET', `$F/last_used/${path}?${query}`)
        expect({ path, query, status }).toEqual({ path, query, status: query === 'after=x' ? 400 : 422 })
      }
    }
    expect((await api.ask('GET', '/v2/projects/default/envs/development/access?unused_for=soon')).status).toBe(422)
  })

  it('knows a role of a tenant by its permissions, and by those of roles that it extends', async () => {
    await api.ask('PATCH', '$S/resources/doc/actions/write', { grantable: true })
    await api.ask('PATCH', '$S/roles/reader', { extendable: true })
    const roles = [
      { key: 'writes', permissions: ['doc:write'] },
      { key: 'reads', extends: ['reader'] },
      { key: 'both', extends: ['writes', 'reads'] },
    ]
    for (const role of roles) expect((await api.ask('POST', '$F/tenants/acme/roles', role)).status).toBe(200)
    for (const [user, key] of [
      ['max', 'writes'],
      ['may', 'reads'],
      ['moe', 'both'],
      ['mia', 'both'],
    ]) {
      const role_assignments = [{ role: `${key}@acme`, tenant: 'acme' }]
      await api.ask('POST', '$F/users', { key: user, role_assignments })
    }
    await send(
      { user: 'max', permission: 'doc:write', ago: 3 },
      { user: 'may', permission: 'doc:read', ago: 4 },
      { user: 'moe', permission: 'doc:write', ago: 6 },
      { user: 'moe', permission: 'doc:read', ago: 5 },
      { user: 'mia', permission: 'doc:read', ago: 5, tenant: 'globex' },
    )
    const found = [...(await listRoles('role=writes@acme')), ...(await listRoles('role=reads@acme'))]
    expect(found).toEqual([
      ['max writes@acme acme', 3, null],
      ['may reads@acme acme', 4, null],
    ])
    expect(await listRoles('role=both@acme&tenant=acme')).toEqual([
      ['moe both@acme acme', 5, null],
      ['mia both@acme acme', null, null],
    ])
    for (const query of ['role=writes', 'role=writes@globex', 'role=writes@acme&tenant=globex'])
      expect(await listRoles(query)).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await listRoles('tenant=acme&unused_for=1s&user=mia')).toEqual([['mia both@acme acme', null, true]])
  })

  it('a role whose users conditions read is not called unused', async () => {
    const conditions = { 'user.roles': { contains: 'staff' } }
    await api.ask('POST', '$S/condition_sets', { key: 'staff', name: 'Staff', type: 'userset', conditions })
    expect(await listRoles('user=bob&unused_for=1s')).toEqual([
      ['bob reader acme', null, 'read_by_conditions'],
      ['bob staff acme', null, 'read_by_conditions'],
    ])
  })
})
