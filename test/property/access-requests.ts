// Random walks over access requests: the same steps in the definition and in the use cases, on a draft and at made-up
// times, so that a week passes at once. After each step both have the same states and the same grants.
import fc from 'fast-check'
import { type AccessRequest, requestState } from '../../src/kinds/access-request.ts'
import { isInForce } from '../../src/kinds/times.ts'
import { listDecisions } from '../../src/management/objects/access-requests.ts'
import { requireActor } from '../../src/management/objects/approvers.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { assignmentKey, membershipKey } from '../../src/model/objects.ts'
import { Draft } from '../../src/store/draft.ts'
import type { Mint, UseCases, View } from '../../src/store/view.ts'
import { RefWorld } from '../reference/access-requests.ts'

const USERS = ['ana', 'ben', 'cyd', 'dan'] as const
const TENANTS = ['acme', 'beta'] as const
/**
 * `support` is for members, `oncall` is given at once, `guest` is for everybody, `desk@acme` is a role of the tenant; `lead`,
 * who has what that gives, and `boss`, who has not, approve.
 */
const ROLES = ['support', 'oncall', 'guest', 'lead', 'boss', 'desk@acme'] as const
const READ = 'doc:read'
/** What a step that is listed never ends with: its times may still be wrong, or the user may hold the role. */
const REFUSALS: ReadonlySet<string> = new Set(['REQUEST_REFUSED', 'REQUEST_STATE', 'BEYOND_OWN_ROLES'])
const BEGIN = 1_800_000_000_000
const SECOND = 1_000

interface Rule {
  readonly by: 'members' | 'everybody'
  readonly approvers: readonly string[]
  readonly max_duration: number
  readonly reason: 'required' | 'optional'
  readonly auto?: boolean
}
const RULES: Readonly<Partial<Record<(typeof ROLES)[number], Rule>>> = {
  support: { by: 'members', approvers: ['lead', 'boss'], max_duration: 7_200, reason: 'optional' },
  oncall: { by: 'members', approvers: ['lead'], max_duration: 3_600, reason: 'required', auto: true },
  'desk@acme': { by: 'members', approvers: ['lead', 'boss'], max_duration: 7_200, reason: 'optional' },
  guest: { by: 'everybody', approvers: ['lead', 'guest'], max_duration: 86_400, reason: 'optional' },
}

export type Step =
  | { readonly do: 'wait'; readonly seconds: number }
  | {
      readonly do: 'create'
      readonly user: string
      readonly role: string
      readonly tenant: string
      readonly seconds: number
      readonly isEnd: boolean
      readonly hasReason: boolean
    }
  | {
      readonly do: 'approve' | 'deny' | 'cancel' | 'revoke'
      readonly at: number
      readonly user: string
      readonly seconds: number | undefined
    }
  | {
      readonly do: 'put'
      readonly user: string
      readonly role: string
      readonly tenant: string
      readonly seconds: number
    }
  | { readonly do: 'unassign'; readonly user: string; readonly role: string; readonly tenant: string }
  | { readonly do: 'suspend' | 'resume' | 'removeUser'; readonly user: string }
  | { readonly do: 'removeRole'; readonly role: string }
  | { readonly do: 'limit'; readonly seconds: number }
  | { readonly do: 'offer'; readonly isOffered: boolean }
  | { readonly do: 'removeTenant'; readonly tenant: string }

