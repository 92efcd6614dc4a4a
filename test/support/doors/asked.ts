// A question at one moment of a story and at one instant, with the answer of the definition, computed once for all doors
// and ways.
import { parseInstant } from '../../../src/model/instant.ts'
import { ATTRIBUTES } from '../../property/values.ts'
import { check } from '../../reference/check.ts'
import {
  actionsAllowed,
  authorizedUsers,
  instancesAllowed,
  listInstancePermissions,
  listPermissions,
  tenantsAllowed,
  tenantsWithRoles,
  usersAllowed,
} from '../../reference/listing.ts'
import type { Policy } from '../../reference/policy.ts'
import { askedAt, type Request, resolveTenant } from '../../reference/request.ts'
import { type Instant, policyIn } from '../instants.ts'
import type { Row } from '../rows.ts'
import type { World } from '../world.ts'

/**
 * What a door does with the time of a question: sets it where none is sent, or always; or takes one that is sent for the
 * instant of the whole question (D15).
 */
export type Clock = 'sets' | 'overrides' | 'accepts' | undefined

export class Asked {
  readonly world: World
  readonly request: Request
  /** rows of an application, for doors that tell which of them are meant */
  readonly rows: readonly Row[]
  /** the attributes that a row has: those that a filter does not read change nothing */
  readonly names: readonly string[]
  /** the instant at which it is asked (D15); undefined: that of the clock, about a policy without times */
  readonly t: Instant
  readonly #known = new Map<string, unknown>()

  constructor(
    world: World,
    request: Request,
    rows: readonly Row[],
    names: readonly string[] = ATTRIBUTES,
    t?: Instant,
  ) {
    this.world = world
    this.request = request
    this.rows = rows
    this.names = names
    this.t = t
  }

  /** what is in force */
  get policy(): Policy {
    return this.once('policy', () => policyIn(this.world.policy, this.t))
  }

  /** D2: the tenant in which it is decided. */
  get tenant(): string {
    return resolveTenant(this.policy, this.request)
  }

  /** The same moment, about something else. */
  about(request: Request): Asked {
    return new Asked(this.world, request, this.rows, this.names, this.t)
  }

  once<T>(name: string, find: () => T): T {
    if (!this.#known.has(name)) this.#known.set(name, find())
    return this.#known.get(name) as T
  }

  /** The instant at which a door with such a clock decides the question. */
  instant(clock: Clock): Instant {
    const sent = clock === 'accepts' ? parseInstant(this.request.sent?.context?.now) : undefined
    return sent ?? this.t
  }

  /** What is in force where it does. */
  inForce(clock: Clock): Policy {
    const at = this.instant(clock)
    return at === this.t ? this.policy : policyIn(this.world.policy, at)
  }

  /** The question as a door with such a clock takes it. */
  at(clock: Clock): Request {
    const { request } = this
    if (clock === undefined) return request
    const { now: _, ...context } = request.sent?.context ?? {}
    const untimed =
      clock === 'sets' || clock === 'accepts' ? request : { ...request, sent: { ...request.sent, context } }
    return askedAt(untimed, this.t ?? Date.now())
  }

  check = (clock?: Clock): boolean => this.#defined('check', clock, check)
  users = (clock?: Clock): string[] =>
    this.#defined('users', clock, (policy, request) => usersAllowed(policy, aboutUsers(request)))
  instances = (clock?: Clock): string[] => this.#defined('instances', clock, instancesAllowed)
  actions = (clock?: Clock): string[] =>
    this.#defined('actions', clock, (policy, request) => actionsAllowed(policy, aboutActions(request)))
  tenants = (clock?: Clock): string[] => this.#defined('tenants', clock, tenantsAllowed)
  authorized = (clock?: Clock) =>
    this.#defined('authorized', clock, (policy, request) => authorizedUsers(policy, aboutUsers(request)))
  userTenants = (clock?: Clock): string[] => tenantsWithRoles(this.inForce(clock), this.request.user)
  permissions = (clock?: Clock) =>
    this.#defined('permissions', clock, (policy, { user, sent }) => listPermissions(policy, user, aboutUser(sent)))
  instancePermissions = (clock?: Clock) =>
    this.#defined('instance permissions', clock, (policy, { user, sent }) =>
      listInstancePermissions(policy, user, aboutUser(sent)),
    )

  #defined<T>(name: string, clock: Clock, define: (policy: Policy, request: Request) => T): T {
    return this.once(`${name} ${clock}`, () => define(this.inForce(clock), this.at(clock)))
  }
}

/** Listings of users take no attributes of one. */
const aboutUsers = ({ sent: { user: _, ...sent } = {}, ...request }: Request): Request => ({ ...request, sent })

/** Listings of actions take no attributes of one. */
const aboutActions = ({ sent: { action: _, ...sent } = {}, ...request }: Request): Request => ({ ...request, sent })

/** Listings of what a user may do take nothing about an action or a resource. */
const aboutUser = ({ user, context }: NonNullable<Request['sent']> = {}) => {
  return { ...(user === undefined ? {} : { user }), ...(context === undefined ? {} : { context }) }
}
