// The importer of Permit beside a stub of its public API, whose objects say more than ours: each field that is not
// understood is reported by object, the object and what names it give nothing, and what is empty changes nothing.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importer } from '../../src/importers/permit/importer.ts'
import { parameters } from '../property/seed.ts'
import { type Converted, convertWith } from './converted.ts'

type Objects = { [field: string]: unknown }
/** One that has everything, as the server answers it. */
const makeAccount = () => ({
  resources: [
    { id: 'r1', key: 'folder', name: 'Folder', actions: { open: {} }, roles: { owner: { permissions: ['open'] } } },
    {
      ...{ id: 'r2', key: 'doc', name: 'Doc', urn: null, created_at: '2026-01-01T00:00:00Z', v1compat_path: null },
      actions: { read: { id: 'a1', key: 'read' }, write: { id: 'a2' } } as Objects,
      attributes: { secret: { id: 't1', type: 'bool' } as Objects },
      relations: { parent: { resource_id: 'r1', resource: 'folder', relation_name: 'parent' } as Objects },
      action_groups: { all: ['read', 'write'] },
      roles: {
        reader: { permissions: ['read'], extends: [], granted_to: null as unknown } as Objects,
        editor: {
          permissions: ['write'],
          granted_to: {
            id: 'g1',
            when: { no_direct_roles_on_object: false },
            users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent', when: null }],
          },
        } as Objects,
      },
    } as Objects,
  ],
  'users/attributes': [{ id: 't2', key: 'level', type: 'number', built_in: false } as Objects],
  'users/attributes?tenant': [{ id: 't3', key: 'plan', type: 'string' } as Objects],
  roles: [
    { id: 'o1', key: 'clerk', name: 'Clerk', permissions: ['doc:read'], granted_to: {}, extends: [] } as Objects,
    { id: 'o2', key: 'chief', permissions: ['doc:write'], extends: ['clerk'] } as Objects,
  ],
  condition_sets: [
    { id: 's1', key: 'seniors', type: 'userset', conditions: { 'user.level': { equals: 3 } }, parent_id: null },
    { id: 's2', key: 'heads', type: 'userset', conditions: { 'user.email': { equals: 'ana@x.org' } }, parent_id: 's1' },
    {
      id: 's3',
      key: 'open',
      type: 'resourceset',
      resource_id: 'r2',
      conditions: { 'resource.secret': { equals: false } },
    },
  ] as Objects[],
  set_rules: [
    { id: 'u1', user_set: 'seniors', permission: 'doc:read', resource_set: 'open' },
    { id: 'u2', user_set: 'heads', permission: 'doc:write', resource_set: 'open' },
  ] as Objects[],
  tenants: [{ id: 'n1', key: 'acme', name: 'Acme', attributes: {}, last_action_at: '2026-01-01T00:00:00Z' } as Objects],
  users: [
    {
      ...{
        id: 'p1',
        key: 'ana',
        email: 'ana@x.org',
        attributes: { level: 3 },
        roles: [{ role: 'chief', tenant: 'acme' }],
      },
      associated_tenants: [{ tenant: 'acme', roles: ['chief'], status: 'active', resource_instance_roles: [] }],
    },
    { id: 'p2', key: 'ben', associated_tenants: [] },
  ] as Objects[],
  resource_instances: [
    { id: 'i1', key: 'f1', resource: 'folder', tenant: 'acme' },
    { id: 'i2', key: 'd1', resource: 'doc', tenant: 'acme', attributes: { secret: false }, relationships: null },
  ] as Objects[],
  relationship_tuples: [
    {
      id: 'x1',
      subject: 'folder:f1',
      relation: 'parent',
      object: 'doc:d1',
      tenant: 'acme',
      tenant_details: { key: 'acme' },
    },
  ] as Objects[],
  role_assignments: [
    { id: 'm1', user: 'ana', role: 'chief', tenant: 'acme', resource_instance: null },
    {
      id: 'm2',
      user: 'ben',
      role: 'owner',
      tenant: 'acme',
      resource_instance: 'folder:f1',
      resource_instance_id: 'i1',
    },
  ] as Objects[],
})
type Account = ReturnType<typeof makeAccount>

let account: Account
let settings: { project: Objects | undefined; environment: Objects | undefined }
let server: Server
let url = ''
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const list = pathname.split('/').slice(5).join('/')
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/v2/api-key/scope') answer(200, { project_id: 'p', environment_id: 'e' })
    // the PDP allows everything: what is wider than that cannot be, and what is not is listed
    else if (pathname === '/allowed') answer(200, { allow: true })
    else if (pathname === '/v2/projects/p') answer(settings.project === undefined ? 403 : 200, settings.project ?? {})
    else if (pathname === '/v2/projects/p/envs/e')
      answer(settings.environment === undefined ? 404 : 200, settings.environment ?? {})
    else
      answer(200, account[searchParams.has('resource_id') ? 'users/attributes?tenant' : (list as keyof Account)] ?? [])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

