// Questions inside of questions: reading what is sent may run code of the caller (a getter, a proxy), and that code may
// ask the same PDP, which has one area for what is sent. The inner answer is right; the outer question is refused and
// never answered from what the inner one sent.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'

import { type Decision, loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { outcome } from '../support/outcome.ts'
import { type Operation, World } from '../support/world.ts'

const BOTH = (root: string) => ({ [`${root}.first`]: { equals: 1 }, [`${root}.second`]: { equals: 1 } })
const POLICY: Operation[] = [
  ['put', 'resource', { key: 'doc', actions: ['open', 'see', 'free'] }],
  ['put', 'role', { key: 'reader', permissions: ['doc:free'] }],
  ['put', 'user', { key: 'ana' }],
  ['put', 'user', { key: 'ben' }],
  ['put', 'role_assignment', { user: 'ana', role: 'reader', tenant: 'default' }],
  ['put', 'resource_instance', { resource: 'doc', instance: '1', tenant: 'default' }],
  ['put', 'condition_set', { key: 'users', type: 'userset', conditions: BOTH('user') }],
  ['put', 'condition_set', { key: 'any', type: 'userset', conditions: {} }],
  ['put', 'condition_set', { key: 'docs', type: 'resourceset', resource: 'doc', conditions: BOTH('resource') }],
  ['put', 'set_rule', { user_set: 'users', permission: 'doc:open', resource_set: 'doc' }],
  ['put', 'set_rule', { user_set: 'any', permission: 'doc:see', resource_set: 'docs' }],
]
const world = new World()
world.runAll(POLICY)
const bytes = Image.build(ENVIRONMENT, makePosition(1), world.contents()).save()

const BOTH_SET = { first: 1, second: 1 }
/** Who may, by what is sent. */
const allowed = { key: 'ana', attributes: BOTH_SET }

/** What is denied by its first attribute, and asks when its second one is read. */
function asking(inner: () => unknown): { first: number; second: number } {
  return {
    first: 0,
    get second() {
      inner()
      return 1
    },
  }
}

/** Questions that are allowed by what is sent with them, with what they answer. */
const INNER: Record<string, (pdp: Pdp) => [got: unknown, right: unknown]> = {
  check: (pdp) => [pdp.check(allowed, 'open', 'doc'), true],
  'check on an instance': (pdp) => [pdp.check('ana', 'see', { type: 'doc', key: '1', attributes: BOTH_SET }), true],
  'check without attributes': (pdp) => [pdp.check('ana', 'open', 'doc'), false],
  'subject().can': (pdp) => [pdp.subject('ana').can('open', 'doc'), false],
  'permission().allows': (pdp) => [pdp.permission('open', 'doc').allows('ana'), false],
  bulkCheck: (pdp) => [pdp.bulkCheck([{ user: allowed, action: 'open', resource: 'doc' }]), [true]],
  explain: (pdp) => [pdp.explain(allowed, 'open', 'doc').allow, true],
  resources: (pdp) => [pdp.resources(allowed, 'open', 'doc').keys, ['1']],
  users: (pdp) => [pdp.users('see', { type: 'doc', attributes: BOTH_SET }).keys, ['ana', 'ben']],
  actions: (pdp) => [pdp.actions(allowed, 'doc'), ['free', 'open']],
  tenants: (pdp) => [pdp.tenants(allowed, 'open', 'doc').map(({ key }) => key), ['default']],
  userPermissions: (pdp) => [Object.keys(pdp.userPermissions(allowed)), ['__tenant:default', 'doc:1'].slice(0, 1)],
  authorizedUsers: (pdp) => [
    Object.keys(pdp.authorizedUsers({ action: 'see', resource: { type: 'doc', attributes: BOTH_SET } }).users),
    ['ana', 'ben'],
  ],
}

type Values = Record<string, number>
const OUTER: Record<string, (pdp: Pdp, values: Values) => unknown> = {
  check: (pdp, attributes) => pdp.check({ key: 'ben', attributes }, 'open', 'doc'),
  'check on an instance': (pdp, attributes) => pdp.check('ben', 'see', { type: 'doc', key: '1', attributes }),
  bulkCheck: (pdp, attributes) =>
    pdp.bulkCheck([{ user: { key: 'ben', attributes }, action: 'open', resource: 'doc' }])[0],
  explain: (pdp, attributes) => pdp.explain({ key: 'ben', attributes }, 'open', 'doc').allow,
  resources: (pdp, attributes) => pdp.resources({ key: 'ben', attributes }, 'open', 'doc').keys.length > 0,
  users: (pdp, attributes) => pdp.users('see', { type: 'doc', attributes }).keys.length > 0,
  actions: (pdp, attributes) => pdp.actions({ key: 'ben', attributes }, 'doc').length > 0,
  tenants: (pdp, attributes) => pdp.tenants({ key: 'ben', attributes }, 'open', 'doc').length > 0,
  userPermissions: (pdp, attributes) => Object.keys(pdp.userPermissions({ key: 'ben', attributes })).length > 0,
  authorizedUsers: (pdp, attributes) =>
    Object.keys(pdp.authorizedUsers({ action: 'see', resource: { type: 'doc', attributes } }).users).length > 0,
}

describe('[D10] a question that is asked while the attributes of another are read', () => {
  const pdp = loadImage(bytes)

  it.each(Object.keys(INNER))('%s is answered as ever, and the outer one is refused', (name) => {
    for (const ask of Object.values(OUTER)) {
      const inner: [unknown, unknown][] = []
      expect(
        outcome(() =>
          ask(
            pdp,
            asking(() => inner.push(INNER[name]!(pdp))),
          ),
        ),
      ).toBe('INPUT_INVALID')
      expect(inner.length).toBeGreaterThan(0)
      for (const [got, right] of inner) expect(got).toEqual(right)
      expect([ask(pdp, { first: 0, second: 1 }), ask(pdp, BOTH_SET)]).toEqual([false, true])
    }
  })

  it('refuses it also when the inner one fails, and says why', () => {
    const swallowing = asking(() =>
      outcome(() => pdp.check({ key: 'ana', attributes: { first: 4n } as never }, 'open', 'doc')),
    )
    expect(() => pdp.check({ key: 'ben', attributes: swallowing }, 'open', 'doc')).toThrow('runs another check')
  })

  it('does no harm when roles alone answer it, or nobody reads the attribute', () => {
    const byRoles = asking(() => expect(pdp.check('ana', 'free', 'doc')).toBe(true))
    expect(pdp.check({ key: 'ben', attributes: byRoles }, 'open', 'doc')).toBe(false)
    const unread = Object.defineProperty({ ...BOTH_SET }, 'third', { get: () => pdp.check(allowed, 'open', 'doc') })
    expect(pdp.check({ key: 'ben', attributes: unread }, 'open', 'doc')).toBe(true)
  })

  it('of a proxy is refused the same', () => {
    const attributes = new Proxy({ first: 0, second: 1 } as Values, {
      get: (target, key, self) => {
        pdp.check(allowed, 'open', 'doc')
        return Reflect.get(target, key, self)
      },
    })
    expect(outcome(() => pdp.check({ key: 'ben', attributes }, 'open', 'doc'))).toBe('INPUT_INVALID')
  })
})

describe('what else may run in between', () => {
  it('a callback for decisions may ask: every answer is its own', () => {
    const decisions: Decision[] = []
    let depth = 0
    const pdp = loadImage(bytes, {
      onDecision(decision) {
        decisions.push(decision)
        if (depth++ > 0) return
        expect(pdp.check(allowed, 'open', 'doc')).toBe(true)
        expect(pdp.subject('ben').can('open', 'doc:1')).toBe(false)
        expect(pdp.resources(allowed, 'open', 'doc').keys).toEqual(['1'])
      },
    })
    const denied = { key: 'ben', attributes: { first: 0, second: 1 } }
    const checks = [denied, allowed, denied].map((user) => ({ user, action: 'open', resource: 'doc:1' }))
    expect(pdp.bulkCheck(checks)).toEqual([false, true, false])
    expect(decisions.map(({ allow }) => allow)).toEqual([false, true, false, true, false])
  })

  it('a list that grows while its items are read writes no further than what it was', () => {
    const image = Image.load(bytes)
    const before = Buffer.from(image.save())
    const growing: unknown[] = [1]
    Object.defineProperty(growing, 0, {
      get() {
        if (growing.length < 200_000) growing.length = 200_000
        return 1
      },
    })
    expect(image.check('ben', 'open', 'doc', 'default', undefined, { user: { first: growing, second: 1 } })).toBe(false)
    expect(Buffer.compare(before, Buffer.from(image.save()))).toBe(0)
    image.verify()
  })
})
