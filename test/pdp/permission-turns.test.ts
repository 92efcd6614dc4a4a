// The permissions of a user in turns, as a server answers them: the same as at once, at one revision whatever is written
// in between, and other work goes on.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { LISTING_ATTEMPTS_MAX, LISTING_TURN_WORK_MAX, LONG_LISTINGS_MAX } from '../../src/model/limits.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO } from './policies.ts'

/** Several turns of work: each instance is asked about. */
const KEYS = Array.from({ length: LISTING_TURN_WORK_MAX / 10 }, (_, at) => `i${String(at).padStart(6, '0')}`)
const OWN = { 'resource.owner': { equals: { ref: 'user.key' } } }
const instance = (key: string, owner: string): PolicyChange => ({
  op: 'put',
  kind: 'resource_instance',
  key: `hello:${key}`,
  value: { tenant: 'default', attributes: { owner } },
})
const set = (key: string, type: string, conditions: object): PolicyChange => {
  const resource = type === 'userset' ? null : 'hello'
  return { op: 'put', kind: 'condition_set', key, value: { type, resource, conditions, parent: null } } as PolicyChange
}
const WORLD: readonly PolicyChange[] = [
  ...HELLO,
  set('everybody', 'userset', {}),
  set('own', 'resourceset', OWN),
  {
    op: 'put',
    kind: 'set_rule',
    key: 'everybody/hello:say/own',
    value: { user_set: 'everybody', permission: 'hello:say', resource_set: 'own' },
  },
  ...KEYS.map((key, at) => instance(key, at % 1000 === 0 ? 'zoe' : 'ana')),
]
const BYTES = Image.build(ENVIRONMENT, makePosition(1), WORLD).save()

/** An image that changes between two turns, and how often it was asked to wait with that. */
class ChangingImage extends FixedImage {
  holds = 0
  override hold(): () => void {
    this.holds++
    return () => void this.holds--
  }
}

function setUp() {
  const image = Image.load(BYTES, { verified: true })
  const source = new ChangingImage(image)
  const write = (change: PolicyChange) => image.apply(deltaTo(image.revision + 1, [change]))
  return { image, source, write, pdp: new Pdp(source) }
}

const listKeys = (part: object): string[] => Object.keys(part)

