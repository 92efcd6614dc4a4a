// A recorded decision asked again: the same answer where its record suffices, what is missing where it does not, and
// which revision made the answer of today another one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whyDecision } from '../../../src/cli/commands/why-decision.ts'
import { readEnv } from '../../../src/cli/configuration/env.ts'
import { formatLine } from '../../../src/client/decision-record.ts'
import { Image } from '../../../src/image/image.ts'
import { buildSnapshot } from '../../../src/management/snapshot/snapshot.ts'
import { ENGINE } from '../../../src/model/engine.ts'
import { markRow } from '../../../src/model/marked-row.ts'
import { printTime } from '../../../src/model/print-time.ts'
import { FixedImage } from '../../../src/pdp/fixed-image.ts'
import { Pdp } from '../../../src/pdp/pdp.ts'
import { type RecordedAttributes, recordedQuestion } from '../../../src/pdp/recorded-question.ts'
import { type Check, toQuestion } from '../../../src/pdp/request.ts'
import { printedBy } from '../../support/printed.ts'
import { type Harness, ID, openHarness, TIME } from './harness.ts'

let api: Harness
const LOGS = '/v2/pdps/default/development/audit_logs'
const NOON = Date.parse('2026-11-20T12:00:00Z')
let seq = 0

const write = async (method: 'POST' | 'DELETE' | 'PATCH', path: string, body?: unknown) => {
  const { status, headers } = await api.ask(method, path, body)
  expect([path, status < 300]).toEqual([path, true])
  return Number(headers['x-revision'])
}

/** Decides as a PDP does at the time that the check says, and stores the record. Returns its id. */
async function decide(check: Check, mode: RecordedAttributes = 'none', change = (line: string) => line) {
  const { user, action, resource, context } = check
  const image = Image.load(buildSnapshot(api.store.view(api.environment)).bytes)
  const pdp = new Pdp(new FixedImage(image)).at(typeof context?.now === 'number' ? context.now : Date.now())
  const allow = pdp.check(user, action, resource, context)
  const question = toQuestion(user, action, resource, context)
  const line = formatLine(
    {
      ...{ at: NOON + ++seq, request: null, environment: api.environment, revision: pdp.revision!, apiKey: 'k' },
      ...{ user: question.user, action: question.action, tenant: 'default', resourceType: question.type, allow },
      ...{ resourceKey: question.key ?? null, reason: undefined, micros: 0 },
      ...recordedQuestion(question, mode, () => pdp.attributesRead(question.type, question.action)),
    },
    0,
  )
  const text = change(`{"instance":"${'cd'.repeat(16)}","seq":${seq}${line}`)
  await api.audit.append({ lines: Buffer.from(text), isCompressed: false })
  const [newest] = (await api.ask('GET', LOGS)).body.data
  return newest.id as string
}

const replay = async (id: string) => {
  const { status, body } = await api.ask('POST', `${LOGS}/${id}/replay`)
  expect([status, body.message]).toEqual([200, undefined])
  return body
}

let listening: Promise<string> | undefined
/** The settings of a command that asks this API. */
async function readOwnEnv() {
  listening ??= api.app.listen({ port: 0 })
  return { ...readEnv({}), api: await listening, pdpApiKey: api.made.environments[0]!.secret }
}

/** What time did, and no revision. */
const BY_TIME = {
  ...{ revision: expect.any(Number), by: 'time', actor_id: null },
  ...{ actor_display_name: 'time', operation: 'time' },
}

const ASSIGNMENT = { user: 'ana', role: 'reader', tenant: 'default' }
const READ = { user: 'ana', action: 'read', resource: { type: 'doc', tenant: 'default' } }
const approve = (level: number, now: number) => ({
  user: { key: 'ana', attributes: { level, shoes: 38 } },
  action: 'approve',
  resource: { type: 'doc', tenant: 'default' },
  context: { now },
})