const user = fc.constantFrom(...USERS)
/** also whoever asked, and who approves most often */
const decider = fc.constantFrom(...USERS, 'own', 'own', 'ben', 'dan')
const tenant = fc.constantFrom('acme', 'acme', 'acme', 'beta')
const role = fc.constantFrom(...ROLES, 'support', 'support', 'oncall', 'guest', 'desk@acme')
const seconds = fc.constantFrom(1, 60, 600, 3_600, 7_200, 20_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      user,
      role,
      tenant,
      seconds,
      isEnd: fc.boolean(),
      hasReason: fc.boolean(),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'approve' as const,
        'approve' as const,
        'approve' as const,
        'deny' as const,
        'deny' as const,
        'cancel' as const,
        'cancel' as const,
        'revoke' as const,
        'revoke' as const,
      ),
      at: fc.nat(5),
      user: decider,
      seconds: fc.option(seconds, { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 59, 600, 3_600, 700_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      user,
      role,
      tenant,
      seconds: fc.constantFrom(300, 3_600, 50_000, 5_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unassign' as const), user, role, tenant }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('suspend' as const, 'resume' as const), user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('removeUser' as const), user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('removeRole' as const), role }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('offer' as const), isOffered: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), seconds: fc.constantFrom(60, 7_200) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('removeTenant' as const), tenant: fc.constantFrom(...TENANTS) }),
  },
)
/** Whoever has a role for a short time asks for a longer one, and it is taken back. */
const story: fc.Arbitrary<Step[]> = fc
  .record({ user, tenant, held: fc.constantFrom(300, 3_600), isOwn: fc.boolean() })
  .map(({ user: who, tenant: place, held, isOwn }) => [
    { do: 'put', user: who, role: 'support', tenant: place, seconds: held },
    { do: 'create', user: who, role: 'support', tenant: place, seconds: 7_200, isEnd: false, hasReason: true },
    { do: 'approve', at: 0, user: 'ben', seconds: undefined },
    { do: 'wait', seconds: 59 },
    { do: 'revoke', at: 0, user: isOwn ? 'own' : 'ben', seconds: undefined },
  ])
/** Who may not give the role of the tenant tries first; then somebody writes over what was given. */
const ownRole: fc.Arbitrary<Step[]> = user.map((who) => [
  { do: 'create', user: who, role: 'desk@acme', tenant: 'acme', seconds: 600, isEnd: false, hasReason: true },
  { do: 'approve', at: 0, user: 'dan', seconds: undefined },
  { do: 'approve', at: 0, user: 'ben', seconds: undefined },
  { do: 'put', user: who, role: 'desk@acme', tenant: 'acme', seconds: 300 },
])
/** The role is asked for longer than it may be when that is decided, and then held already. */
const shortened: fc.Arbitrary<Step[]> = user.map((who) => [
  { do: 'create', user: who, role: 'support', tenant: 'acme', seconds: 7_200, isEnd: false, hasReason: true },
  { do: 'limit', seconds: 60 },
  { do: 'approve', at: 0, user: 'ben', seconds: undefined },
  { do: 'limit', seconds: 7_200 },
  { do: 'put', user: who, role: 'support', tenant: 'acme', seconds: 5_000_000 },
  { do: 'approve', at: 0, user: 'ben', seconds: undefined },
])
export const steps = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: step.map((one) => [one]) },
      { weight: 1, arbitrary: fc.oneof(story, ownRole, shortened) },
    ),
    {
      minLength: 10,
      maxLength: 50,
    },
  )
  .map((parts) => parts.flat())

/** How often each transition and each refusal was seen. */
export type Seen = Map<string, number>

/**
 * Walks the steps in both, and compares them after each.
 * @throws an error that says where they differ
 */
export function walk(below: View, useCases: UseCases, drawn: readonly Step[], seen: Seen = new Map()): void {
  const both = new Both(below, useCases)
  for (const [at, one] of drawn.entries()) {
    const before = both.states()
    const [want, got] = both.take(one)
    const after = both.states()
    const name = `${at} ${JSON.stringify(one)}`
    if (want !== got) throw new Error(`${name}: the definition says ${want}, the engine ${got}`)
    both.compare(name)
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
    count(`${one.do} ${want}`)
    for (const [id, state] of after.entries()) if (before[id] !== state) count(`${before[id] ?? 'none'} → ${state}`)
  }
}

class Both {
  readonly ref = new RefWorld()
  readonly #draft: Draft
  readonly #useCases: UseCases
  /** ids of the requests, in the order of their creation */
  readonly #ids: string[] = []
  #minted = 0
  #isOffered = true

  constructor(below: View, useCases: UseCases) {
    this.#draft = new Draft(below)
    this.#useCases = useCases
    this.ref.now = BEGIN
    for (const key of TENANTS) this.#makeTenant(key)
    const actions = { read: { grantable: true } }
    this.#run('createResource', { key: 'doc', name: 'Document', actions })
    for (const key of ['lead', 'boss', 'guest', 'support', 'oncall', 'desk@acme']) this.#makeRole(key)
    for (const key of USERS) this.#makeUser(key)
    for (const [one, held] of [
      ['ben', 'lead'],
      ['cyd', 'lead'],
      ['dan', 'boss'],
    ] as const) {
      this.#both('put', { user: one, role: held, tenant: 'acme', until: BEGIN + 400_000 * SECOND })
    }
    this.#both('put', { user: 'ben', role: 'lead', tenant: 'beta', until: BEGIN + 400_000 * SECOND })
  }

