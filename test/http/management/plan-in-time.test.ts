// Plans and instants (D15): what starts and ends by itself until a later instant, who gains and loses by it and since when,
// and what grants do that a plan only schedules.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { upcoming } from '../../../src/cli/commands/plan.ts'
import { readEnv } from '../../../src/cli/configuration/env.ts'
import { PLAN_LATER_MAX } from '../../../src/model/limits.ts'
import { printedBy } from '../../support/printed.ts'
import { type Harness, openHarness } from './harness.ts'

let api: Harness
const E = '/v2/projects/default/envs/development'
const plan = (body: object) => api.ask('POST', `${E}/plan`, body)

const DAY = 86_400_000
/** Whole seconds from now on, so that texts are short. */
const START = Math.ceil(Date.now() / 1000) * 1000
const inDays = (days: number): string => new Date(START + days * DAY).toISOString()

const write = async (path: string, body: object) => {
  const { status, body: answer } = await api.ask('POST', path, body)
  expect([status, answer]).toEqual([expect.closeTo(200, -1), expect.anything()])
}
const assignment = (user: string, role: string, times: object) => ({ user, role, tenant: 'default', ...times })
const createAssignment = (user: string, role: string, times: object) => ({
  op: 'create',
  kind: 'role_assignment',
  key: `${user}/${role}/default`,
  value: assignment(user, role, times),
})

beforeAll(async () => {
  api = await openHarness()
  await write('$S/resources', { key: 'doc', name: 'doc', actions: { read: {}, write: {}, print: {} } })
  await write('$S/roles', { key: 'reader', name: 'reader', permissions: ['doc:read'] })
  await write('$S/roles', { key: 'writer', name: 'writer', permissions: ['doc:write'] })
  await write('$S/roles', { key: 'guest', name: 'guest', permissions: [] })
  const ofTime = { 'context.now': { 'less-than': inDays(15) } }
  await write('$S/condition_sets', { key: 'early', name: 'early', type: 'userset', conditions: ofTime })
  const noGuest = {
    allOf: [{ 'user.tenants': { array_contains: 'default' } }, { not: { 'user.roles': { array_contains: 'guest' } } }],
  }
  await write('$S/condition_sets', { key: 'no-guest', name: 'no-guest', type: 'userset', conditions: noGuest })
  await write('$F/set_rules', { user_set: 'early', permission: 'doc:write', resource_set: '__autogen_doc' })
  await write('$F/set_rules', { user_set: 'no-guest', permission: 'doc:print', resource_set: '__autogen_doc' })
  for (const key of ['ana', 'ben']) await write('$F/users', { key })
  await write('$F/role_assignments', assignment('ana', 'reader', { valid_until: inDays(10) }))
  await write('$F/role_assignments', assignment('ana', 'guest', { valid_until: inDays(20) }))
  await write('$F/role_assignments', assignment('ana', 'writer', {}))
  await write('$F/role_assignments', assignment('ben', 'reader', { valid_from: inDays(12), valid_until: inDays(25) }))
})
afterAll(() => api.close())