beforeAll(async () => {
  api = await openHarness()
  await write('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {}, approve: {} } })
  await write('POST', '$S/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await write('POST', '$F/users', { key: 'ana' })
  await write('POST', '$F/role_assignments', ASSIGNMENT)
  await write('POST', '$S/users/attributes', { key: 'level', type: 'number' })
  const conditions = { allOf: [{ 'user.level': { 'greater-than': 3 } }, { 'context.now': { 'less-than': NOON } }] }
  await write('POST', '$S/condition_sets', { key: 'seniors', name: 'Seniors', type: 'userset', conditions })
  const rule = { user_set: 'seniors', permission: 'doc:approve', resource_set: '__autogen_doc' }
  await write('POST', '$F/set_rules', rule)
})
afterAll(() => api.close())

describe('a recorded decision', () => {
  it('is answered as then, and says which revision made it another answer', async () => {
    const id = await decide(READ)
    const same = await replay(id)
    expect(same).toMatchObject({ id, recorded: true, reproducible: true, missing: [], agrees: true, allow: true })
    expect(same).toMatchObject({ revision_at: TIME, reason: 'rbac', explanation: { roles: ['reader'] } })
    expect(same.today).toMatchObject({ answer: 'allow', changed_by: null, causes: [], changes: 0, complete: true })
    await write('POST', '$F/users', { key: 'ben' })
    const revision = await write('DELETE', '$F/role_assignments', ASSIGNMENT)
    await write('POST', '$F/users', { key: 'cleo' })
    const other = await replay(id)
    expect(other).toMatchObject({ agrees: true, allow: true })
    expect(other.today).toMatchObject({ answer: 'deny', changed_by: 'revisions', changes: 1, complete: true })
    expect(other.today.causes).toEqual([
      {
        revision,
        answer: 'deny',
        by: 'revision',
        at: TIME,
        actor_id: ID,
        actor_display_name: expect.any(String),
        operation: 'unassign',
        because: [],
      },
    ])
  })

  it('[D2] about a marked row is asked again as one', async () => {
    await write('POST', '$F/tenants', { key: 'other', name: 'Other' })
    await write('POST', '$S/resources', { key: 'memo', name: 'Memo', actions: { edit: {} } })
    await write('POST', '$F/resource_instances', { key: '1', resource: 'memo', tenant: 'other' })
    await write('POST', '$S/condition_sets', { key: 'all', name: 'All', type: 'userset', conditions: {} })
    const rule = { user_set: 'all', permission: 'memo:edit', resource_set: '__autogen_memo' }
    await write('POST', '$F/set_rules', rule)
    const resource = { type: 'memo', key: '1', tenant: 'default' }
    const asked = { user: 'ana', action: 'edit', resource }
    const row = await replay(await decide({ ...asked, resource: markRow({ ...resource }) }))
    expect(row).toMatchObject({ reproducible: true, agrees: true, allow: true, today: { answer: 'allow' } })
    const other = await replay(await decide(asked))
    expect(other).toMatchObject({ reproducible: true, agrees: true, allow: false, today: { answer: 'deny' } })
    await write('DELETE', '$F/set_rules', rule)
  })

  it('names several revisions that changed it', async () => {
    const revisions = [await write('POST', '$F/role_assignments', ASSIGNMENT)]
    const id = await decide(READ)
    revisions.push(await write('DELETE', '$F/role_assignments', ASSIGNMENT))
    revisions.push(await write('POST', '$F/role_assignments', ASSIGNMENT))
    const { today } = await replay(id)
    expect(today).toMatchObject({ answer: 'allow', changed_by: null, changes: 2 })
    expect(today.causes.map((cause: { revision: number }) => cause.revision)).toEqual(revisions.slice(1))
  })

  it('with conditions needs what they read: all that was sent, or just that', async () => {
    for (const mode of ['all', 'read'] as const) {
      const id = await decide(approve(5, NOON - 1), mode)
      const replayed = await replay(id)
      expect(replayed).toMatchObject({ recorded: true, reproducible: true, missing: [], agrees: true, reason: 'abac' })
      // the condition on the time holds no longer, and no revision did that
      expect(replayed.today).toMatchObject({ answer: 'deny', changed_by: 'time', changes: 1, complete: true })
      expect(replayed.today.causes).toEqual([{ ...BY_TIME, answer: 'deny', at: printTime(NOON), because: [] }])
    }
    const bare = await replay(await decide(approve(5, NOON - 1)))
    expect(bare).toMatchObject({ reproducible: false, missing: ['user.level'], agrees: false })
    // what no rule reads is not missed
    const { shoes } = { shoes: { user: { key: 'ana', attributes: { shoes: 38 } }, action: 'read' } }
    expect(await replay(await decide({ ...READ, ...shoes }))).toMatchObject({ reproducible: true, missing: [] })
  })

  it('[D15] is answered at its instant, and says what started or ended since', async () => {
    const [nine, ten, noon] = [9, 10, 12].map((hour) => Date.UTC(2026, 5, 1, hour)) as [number, number, number]
    await write('POST', '$F/users', { key: 'tim' })
    const times = { valid_from: ten, valid_until: noon }
    await write('POST', '$F/role_assignments', { ...ASSIGNMENT, user: 'tim', ...times })
    const at = (now: number) => ({ ...READ, user: 'tim', context: { now } })
    const inForce = await replay(await decide(at(ten)))
    expect(inForce).toMatchObject({ recorded: true, reproducible: true, agrees: true, allow: true, reason: 'rbac' })
    expect(inForce.explanation.because).toMatchObject([{ role: 'reader', valid_until: '2026-06-01T12:00:00.000Z' }])
    expect(inForce.why.tree.children[0].text).toContain('(in force until 2026-06-01T12:00:00.000Z)')
    const ended = {
      ...BY_TIME,
      answer: 'deny',
      at: printTime(noon),
      because: ['role reader of tim in tenant default ended'],
    }
    expect(inForce.today).toMatchObject({ answer: 'deny', changed_by: 'time', changes: 1, complete: true })
    expect(inForce.today.causes).toEqual([ended])
    const before = await replay(await decide(at(nine)))
    expect(before).toMatchObject({ recorded: false, agrees: true, allow: false })
    expect(before.explanation.not_in_force).toEqual([
      {
        ...{ user: 'tim', role: 'reader', tenant: 'default', state: 'scheduled' },
        ...{ valid_from: '2026-06-01T10:00:00.000Z', valid_until: '2026-06-01T12:00:00.000Z' },
      },
    ])
    const started = {
      ...ended,
      answer: 'allow',
      at: printTime(ten),
      because: ['role reader of tim in tenant default started'],
    }
    expect(before.today).toMatchObject({ answer: 'deny', changed_by: null, changes: 2 })
    expect(before.today.causes).toEqual([started, ended])
    // an instant of its own, where conditions saw another time
    await write('PATCH', '$F/users/tim', { attributes: { level: 5 } })
    const asked = { user: 'tim', action: 'approve', resource: { type: 'doc', tenant: 'default' } }
    const sentTime = (now: number) =>
      decide({ ...asked, context: { now } }, 'none', (line) =>
        line.replace(`"now":${now}`, `"now":${now},"instant":${ten}`),
      )
    // NOON is past: at the present the condition is false, and at the time that was sent it is true
    const [kept, past] = [await replay(await sentTime(NOON - 1)), await replay(await sentTime(NOON))]
    expect(kept).toMatchObject({ recorded: true, reproducible: true, agrees: true, allow: true, reason: 'abac' })
    expect(kept.today).toMatchObject({ answer: 'allow', changed_by: null, causes: [], complete: true })
    expect(past).toMatchObject({ recorded: false, agrees: true, today: { answer: 'deny', causes: [] } })
    const followed = await replay(await decide({ ...asked, context: { now: NOON - 1 } }))
    expect(followed.today).toMatchObject({
      answer: 'deny',
      changed_by: 'time',
      causes: [{ by: 'time', at: printTime(NOON) }],
    })
    const instant = (line: string) =>
      line.replace(`"now":${nine}`, `"now":${nine},"instant":${ten}`).replace('"decision":false', '"decision":true')
    expect(await replay(await decide(at(nine), 'none', instant))).toMatchObject({ recorded: true, agrees: true })
    const id = await decide(at(ten))
    const printed = await printedBy(async () => void (await whyDecision(await readOwnEnv(), id, {})))
    expect(printed).toContain('\n  deny since 2026-06-01T12:00:00.000Z: role reader of tim in tenant default ended\n')
  })

  it('of an older version, or of another engine, says what is missing', async () => {
    const without = (line: string) => line.replace(/,"engine":"[^"]*"/, '').replace(/,"now":\d+/, '')
    const old = await replay(await decide(approve(5, NOON - 1), 'none', without))
    expect(old).toMatchObject({ reproducible: false, missing: ['user.level', 'context.now'] })
    expect(await replay(await decide(READ, 'none', without))).toMatchObject({ reproducible: true, missing: [] })
    const foreign = (line: string) => line.replace(`"engine":"${ENGINE}"`, '"engine":"0.1"')
    expect((await replay(await decide(READ, 'none', foreign))).missing).toEqual(['engine 0.1, whose rules were others'])
  })

  it('[D16] where no one was signed in is found under `*`, and asked again', async () => {
    await write('POST', '$S/roles', { key: 'visitor', name: 'Visitor', permissions: ['doc:read'], everybody: true })
    const open = { user: '*', role: 'visitor', tenant: 'default' }
    await write('POST', '$F/role_assignments', open)
    const id = await decide({ ...READ, user: null })
    const { data } = (await api.ask('GET', `${LOGS}?users=*`)).body
    expect(data.map(({ id, user_key, decision }: Record<string, unknown>) => [id, user_key, decision])).toEqual([
      [id, '*', true],
    ])
    const same = await replay(id)
    expect(same).toMatchObject({ recorded: true, reproducible: true, missing: [], agrees: true, reason: 'rbac' })
    expect(same.why).toMatchObject({
      user: '*',
      tree: { text: 'whoever is not signed in can read doc in tenant default' },
    })
    const revision = await write('DELETE', '$F/role_assignments', open)
    const { today } = await replay(id)
    expect(today).toMatchObject({ answer: 'deny', changed_by: 'revisions', causes: [{ revision, answer: 'deny' }] })
  })

  it('that is not there, or whose revision is not, is refused', async () => {
    const missing = await api.ask('POST', `${LOGS}/nope/replay`)
    expect([missing.status, missing.body.message]).toEqual([
      404,
      expect.stringContaining('recorded decision `nope` does not exist'),
    ])
    expect((await api.ask('POST', `${LOGS}/${'0'.repeat(32)}/replay`)).status).toBe(404)
    const future = (line: string) => line.replace(/"revision":\d+/, '"revision":999')
    const answer = await api.ask('POST', `${LOGS}/${await decide(READ, 'none', future)}/replay`)
    expect([answer.status, answer.body.message]).toEqual([404, expect.stringContaining('revision 999 does not exist')])
  })

  it('is explained by `zerohop why --decision`, with who changed it', async () => {
    const env = await readOwnEnv()
    let code: number | undefined
    const why = (id: string, options: object = {}) =>
      printedBy(async () => {
        code = await whyDecision(env, id, options)
      })
    const id = await decide(READ)
    const { revision } = api.store.head(api.environment)
    const then = `recorded: allow, at revision ${revision} of `
    const same = await why(id)
    expect([code, same.startsWith(then)]).toEqual([0, true])
    expect(same).toContain('\nallow: ana can read doc in tenant default\n  ana has role reader')
    expect(same).toMatch(/\ntoday: allow, at revision \d+, the same\n$/)
    const changed = await write('DELETE', '$F/role_assignments', ASSIGNMENT)
    const other = await why(id, { tree: true })
    expect(other).toContain('✓ ana can read doc in tenant default')
    expect(other).toMatch(
      new RegExp(`today: deny, at revision ${changed}\n  deny since revision ${changed} of \\S+Z by .+: unassign\n$`),
    )
    expect(JSON.parse(await why(id, { json: true }))).toEqual(await replay(id))
    const bare = await why(await decide(approve(5, NOON - 1)))
    expect([code, bare]).toEqual([2, expect.stringContaining('\nnot reproducible: the record lacks user.level\n')])
    await why(await decide(READ))
    expect(code).toBe(1)
    await expect(why('0'.repeat(32))).rejects.toMatchObject({ code: 'API_REFUSED' })
  })
})