type Whole = Extract<Converted, { readonly imported: unknown }>
/** Imports the account after a change; nothing of it may be wrong in form. */
async function convert(change: (account: Account) => void = () => undefined): Promise<Whole> {
  account = makeAccount()
  settings = { project: { active_policy_repo_id: null, settings: {} }, environment: { jwks: {}, settings: null } }
  change(account)
  const importing = { ...importer, read: () => importer.read([url], { pdpUrl: url, apiKey: 'key' }) }
  const converted = await convertWith({ importer: importing, from: 'permit', questions: 1 }, '', [])
  if (converted.report === undefined) throw new Error(JSON.stringify(converted.problems))
  return converted
}
const factsIn = ({ imported }: Whole) => imported.facts.map(({ kind, fact }) => `${kind} ${JSON.stringify(fact)}`)
const foundIn = ({ imported }: Whole) => imported.findings.map(({ file, line, what }) => `${file}:${line} ${what}`)

describe('what Permit says and is not understood', () => {
  it('is nothing in an account of documented fields, and what is empty counts as absent', async () => {
    const plain = await convert()
    expect(foundIn(plain)).toEqual([])
    expect(plain.imported.policy).toMatchObject({
      tenant_attributes: { plan: { type: 'string' } },
      resources: [{ key: 'folder' }, { key: 'doc', action_groups: { all: { actions: ['read', 'write'] } } }],
      condition_sets: [{ key: 'seniors' }, { key: 'heads', parent: 'seniors' }, { key: 'open', resource: 'doc' }],
    })
    const empty = await convert((all) => {
      for (const list of Object.values(all) as Objects[][])
        for (const one of list) Object.assign(one, { a: null, b: '', c: [], d: {} })
    })
    expect([foundIn(empty), empty.imported.policy, empty.imported.facts]).toEqual([
      [],
      plain.imported.policy,
      plain.imported.facts,
    ])
  })

  // what becomes of the account: what is reported, and what must not be written
  it.each<[string, (all: Account) => void, string, RegExp]>([
    [
      'an assignment with conditions',
      (all) => Object.assign(all.role_assignments[0]!, { conditions: { mfa: true } }),
      'role_assignments:1 role assignment ana chief in acme',
      /"role":"chief"/,
    ],
    [
      'an assignment that is not active',
      (all) => Object.assign(all.role_assignments[1]!, { enabled: false }),
      'role_assignments:2 role assignment ben owner on folder:f1',
      /"user":"ben"/,
    ],
    [
      'a user who is blocked',
      (all) => Object.assign(all.users[0]!, { is_blocked: true }),
      'users:1 user ana',
      /"(?:key|user)":"ana"/,
    ],
    [
      'a member who is pending',
      (all) =>
        Object.assign(all.users[0]!, { associated_tenants: [{ tenant: 'acme', roles: ['chief'], status: 'pending' }] }),
      'users:1 member ana of acme',
      /"role":"chief"/,
    ],
    [
      'a tenant with settings',
      (all) => Object.assign(all.tenants[0]!, { settings: { mfa: 'required' } }),
      'tenants:1 tenant acme',
      /acme/,
    ],
    [
      'an instance',
      (all) => Object.assign(all.resource_instances[0]!, { archived: true }),
      'resource_instances:1 resource instance folder:f1',
      /folder:f1/,
    ],
    [
      'a tuple',
      (all) => Object.assign(all.relationship_tuples[0]!, { caveat: 'x' }),
      'relationship_tuples:1 relationship tuple folder:f1 parent doc:d1',
      /"relation"/,
    ],
    ['a role', (all) => Object.assign(all.roles[0]!, { requires: ['mfa'] }), 'roles:1 role clerk', /clerk/],
    [
      'a role of a type',
      (all) => Object.assign((all.resources[0]!.roles as { owner: Objects }).owner, { when: { mfa: true } }),
      'resources:1 role folder#owner',
      /owner/,
    ],
    [
      'a derivation',
      (all) =>
        Object.assign((all.resources[1] as unknown as Derived).roles.editor.granted_to.users_with_role[0]!, {
          when: { office_hours: true },
        }),
      'resources:2 role doc#editor',
      /users_with_role/,
    ],
    [
      'all derivations of a role',
      (all) => Object.assign((all.resources[1] as unknown as Derived).roles.editor.granted_to, { when: { mfa: true } }),
      'resources:2 role doc#editor',
      /users_with_role/,
    ],
    [
      'a derived role of tenants',
      (all) => Object.assign(all.roles[0]!, { granted_to: { id: 'g', users_with_role: [{ role: 'owner' }] } }),
      'roles:1 role clerk',
      /granted_to":\{[^}]*"users_with_role":\[\{"role":"owner"\}/,
    ],
    [
      'an action',
      (all) => Object.assign((all.resources[1]!.actions as { write: Objects }).write, { approval: 'two' }),
      'resources:2 action doc:write',
      /doc:write|"permissions":\["write"\]/,
    ],
    [
      'a relation',
      (all) => Object.assign((all.resources[1]!.relations as { parent: Objects }).parent, { inherited: false }),
      'resources:2 relation doc#parent',
      /linked_by_relation|"relation":/,
    ],
    ['a type', (all) => Object.assign(all.resources[1]!, { policy: 'deny' }), 'resources:2 resource doc', /doc/],
    [
      'a set',
      (all) => Object.assign(all.condition_sets[0]!, { except: ['ana'] }),
      'condition_sets:1 condition set seniors',
      /seniors|heads/,
    ],
    [
      'an operator',
      (all) => Object.assign(all.condition_sets[0]!, { conditions: { 'user.level': { regex: '.*' } } }),
      'condition_sets:1 condition set seniors',
      /seniors|heads/,
    ],
    [
      'a parent that is not there',
      (all) => Object.assign(all.condition_sets[1]!, { parent_id: 's9' }),
      'condition_sets:2 condition set heads',
      /heads/,
    ],
    [
      'the type of an attribute',
      (all) => Object.assign(all['users/attributes'][0]!, { type: 'geo' }),
      'user attributes:1 attribute user.level',
      /geo|seniors/,
    ],
    [
      'an attribute of a type',
      (all) => Object.assign((all.resources[1]!.attributes as { secret: Objects }).secret, { unit: 'x' }),
      'resources:2 attribute resource.doc.secret',
      /"resource_set":"open"/,
    ],
    [
      'a rule',
      (all) => Object.assign(all.set_rules[0]!, { unless: 'x' }),
      'set_rules:1 set rule seniors doc:read open',
      /"user_set":"seniors"/,
    ],
    [
      'a policy of its own',
      () => Object.assign(settings, { project: { active_policy_repo_id: 'repo' } }),
      '/v2/projects/p:1 project active_policy_repo_id: "repo"',
      /repo/,
    ],
    [
      'settings',
      () => Object.assign(settings, { environment: { settings: { strict: true } } }),
      '/v2/projects/p/envs/e:1 environment settings: {"strict":true}',
      /strict/,
    ],
  ])('%s', async (_, change, found, gone) => {
    const converted = await convert(change)
    expect(foundIn(converted)).toContain(found)
    expect(converted.report.exact).toBe(false)
    expect(JSON.stringify([converted.imported.policy, factsIn(converted)]).replaceAll('\\"', '"')).not.toMatch(gone)
  })
  interface Derived {
    readonly roles: { readonly editor: { readonly granted_to: { readonly users_with_role: readonly Objects[] } } }
  }

  it('keeps a suspension, and says what the key may not read', async () => {
    const converted = await convert((all) => {
      Object.assign(all.users[0]!, { suspension: { reason: 'left', suspended_at: '2026-01-01T00:00:00Z' } })
      settings.project = undefined
    })
    expect(factsIn(converted)).toContainEqual(expect.stringContaining('"suspension":{"reason":"left"}'))
    expect(converted.imported.findings).toMatchObject([{ kind: 'note', file: '/v2/projects/p', what: 'project' }])
  })

  it('never gives more than the account without it', async () => {
    const whole = await convert()
    const lists = Object.keys(makeAccount()) as (keyof Account)[]
    const spots = lists.flatMap((list) => makeAccount()[list].map((_, at) => [list, at] as const))
    const faults = fc.subarray(spots, { minLength: 1, maxLength: 4 })
    const grants = ({ imported }: Whole) => {
      const policy = imported.policy as { readonly set_rules?: readonly unknown[] }
      return [...(policy.set_rules ?? []), ...imported.facts].map((each) => JSON.stringify(each))
    }
    const all = new Set(grants(whole))
    await fc.assert(
      fc.asyncProperty(faults, async (picked) => {
        const less = await convert((of) => {
          for (const [list, at] of picked) Object.assign(of[list][at] as Objects, { strange: 1 })
        })
        expect(less.imported.findings.length).toBeGreaterThanOrEqual(picked.length)
        expect(grants(less).filter((each) => !all.has(each))).toEqual([])
      }),
      parameters(12),
    )
  })
})