describe('a plan with a second instant', () => {
  it('[D15] says what starts and ends by itself, and who gains and loses by it, since when', async () => {
    const { status, body } = await plan({ at: inDays(22) })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ changes: [], at: inDays(22), more_turns: 0 })
    expect(body.turns).toEqual([
      { is: 'ends', at: inDays(10), kind: 'role_assignment', key: 'ana/reader/default' },
      { is: 'starts', at: inDays(12), kind: 'role_assignment', key: 'ben/reader/default' },
      { is: 'ends', at: inDays(20), kind: 'role_assignment', key: 'ana/guest/default' },
    ])
    const on = { resource: { type: 'doc' }, tenant: 'default' }
    const byRule = (user_set: string) => ({ kind: 'set_rule', user_set, resource_set: 'doc' })
    expect(body.access.gained.first).toEqual([
      // what ends can also allow more
      { ...on, user: 'ana', action: 'print', because: byRule('no-guest'), since: inDays(20) },
      { ...on, user: 'ben', action: 'print', because: byRule('no-guest'), since: inDays(12) },
      { ...on, user: 'ben', action: 'read', because: { kind: 'role', role: 'reader' }, since: inDays(12) },
    ])
    expect(body.access.lost.first).toEqual([
      { ...on, user: 'ana', action: 'read', because: { kind: 'role', role: 'reader' }, since: inDays(10) },
      { ...on, user: 'ben', action: 'write', because: byRule('early'), by: 'condition', since: inDays(15) },
    ])
    expect(body.policy.changed).toEqual([
      { source: byRule('early'), permission: 'doc:write', before: 'always', after: 'never' },
    ])
    // nothing does before the first of them
    expect((await plan({ at: inDays(9) })).body).toMatchObject({ turns: [], access: { lost: { decisions: 0 } } })
  })

  it('adds what the plan changes, which has no instant of its own', async () => {
    const changes = [createAssignment('ben', 'writer', {})]
    const { body } = await plan({ changes, at: inDays(16) })
    expect(body.changes).toHaveLength(1)
    const { gained, lost } = body.access
    // the condition on the time ends, and the role is there then
    expect(lost.first.map(({ user, action }: { user: string; action: string }) => [user, action])).toEqual([
      ['ana', 'read'],
    ])
    expect(gained.first).toMatchObject([
      { user: 'ben', action: 'print' },
      { user: 'ben', action: 'read', since: inDays(12) },
    ])
    expect(gained.first[0]).not.toHaveProperty('since')
    expect(body).not.toHaveProperty('scheduled')
  })

  it('[D16] says the same of suspensions', async () => {
    const suspend = (body: object) => api.ask('PUT', '$F/users/ana/suspension', { reason: 'leave', ...body })
    expect((await suspend({ valid_from: inDays(3), valid_until: inDays(5) })).status).toBe(200)
    const { body } = await plan({ at: inDays(4) })
    expect(body.turns).toEqual([{ is: 'starts', at: inDays(3), kind: 'suspension', key: 'ana' }])
    expect(body.access.gained).toMatchObject({ decisions: 0 })
    const since = inDays(3)
    expect(body.access.lost.first).toMatchObject([
      { user: 'ana', action: 'read', since },
      { user: 'ana', action: 'write', since },
    ])
    // over all of it nothing differs
    expect((await plan({ at: inDays(5) })).body).toMatchObject({ turns: [], access: { lost: { decisions: 0 } } })
    await suspend({ valid_from: null })
    const ended = (await plan({ at: inDays(5) })).body
    expect(ended.turns).toEqual([{ is: 'ends', at: inDays(5), kind: 'suspension', key: 'ana' }])
    expect(ended.access.gained.first).toMatchObject([
      { user: 'ana', action: 'read', since: inDays(5) },
      { user: 'ana', action: 'write', since: inDays(5) },
    ])
    expect((await api.ask('DELETE', '$F/users/ana/suspension')).status).toBe(200)
  })

  it('[D16] says once of everybody what starts and ends', async () => {
    await api.ask('PATCH', '$S/roles/writer', { everybody: true })
    const times = { valid_from: inDays(2), valid_until: inDays(4) }
    await write('$F/role_assignments', { user: '*', role: 'writer', tenant: 'default', ...times })
    const key = '*/writer/default'
    const { body } = await plan({ at: inDays(3) })
    expect(body.turns).toEqual([{ is: 'starts', at: inDays(2), kind: 'role_assignment', key }])
    expect(body.access.gained.first).toMatchObject([{ user: '*', action: 'write', since: inDays(2) }])
    expect(body.access.lost).toMatchObject({ decisions: 0 })
    // over all of it nothing differs
    expect((await plan({ at: inDays(5) })).body.access).toMatchObject({
      gained: { decisions: 0 },
      lost: { decisions: 0 },
    })
    const gone = await api.ask('DELETE', '$F/role_assignments', { user: '*', role: 'writer', tenant: 'default' })
    expect(gone.status).toBe(204)
  })

  it('is refused unless that is an instant to come', async () => {
    for (const at of ['soon', inDays(-1), 1]) {
      const { status, body } = await plan({ at })
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'at']])
    }
    expect((await plan({})).status).toBe(422)
  })

  it('is printed by `zerohop upcoming`', async () => {
    const env = { ...readEnv({}), api: await api.app.listen({ port: 0 }), pdpApiKey: api.made.environments[0]!.secret }
    let code: number | undefined
    const print = (at: string, options: object = {}) =>
      printedBy(async () => {
        code = await upcoming(env, { at, ...options })
      })
    const text = await print('22d', { details: true })
    expect([code, text]).toEqual([
      2,
      expect.stringContaining(`  ${inDays(10)}: role assignment ana/reader/default ends\n`),
    ])
    expect(text).toContain('2 users lose access (2 permissions):')
    expect(text).toContain(`    ana read doc in default, from ${inDays(10)} on\n`)
    expect(text).toContain('write doc in default: 1 user, as early × doc, by a condition on the time alone')
    expect([await print('9d'), code]).toEqual([expect.stringContaining('Nothing starts or ends'), 0])
    expect(JSON.parse(await print('22d', { json: true }))).toMatchObject({ turns: [{}, {}, {}] })
  })
})

