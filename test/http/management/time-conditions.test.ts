// [D9] A condition that compares a time with something else is refused with its place, whatever door it enters by: it
// would always be true below a `not`.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { type Answer, type Harness, openHarness } from './harness.ts'

const TYPES = [{ key: 'doc', actions: { read: {} }, attributes: { due: { type: 'time' } } }]
const ENV = '/v2/projects/default/envs/development'

describe.each([
  ['the time of the question', 'a user set', 'userset', { not: { 'context.now': { 'less-than': '09:00' } } }],
  ['by its other name', 'a resource set', 'resourceset', { not: { 'environment.now': { in: ['31.12.2026'] } } }],
  ['an attribute of resources', 'a user set', 'userset', { not: { 'resource.due': { equals: '2026-02-30' } } }],
  ['an attribute of resources', 'a resource set', 'resourceset', { not: { 'resource.due': { between: ['a', 'b'] } } }],
  ['a time as text', 'a user set', 'userset', { not: { 'user.note': { contains: { ref: 'resource.due' } } } }],
] as const)('[D9] %s in %s', (_, __, type, conditions) => {
  let api: Harness
  beforeEach(async () => {
    api = await openHarness()
    expect((await api.ask('POST', '$S/resources', TYPES[0])).status).toBe(200)
  })
  afterEach(() => api.close())

  const sides = type === 'userset' ? { type } : { type, resource_id: 'doc' }
  const inFile = { key: 'early', type, ...(type === 'userset' ? {} : { resource: 'doc' }), conditions }
  const policy = { zerohop: 2, resources: TYPES, condition_sets: [inFile] }

  /** The sentence names the attribute; of a body with many objects the answer has the place, too. */
  function expectRefused({ status, body }: Answer, loc?: readonly (string | number)[]): void {
    expect([status, body.error_code], JSON.stringify(body)).toEqual([400, 'MISMATCH_ATTRIBUTES_TYPES'])
    expect(body.message).toMatch(/`(context\.now|resource\.due)` is declared as time/)
    if (loc !== undefined) expect(body.additional_info).toMatchObject({ loc })
  }
  const made = async (of: object) =>
    expect((await api.ask('POST', '$S/condition_sets', { key: 'early', ...sides, conditions: of })).status).toBe(200)

  it('is refused by POST, PUT and PATCH of a set', async () => {
    expectRefused(await api.ask('POST', '$S/condition_sets', { key: 'early', ...sides, conditions }))
    await made({})
    expectRefused(await api.ask('PATCH', '$S/condition_sets/early', { conditions }))
    expectRefused(await api.ask('PUT', '$S/condition_sets/early', { conditions }))
  })

  it('is refused by plan and apply of a policy, for a new set and one that is there', async () => {
    const place = ['body', 'policy', 'condition_sets', 0, 'conditions']
    for (const door of ['plan', 'apply']) expectRefused(await api.ask('POST', `${ENV}/${door}`, { policy }), place)
    await made({})
    for (const door of ['plan', 'apply']) expectRefused(await api.ask('POST', `${ENV}/${door}`, { policy }), place)
  })

  it('is refused by the import of a file', async () => {
    const of = { bundle: policy, dryRun: false }
    await expect(api.store.commit(api.environment, 'importBundle', of, withoutRequest('test'))).rejects.toMatchObject({
      code: 'ATTRIBUTE_MISMATCH',
      path: ['body', 'condition_sets', 0, 'conditions'],
    })
  })

  const isOfResources = type === 'userset' && !('context.now' in conditions.not)
  // the others cannot be stored in any environment
  it.runIf(isOfResources)('is refused by a copy into an environment where it is about a time', async () => {
    // without the time, the conditions are well here
    await api.ask('PATCH', '$S/resources/doc', { attributes: { due: { type: 'json' } } })
    await made(conditions)
    await api.ask('POST', '/v2/schema/default/production/resources', { ...TYPES[0], key: 'task' })
    const sent = { target_env: { existing: 'production' }, scope: { resources: { exclude: ['doc'] } } }
    expectRefused(await api.ask('POST', `${ENV}/copy`, sent))
  })

  it('is refused when it is only tried', async () => {
    const sent = type === 'userset' ? { conditions, type } : { conditions, type, resource_id: 'doc' }
    expectRefused(await api.ask('POST', `${ENV}/condition-matches`, sent))
  })
})