  /** The result of a step in the definition and in the engine. */
  take(one: Step): readonly [string, string] {
    const { ref } = this
    switch (one.do) {
      case 'wait':
        ref.now += one.seconds * SECOND
        return ['ok', 'ok']
      case 'create': {
        const { user: as, role: key, tenant: place, hasReason } = one
        const time = one.isEnd ? { until: ref.now + one.seconds * SECOND } : { seconds: one.seconds }
        const want = ref.create(as, key, place, time, hasReason)
        const sent = {
          ...(one.isEnd ? { until: time.until } : { duration: one.seconds }),
          ...(hasReason ? { reason: 'why' } : {}),
        }
        const [got, made] = this.#run('createAccessRequest', { as, role: key, tenant: place, ...sent })
        if (got === 'ok') this.#ids.push((made as AccessRequest).id)
        return [want, got]
      }
      case 'approve':
      case 'deny':
      case 'cancel':
      case 'revoke': {
        const request = ref.requests.at(-1 - one.at)
        if (request === undefined) return ['none', 'none']
        const as = one.user === 'own' ? request.user : one.user
        const want = one.do === 'approve' ? ref.approve(request, as, one.seconds) : ref[one.do](request, as)
        const shorter = one.do === 'approve' && one.seconds !== undefined ? { duration: one.seconds } : {}
        const input = { ref: this.#ids[request.id], fields: { as, ...shorter }, isWithinOwn: true }
        const isListed = this.#list(this.#ids[request.id]!, as).includes(one.do)
        const [got] = this.#run(`${one.do}AccessRequest`, input)
        if (isListed ? REFUSALS.has(got) : got === 'ok')
          return [want, `${got}, though it is ${isListed ? '' : 'not '}listed`]
        return [want, got]
      }
      case 'put':
        return this.#both('put', { ...one, until: ref.now + one.seconds * SECOND })
      case 'unassign':
        return [ref.unassign(one.user, one.role, one.tenant), this.#run('unassign', assignment(one))[0]]
      case 'suspend':
      case 'resume': {
        const found = ref.users.get(one.user)
        if (found === undefined) return ['ok', 'ok']
        found.suspended = one.do === 'suspend'
        const suspension = one.do === 'suspend' ? { reason: 'left' } : null
        return ['ok', this.#run('updateUser', { ref: one.user, fields: { suspension } })[0]]
      }
      case 'removeUser':
        if (!ref.users.has(one.user)) return ['ok', this.#makeUser(one.user)]
        ref.removeUser(one.user)
        return ['ok', this.#run('deleteUser', { ref: one.user })[0]]
      case 'removeRole':
        if (!ref.roles.has(one.role)) return ['ok', this.#makeRole(one.role)]
        ref.removeRole(one.role)
        return [
          'ok',
          one.role.includes('@')
            ? this.#run('deleteTenantRole', { tenant: 'acme', ref: one.role })[0]
            : this.#run('deleteRole', { ref: one.role })[0],
        ]
      case 'offer': {
        if (!one.isOffered) ref.withdraw(READ)
        this.#isOffered = one.isOffered
        const fields = { grantable: one.isOffered }
        return ['ok', this.#run('updateAction', { resource: 'doc', ref: 'read', fields })[0]]
      }
      case 'limit': {
        const rule = ref.roles.get('support')
        if (!rule) return ['ok', 'ok']
        rule.most = one.seconds
        const requestable = { ...RULES.support, approvers: rule.approvers, max_duration: one.seconds }
        return ['ok', this.#run('updateRole', { ref: 'support', fields: { requestable } })[0]]
      }
      case 'removeTenant':
        if (!ref.tenants.has(one.tenant)) return ['ok', this.#makeTenant(one.tenant)]
        ref.removeTenant(one.tenant)
        return ['ok', this.#run('deleteTenant', { ref: one.tenant })[0]]
    }
  }

  /** What the user is said to be able to do with a request. */
  #list(id: string, as: string): readonly string[] {
    const { now } = this.ref
    const request = this.#draft.require('access_request', id)
    try {
      const user = requireActor(this.#draft, { as }, now)
      return listDecisions(this.#draft, request, { user, acting: { as }, isWithinOwn: true }, { now })
    } catch (error) {
      if (isZerohopError(error)) return []
      throw error
    }
  }

  states(): string[] {
    return this.ref.requests.map((request) => this.ref.state(request))
  }

  /** @throws where the engine has other states, or other grants */
  compare(step: string): void {
    const { ref } = this
    const expect = (what: string, want: unknown, got: unknown) => {
      if (want !== got) throw new Error(`${step}: ${what}: the definition says ${want}, the engine ${got}`)
    }
    for (const request of ref.requests) {
      const stored = this.#draft.require('access_request', this.#ids[request.id]!)
      expect(`the state of request ${request.id}`, ref.state(request), requestState(stored, ref.now))
      expect(`the end of request ${request.id}`, request.end, stored.valid_until)
    }
    for (const one of USERS) {
      for (const place of TENANTS) {
        for (const held of ROLES) {
          const grant = ref.grants.get(RefWorld.key(one, held, place))
          const stored = this.#draft.get('role_assignment', assignmentKey(one, held, place))
          const name = `${one} as ${held} in ${place}`
          expect(`whether there is ${name}`, grant !== undefined, stored !== undefined)
          if (grant === undefined || stored === undefined) continue
          expect(`the end of ${name}`, grant.until, stored.valid_until)
          expect(`whether ${name} is in force`, ref.inForce(one, held, place), isInForce(stored, ref.now))
          const origin = grant.from === undefined ? undefined : `request/${this.#ids[grant.from]}`
          // where something came from that has ended does not matter
          if (ref.inForce(one, held, place)) expect(`the origin of ${name}`, origin, stored.origin)
        }
        const isThere = this.#draft.get('membership', membershipKey(place, one)) !== undefined
        expect(`whether ${one} is in ${place}`, ref.isMember(one, place), isThere)
      }
    }
  }

  #both(
    _: 'put',
    { user: one, role: held, tenant: place, until }: { user: string; role: string; tenant: string; until: number },
  ) {
    const want = this.ref.put(one, held, place, until)
    return [
      want,
      this.#run('putAssignment', { ...assignment({ user: one, role: held, tenant: place }), valid_until: until })[0],
    ] as const
  }

  #makeUser(key: string): string {
    this.ref.users.set(key, { suspended: false })
    const made = this.#run('createUser', { key })[0]
    if (!this.ref.tenants.has('acme')) return made
    this.ref.members.add(`${key}/acme`)
    return this.#run('addTenantUser', { tenant: 'acme', user: { key } })[0]
  }

  #makeRole(key: string): string {
    if (key.includes('@') && !this.ref.tenants.has('acme')) return 'ok'
    const rule = RULES[key as keyof typeof RULES]
    const approvers = (rule?.approvers ?? []).filter((one) => one === key || this.ref.roles.has(one))
    const requestable = rule && { ...rule, approvers }
    this.ref.roles.set(
      key,
      rule
        ? {
            key,
            by: rule.by,
            approvers: [...approvers],
            most: rule.max_duration,
            auto: rule.auto === true,
            ...(key.includes('@') ? { own: 'acme' } : {}),
          }
        : null,
    )
    const isOwn = key.includes('@')
    const permissions = key === 'lead' || (isOwn && this.#isOffered) ? [READ] : []
    this.ref.gives.set(key, permissions)
    const role = { permissions, ...(requestable && { requestable }) }
    if (!isOwn) return this.#run('createRole', { key, ...role })[0]
    return this.#run('createTenantRole', { tenant: 'acme', role: { key: key.slice(0, key.indexOf('@')), ...role } })[0]
  }

  #makeTenant(key: string): string {
    this.ref.tenants.add(key)
    return this.#run('createTenant', { key })[0]
  }

  /** Runs a use case, and stages what it changes. */
  #run(name: string, input: unknown): readonly [string, unknown] {
    const mint: Mint = {
      id: () => (++this.#minted).toString(16).padStart(32, '0'),
      now: this.ref.now,
      secret: () => 's',
    }
    try {
      const { changes, result } = this.#useCases[name]!(this.#draft, input as never, mint)
      this.#draft.stage(changes)
      return ['ok', result]
    } catch (error) {
      if (isZerohopError(error)) return [error.code, undefined]
      throw error
    }
  }
}

const assignment = ({ user: one, role: held, tenant: place }: { user: string; role: string; tenant: string }) => ({
  user: one,
  role: held,
  tenant: place,
})

/** Faults of the engine: a walk finds each. */
export const OF_REQUESTS = {
  'approver-within-own': 'void 0',
  'approver-check': 'true',
  'own-request': 'false',
  'approver-in-force': 'true',
  'duration-read-again': 'void until',
  'held-before': 'const restored = bare',
  'origin-after-a-direct-write': 'return change',
}