describe('a plan that schedules grants', () => {
  it('[D15] lists them with their start, and says who gains then', async () => {
    const times = { valid_from: inDays(2), valid_until: inDays(4) }
    const { body } = await plan({ changes: [createAssignment('ben', 'guest', {})] })
    expect(body).not.toHaveProperty('scheduled')
    const planned = (await plan({ changes: [createAssignment('ben', 'writer', times)] })).body
    expect(planned.access.gained).toMatchObject({ decisions: 0 })
    expect(planned.scheduled).toMatchObject([
      {
        at: inDays(2),
        more: 0,
        grants: [{ kind: 'role_assignment', key: 'ben/writer/default', ...times }],
        access: { gained: { decisions: 1, first: [{ user: 'ben', action: 'print' }] }, lost: { decisions: 0 } },
      },
    ])
  })

  it('[D15] warns of an end after which a condition may be true', async () => {
    const { warnings } = (await plan({ changes: [createAssignment('ben', 'guest', { valid_until: inDays(3) })] })).body
    expect(warnings).toEqual([
      `condition set \`no-guest\` tests \`user.roles\` and may then be true: role \`guest\` ends for user \`ben\` in tenant \`default\` at ${inDays(3)}`,
    ])
    const untested = { changes: [createAssignment('ben', 'writer', { valid_until: inDays(3) })] }
    expect((await plan(untested)).body).not.toHaveProperty('warnings')
  })

  it('says the same of another end, from the end so far on', async () => {
    const file = (times: object) => ({
      policy: { zerohop: 2, role_assignments: [assignment('ana', 'reader', times)] },
    })
    const [one, none] = [{ decisions: 1, first: [{ user: 'ana', action: 'read' }] }, { decisions: 0 }]
    const longer = (await plan(file({}))).body.scheduled
    expect(longer).toMatchObject([{ at: inDays(10), access: { gained: one, lost: none } }])
    const shorter = (await plan(file({ valid_until: inDays(5) }))).body.scheduled
    expect(shorter).toMatchObject([{ at: inDays(5), access: { gained: none, lost: one } }])
  })

  it('[D16] says the same of a suspension, beside what else the plan does to its user', async () => {
    const change = (op: 'create' | 'update', key: string, value: object) => ({ op, kind: 'user', key, value })
    const suspension = { reason: 'leave', valid_from: inDays(6), valid_until: inDays(30) }
    const [nobody, both] = [
      { decisions: 0 },
      { decisions: 2, first: [{ user: 'ben', action: 'print' }, { action: 'write' }] },
    ]
    const noGuest = await plan({ changes: [change('update', 'ben', { first_name: 'Ben', suspension })] })
    expect(noGuest.body).toMatchObject({ access: { lost: nobody, gained: nobody } })
    const grants = [{ kind: 'suspension', key: 'ben', valid_from: inDays(6), valid_until: inDays(30) }]
    // ben may print from the first role on, which starts after the suspension
    expect(noGuest.body.scheduled).toMatchObject([{ at: inDays(6), more: 0, grants, access: { gained: nobody } }])
    const role = createAssignment('ben', 'printer', {})
    const printer = {
      op: 'create',
      kind: 'role',
      key: 'printer',
      value: { name: 'printer', permissions: ['doc:print'] },
    }
    const { body } = await plan({ changes: [printer, change('update', 'ben', { suspension }), role] })
    expect(body.access).toMatchObject({ gained: { users: 1 }, lost: nobody })
    expect(body.scheduled).toMatchObject([{ at: inDays(6), grants, access: { gained: nobody, lost: both } }])
    // of a user whom the plan makes, and at once
    const made = [change('create', 'eva', { key: 'eva', suspension }), createAssignment('eva', 'reader', {})]
    const { scheduled } = (await plan({ changes: made })).body
    expect(scheduled).toMatchObject([{ at: inDays(6), access: { lost: { decisions: 3, users: 1 } } }])
    const atOnce = (await plan({ changes: [change('update', 'ana', { suspension: { reason: 'left' } })] })).body
    expect(atOnce).not.toHaveProperty('scheduled')
    expect(atOnce.access.lost.decisions).toBeGreaterThan(0)
  })

  it('compares access at so many instants, and lists the others', async () => {
    await write('$S/roles', { key: 'printer', name: 'printer', permissions: ['doc:print'] })
    for (let user = 0; user <= PLAN_LATER_MAX; user++) await write('$F/users', { key: `u${user}` })
    const changes = Array.from({ length: PLAN_LATER_MAX + 1 }, (_, day) =>
      createAssignment(`u${day}`, 'printer', { valid_from: inDays(day + 1) }),
    )
    const { scheduled: later } = (await plan({ changes })).body
    expect(later.map(({ at }: { at: string }) => at)).toEqual(changes.map((_, day) => inDays(day + 1)))
    expect(later.filter((each: object) => 'access' in each)).toHaveLength(PLAN_LATER_MAX)
  })
})
