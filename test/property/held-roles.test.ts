// What users hold in tenants, kept between checks: however many are asked about, whatever their keys have in common, and
// whatever changes in between, the answers are those of the definition.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { numbers } from './numbers.ts'

const TENANTS = ['default', 'acme', 'x', ''] as const
const ROLES = ['reader', 'writer', 'nothing'] as const
const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange

/** More users than are kept at first, some with keys that only differ where no character of them is looked at. */
const USERS = [
  ...Array.from({ length: 1_000 }, (_, at) => `user-${at}`),
  ...Array.from({ length: 60 }, (_, at) => `a${String.fromCharCode(65 + at)}aaaaaaaaaa-the-same`),
  'u',
  'ab',
  'abc',
]
const STORED = TENANTS.filter((key) => key !== '' && key !== 'x')

class World {
  readonly #next = numbers(7)
  readonly #held = new Map<string, string>()
  readonly #gone = new Set<string>()

  begin(): PolicyChange[] {
    return [
      put('resource', 'doc', { actions: ['read', 'write'] }),
      put('role', 'reader', { permissions: ['doc:read'], extends: [] }),
      put('role', 'writer', { permissions: ['doc:write'], extends: ['reader'] }),
      put('role', 'nothing', { permissions: [], extends: [] }),
      ...STORED.map((key) => put('tenant', key, {})),
      ...USERS.map((key) => put('user', key, {})),
      ...USERS.flatMap((user) => this.change(user)),
    ]
  }

  /** The role of the user in some tenant is another one, or gone. */
  change(user: string): PolicyChange[] {
    if (this.#gone.has(user)) return []
    const tenant = STORED[this.#next(STORED.length)]!
    const name = `${user} ${tenant}`
    const before = this.#held.get(name)
    const role = ROLES[this.#next(ROLES.length)]!
    const key = (of: string) => `${user}/${of}/${tenant}`
    this.#held.delete(name)
    const changes: PolicyChange[] =
      before === undefined ? [] : [{ op: 'delete', kind: 'role_assignment', key: key(before) }]
    if (this.#next(3) === 0) return changes
    this.#held.set(name, role)
    return [...changes, put('role_assignment', key(role), { user, role, tenant })]
  }

  /** The user is deleted, with what the user holds. */
  end(user: string): PolicyChange[] {
    const held = STORED.flatMap((tenant): PolicyChange[] => {
      const role = this.#held.get(`${user} ${tenant}`)
      this.#held.delete(`${user} ${tenant}`)
      return role === undefined ? [] : [{ op: 'delete', kind: 'role_assignment', key: `${user}/${role}/${tenant}` }]
    })
    if (this.#gone.has(user)) return []
    this.#gone.add(user)
    return [...held, { op: 'delete', kind: 'user', key: user }]
  }

  allows(user: string, action: string, tenant: string): boolean {
    const role = this.#held.get(`${user} ${tenant}`)
    if (action === 'burn') return false
    return role === 'writer' || (role === 'reader' && action === 'read')
  }
}

describe('what users hold, kept between checks', () => {
  it('[D4] is what they hold at this revision, of as many users as are asked about', () => {
    const world = new World()
    const image = Image.build(ENVIRONMENT, makePosition(1), world.begin())
    const pdp = new Pdp(new FixedImage(image))
    const asked = [...USERS, 'nobody', ''].flatMap((user) => TENANTS.map((tenant) => [user, tenant] as const))
    const permissions = new Map(['read', 'write', 'burn'].map((action) => [action, pdp.permission(action, 'doc')]))
    const subjects = asked.map(([user, tenant]) => pdp.subject(user, { tenant }))
    const wrong = () =>
      asked.flatMap(([user, tenant], at) =>
        ['read', 'write', 'burn'].flatMap((action) => {
          const right = world.allows(user, action, tenant)
          const answers = [
            pdp.check(user, action, { type: 'doc', tenant }),
            tenant === 'default' ? pdp.check(user, action, 'doc') : right,
            pdp.checkWithoutAttributes(user, action, { type: 'doc', tenant }),
            subjects[at]!.can(action, 'doc'),
            permissions.get(action)!.allows(user, { tenant }),
          ]
          return answers.every((answer) => answer === right) ? [] : [`${user} ${action} ${tenant}: ${answers}`]
        }),
      )
    expect([...wrong(), ...wrong()]).toEqual([])
    for (let revision = 2; revision < 8; revision++) {
      const some = USERS.filter((_, at) => at % 7 === revision % 7)
      image.apply(
        deltaTo(
          revision,
          some.flatMap((user, at) => (at % 9 === 0 ? world.end(user) : world.change(user))),
        ),
      )
      expect([...wrong(), ...wrong()]).toEqual([])
    }
  })
})