describe('permissions in turns', () => {
  it('are those of one answer, and other work goes on in between', async () => {
    const { pdp } = setUp()
    let turns = 0
    const count = (): void => {
      turns++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const { revision, parts } = await pdp.userPermissionsInTurns('zoe', {}, null, (part) => part)
    clearImmediate(counting)
    expect([revision, Object.assign({}, ...parts)]).toEqual([1, pdp.userPermissions('zoe')])
    expect(turns).toBeGreaterThan(1)
  })

  it('begin anew behind a change, for which the next one waits', async () => {
    const { pdp, source, write } = setUp()
    const asked = pdp.userPermissionsInTurns('zoe', {}, null, listKeys)
    setImmediate(() => write(give('zoe', 'viewer')))
    const held: number[] = []
    const watching = setInterval(() => held.push(source.holds), 0)
    const { revision, parts } = await asked
    clearInterval(watching)
    expect([revision, parts.flat()]).toEqual([2, listKeys(pdp.userPermissions('zoe'))])
    expect(parts.flat()[0]).toBe('__tenant:default')
    expect([Math.max(...held), source.holds]).toEqual([1, 0])
  })

  it('are refused where changes do not stop', async () => {
    const { pdp, source, write } = setUp()
    let goes = true
    const change = (): void => {
      if (!goes) return
      write(instance('new', 'zoe'))
      setImmediate(change)
    }
    setImmediate(change)
    const refused = expect.objectContaining({ code: 'LISTING_TOO_LARGE' })
    await expect(pdp.userPermissionsInTurns('zoe', {}, null, listKeys)).rejects.toEqual(refused)
    goes = false
    expect([source.holds, LISTING_ATTEMPTS_MAX]).toEqual([0, 3])
  })

  it('have one instant', async () => {
    const { pdp, write } = setUp()
    write(set('own', 'resourceset', { 'context.now': { 'greater-than': '2020-01-01T00:00:00Z' } }))
    const at = (now?: number) => pdp.userPermissionsInTurns('ben', {}, now === undefined ? null : { now }, listKeys)
    expect((await at(0)).parts.flat()).toEqual(['__tenant:default'])
    expect(pdp.check('ben', 'say', 'hello')).toBe(true)
  })

  it('wait for each other, a bounded number of them', async () => {
    const { pdp } = setUp()
    const asked = Array.from({ length: LONG_LISTINGS_MAX + 1 }, () =>
      pdp.userPermissionsInTurns('zoe', {}, null, listKeys),
    )
    const settled = Promise.allSettled(asked)
    expect(await asked[0]).toMatchObject({ revision: 1 })
    await expect(asked.at(-1)).rejects.toMatchObject({ code: 'OVERLOADED' })
    await pdp.close()
    const codes = (await settled).map((each) => (each.status === 'fulfilled' ? 'ok' : each.reason.code))
    expect(codes.at(-2)).toBe('CLOSED')
  })

  it('refuse what is not a question, and end with the PDP', async () => {
    const { pdp } = setUp()
    await expect(pdp.userPermissionsInTurns(7 as never, {}, null, listKeys)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    const asked = pdp.userPermissionsInTurns('zoe', {}, null, listKeys)
    await pdp.close()
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

describe('pages of permissions', () => {
  const held = (name: string): PolicyChange => ({
    op: 'put',
    kind: 'role_assignment',
    key: `zoe/viewer/default/hello:${name}`,
    value: { user: 'zoe', role: 'viewer', tenant: 'default', resource_instance: `hello:${name}` },
  })
  const READER: PolicyChange = {
    op: 'put',
    kind: 'resource_role',
    key: 'hello/viewer',
    value: { resource: 'hello', role: 'viewer', permissions: ['hello:wave'], extends: [], granted_to: null },
  }
  const places = ['a', 'b', 'c', 'd'].map((name) => instance(name, ''))
  const open = () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), [
      ...HELLO,
      READER,
      ...places,
      ...['a', 'b', 'c', 'd'].map(held),
    ])
    const pdp = new Pdp(new FixedImage(image))
    const write = (...changes: readonly PolicyChange[]) => image.apply(deltaTo(image.revision + 1, changes))
    const page = (after?: string) =>
      pdp.userPermissionsPage('zoe', after === undefined ? { limit: 2 } : { limit: 2, after })
    return { pdp, write, page }
  }
  const gone = (name: string): PolicyChange[] => [
    { op: 'delete', kind: 'role_assignment', key: `zoe/viewer/default/hello:${name}` },
    { op: 'delete', kind: 'resource_instance', key: `hello:${name}` },
  ]
  const WHOLE = ['hello:a', 'hello:b', 'hello:c', 'hello:d']

  it('go on behind an instance that a delta deletes, and leave out the next one', () => {
    const { pdp, write, page } = open()
    expect(Object.keys(pdp.userPermissions('zoe'))).toEqual(WHOLE)
    const first = page()
    expect(Object.keys(first.permissions)).toEqual(['hello:a', 'hello:b'])
    write(...gone('b'), ...gone('c'))
    expect(page(first.next)).toEqual({ permissions: { 'hello:d': expect.anything() }, next: undefined })
    expect(Object.keys(pdp.userPermissions('zoe'))).toEqual(['hello:a', 'hello:d'])
  })

  it('are empty once a delta deletes the user, and after the user comes back without roles', () => {
    const { write, page } = open()
    const { next } = page()
    const roles = ['a', 'b', 'c', 'd'].map((name): PolicyChange => {
      return { op: 'delete', kind: 'role_assignment', key: `zoe/viewer/default/hello:${name}` }
    })
    write(...roles, { op: 'delete', kind: 'user', key: 'zoe' })
    expect(page(next)).toEqual({ permissions: {}, next: undefined })
    write({ op: 'put', kind: 'user', key: 'zoe', value: { attributes: {} } })
    expect(page(next)).toEqual({ permissions: {}, next: undefined })
  })
})
