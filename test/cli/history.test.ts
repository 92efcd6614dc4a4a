// `zerohop history` and `history show` against a management API in this process: what they print, and what they refuse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listHistory } from '../../src/cli/commands/history.ts'
import { showRevision } from '../../src/cli/commands/history-show.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { withoutRequest } from '../../src/log/change.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { printedBy } from '../support/printed.ts'

let api: Harness
let env: Env
const SYSTEM = withoutRequest('test')
/** of the role, its permission, its assignment and the end of that permission */
const revisions: number[] = []
const write = async (method: 'POST' | 'DELETE', path: string, body: unknown) => {
  const { status, headers } = await api.ask(method, path, body, { key: 'a-key-of-the-console' })
  expect([path, status < 300]).toEqual([path, true])
  revisions.push(Number(headers['x-revision']))
}

beforeAll(async () => {
  api = await openHarness()
  await api.addKey('env', 'write', 'a-key-of-the-console')
  await api.ask('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  await api.ask('POST', '$F/users', { key: 'ana' })
  await write('POST', '$S/roles', { key: 'reader', name: 'Reader', permissions: [] })
  await write('POST', '$S/roles/reader/permissions', { permissions: ['doc:read'] })
  await write('POST', '$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'default' })
  await write('DELETE', '$S/roles/reader/permissions', { permissions: ['doc:read'] })
  const url = await api.app.listen({ port: 0 })
  env = { ...readEnv({}), api: url, pdpApiKey: api.made.environments[0]!.secret }
})
afterAll(() => api.close())

const history = (options: object = {}) => printedBy(() => listHistory(env, { limit: '30', ...options }, Date.now()))
const show = (revision: number | string, options: object = {}) =>
  printedBy(() => showRevision(env, String(revision), { access: true, ...options }))
const numbers = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { revision: number }).revision)

describe('zerohop history', () => {
  it('lists the revisions, the newest first, with who, when and what', async () => {
    const lines = (await history({ limit: '4' })).trimEnd().split('\n')
    expect(lines[0]).toMatch(/^revision +when +who +operation +what$/)
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    expect(lines[1]).toMatch(
      new RegExp(`^${revisions[3]} +${time} +key of default/development +removePermissions +roles/reader/permissions$`),
    )
    expect(lines.slice(1).map((line) => Number.parseInt(line, 10))).toEqual([...revisions].reverse())
  })

  it('as JSON has one revision in each line, from a time until a time, of one key', async () => {
    const all = numbers(await history({ json: true }))
    expect(all).toEqual([...all].sort((left, right) => right - left))
    expect(all.slice(0, 4)).toEqual([...revisions].reverse())
    const first = JSON.parse((await history({ json: true, limit: '4' })).trim().split('\n')[3]!) as {
      timestamp: string
    }
    expect(numbers(await history({ json: true, since: first.timestamp })).slice(-1)).toEqual([revisions[0]])
    expect(numbers(await history({ json: true, until: first.timestamp }))[0]).toBe(revisions[0])
    expect(numbers(await history({ json: true, until: '1h' }))).toEqual([])
    const [event] = (await api.ask('GET', `/v2/history?env_id=${api.environment}`)).body.data
    expect(numbers(await history({ json: true, actor: event.actor_id }))).toEqual([...revisions].reverse())
    expect(numbers(await history({ json: true, actor: 'nobody of that name' }))).toEqual([])
  })

  it('refuses what is neither a time nor a number', async () => {
    for (const options of [{ since: 'yesterday' }, { until: '5 days' }, { limit: '0' }, { limit: '10001' }])
      await expect(history(options)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })
})

describe('zerohop history show', () => {
  it('says what a revision changed and who gained and lost access by it', async () => {
    const gained = await show(revisions[1]!)
    expect(gained).toMatch(new RegExp(`^Revision ${revisions[1]} of \\S+Z by .*: \\w+\nPOST /v2/schema/`))
    expect(gained).toContain('~ role reader\n    permissions: +doc:read\n')
    expect(gained).toContain('Role changes:\n  + reader can doc:read\n')
    expect(gained).not.toContain('1 user')
    expect(await show(revisions[3]!)).toContain(
      '1 user loses access (1 permission):\n  read doc in default: 1 user, as reader\n',
    )
    expect(await show(revisions[0]!)).toContain('+ role reader\n    name: Reader\n\nNo one gained or lost access.\n')
    expect(await show(revisions[3]!, { access: false })).not.toContain('access')
  })

  it('as JSON is the answer of the API', async () => {
    const { body } = await api.ask('GET', `/v2/projects/default/envs/development/revisions/${revisions[3]}?access=true`)
    expect(JSON.parse(await show(revisions[3]!, { json: true }))).toEqual(body)
  })

  it('refuses what is not a revision, and a revision that does not exist', async () => {
    await expect(show('first')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(show(revisions[3]! + 1)).rejects.toMatchObject({ code: 'API_REFUSED' })
  })
})

describe('who and what in the history', () => {
  it('says who by the name of the key, else by what it is a key of, and what in words', async () => {
    const lines = (await history()).trimEnd().split('\n')
    const row = (revision: number) => lines.find((line) => Number.parseInt(line, 10) === revision)
    expect(row(revisions[3]!)).toMatch(/Z {2}key of default\/development +removePermissions /)
    expect(row(1)).toMatch(/Z {2}system +bootstrap/)
    const policy = {
      zerohop: 2,
      roles: [{ key: 'author' }, { key: 'editor' }, { key: 'reader', description: 'reads', permissions: [] }],
    }
    const named = {
      level: 'env',
      access: 'write',
      project: 'default',
      environment: 'development',
      name: 'the pipeline',
    }
    const { key, secret } = (await api.store.commit(api.made.organization.id, 'createApiKey', named as never, SYSTEM))
      .result as { key: { id: string }; secret: string }
    const path = '/v2/projects/default/envs/development/apply'
    const { headers } = await api.ask('POST', path, { policy }, { key: secret })
    const applied = Number(headers['x-revision'])
    expect(await history({ limit: '1' })).toMatch(
      /\n\d+ +\S+Z {2}the pipeline +applyPlan +apply plan: 2 created, 1 changed\n$/,
    )
    expect(await show(applied, { access: false })).toMatch(
      /^Revision \d+ of \S+Z by the pipeline: apply plan: 2 created, 1 changed\n\n~ role reader/,
    )
    expect(await show(applied, { access: false })).not.toContain('no policy file')
    const reverted = await api.ask('POST', `/v2/projects/default/envs/development/revisions/${applied}/revert`, {})
    expect(reverted.status).toBe(200)
    expect(await history({ limit: '1' })).toMatch(
      new RegExp(`first organization key +revertRevision +revert revision ${applied}: 1 changed, 2 deleted\n$`),
    )
    const [, activity] = (await api.ask('GET', `/v2/activity?env_id=${api.environment}`)).body.data
    expect(activity.activity_description).toBe('Applied changes: 2 created, 1 changed')
    await api.store.commit(api.made.organization.id, 'deleteApiKey', { ref: key.id }, SYSTEM)
    expect((await history({ limit: '2' })).split('\n')[2]).toContain(`Z  deleted key ${key.id}  `)
  })
})
