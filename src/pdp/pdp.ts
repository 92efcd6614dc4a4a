// The decision point that applications hold: synchronous questions to the image in memory. It throws when it cannot decide and never
// answers a false deny. What a decision means is docs/semantics.md; where the image comes from is src/pdp/follower.ts.
import { readFileSync } from 'node:fs'
import { RemoteFeed } from '../client/feed.ts'
import { type Explanation, Image } from '../image/image.ts'
import { Trust } from '../log/signature.ts'
import { ZerohopError } from '../model/errors.ts'
import { DEFAULT_TENANT } from '../model/keys.ts'
import { AT_LEAST_DEFAULT_MS, CONNECT_TIMEOUT_MS } from '../model/limits.ts'
import type { UrlRule } from '../model/objects.ts'
import { Follower, type FollowerEvent, type FollowerState } from './follower.ts'
import { LastImage } from './last-image.ts'
import type {
  AssignmentRow,
  AuthorizedUsers,
  AuthorizedUsersQuery,
  Keys,
  PermissionFilter,
  ResourcesQuery,
  RoleAssignmentsQuery,
  Tenant,
  UserPermissions,
  UsersQuery,
} from './listings.ts'
import * as listing from './listings.ts'
import { type Action, type Attributes, type Check, questionOf, type Resource, type User } from './request.ts'
import { Subject } from './subject.ts'

export type {
  AbacCode,
  Because,
  Explanation,
  FailedSet,
  IllTyped,
  Miss,
  Note,
  RbacCode,
  RebacCode,
  TestFound,
  TestReason,
} from '../image/image.ts'

/** Where a PDP has its image from: a follower, or an image that never changes. */
export interface PdpSource {
  /** the image that may answer; undefined when none may, and `refusal()` says why */
  readonly current: Image | undefined
  readonly state: FollowerState
  refusal(): ZerohopError
  /** why nothing will come any more; undefined while it may */
  readonly ended: ZerohopError | undefined
  ready(): Promise<void>
  atLeast(revision: number, timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/** A decision as `onDecision` gets it. */
export interface Decision {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string }
  readonly allow: boolean
  readonly revision: number
}

export interface PdpOptions {
  /** called after every check; without it the library records nothing. It must not throw. */
  readonly onDecision?: (decision: Decision) => void
}

export class Pdp {
  readonly #source: PdpSource
  readonly #onDecision: ((decision: Decision) => void) | undefined

  /** Applications call `connect`, `loadImage` or `open` instead. */
  constructor(source: PdpSource, options: PdpOptions = {}) {
    this.#source = source
    this.#onDecision = options.onDecision
  }

  /**
   * May `user` do `action` on `resource`? Answered from memory: no I/O, no promise. An unknown name is denied.
   * @throws NOT_READY, STALE, POISONED, ENVIRONMENT_DELETED, KEY_UNKNOWN, CLOSED when it cannot decide; INPUT_INVALID
   */
  check(user: User, action: Action, resource: Resource, context?: Attributes | null): boolean {
    const image = this.#source.current
    if (image === undefined) throw this.#source.refusal()
    // The ordinary forms, without making a question of them: names alone, or a resource with its parts.
    if (typeof action === 'string' && this.#onDecision === undefined) {
      const named = typeof user === 'string'
      const key = named ? user : user?.key
      if (typeof key === 'string') {
        const ofUser = named ? undefined : user.attributes
        if (typeof resource !== 'string') return this.#checkParts(image, key, ofUser, action, resource, context)
        if (isNone(ofUser) && isNone(context)) return checkNamed(image, key, action, resource)
      }
    }
    return this.#checkAny(image, user, action, resource, context)
  }

  /**
   * The answer of `check` when it depends on nothing that may be sent with the question: most questions, and then attributes and
   * context need not be looked at. Undefined when they must be, or when the question names an instance.
   */
  checkUnsent(user: User, action: Action, resource: Resource): boolean | undefined {
    const image = this.#source.current
    if (image === undefined) throw this.#source.refusal()
    if (this.#onDecision !== undefined || typeof resource === 'string' || !isNone(resource.key)) return undefined
    const key = typeof user === 'string' ? user : user.key
    const { type, tenant } = resource
    if (typeof key !== 'string' || typeof action !== 'string' || typeof type !== 'string') return undefined
    return image.checkUnsent(key, action, type, tenant ?? DEFAULT_TENANT)
  }

  /** Names of one user in one tenant, resolved once per image: the fastest way to ask many questions about one user. */
  subject(user: User, options: { readonly tenant?: string } = {}): Subject {
    const { user: key } = questionOf(user, '', '')
    return new Subject(this.#source, key, options.tenant, this.#onDecision)
  }

  /** `check` of each, all at one revision. */
  bulkCheck(checks: readonly Check[]): boolean[] {
    const image = this.#image()
    return checks.map(({ user, action, resource, context }) => this.#checkAny(image, user, action, resource, context))
  }

  /** The same question, with the revision and the path to the answer. Slower than `check`. */
  explain(user: User, action: Action, resource: Resource, context?: Attributes | null): Explanation {
    const question = questionOf(user, action, resource, context)
    return this.#image().explain(
      question.user,
      question.action,
      question.type,
      question.tenant,
      question.key,
      question.sent,
    )
  }

  /** What the user may do: in each tenant, and on each instance where other things are allowed or a role is held. */
  userPermissions(user: User, filter?: PermissionFilter, context?: Attributes | null): UserPermissions {
    return listing.userPermissions(this.#image().listings, user, filter, context)
  }

  /** Who may do the action, and by which roles and user sets. */
  authorizedUsers(query: AuthorizedUsersQuery): AuthorizedUsers {
    return listing.authorizedUsers(this.#image().listings, query)
  }

  /** The stored instances of a type on which the user may do the action, each asked in its own tenant. */
  resources(user: User, action: Action, type: string, query?: ResourcesQuery): Keys {
    return listing.resources(this.#image().listings, user, action, type, query)
  }

  /** The stored users who may do the action. */
  users(action: Action, resource: Resource, query?: UsersQuery): Keys {
    return listing.users(this.#image().listings, action, resource, query)
  }

  /** The actions that the user may do, sorted. */
  actions(user: User, resource: Resource, context?: Attributes | null): string[] {
    return listing.actions(this.#image().listings, user, resource, context)
  }

  /** The tenants in which the user may do the action, by key. A tenant of the resource is not looked at. */
  tenants(user: User, action: Action, resource: Resource, context?: Attributes | null): Tenant[] {
    return listing.tenants(this.#image().listings, user, action, resource, context)
  }

  /** The tenants in which the user has a role, also one on an instance; by key. */
  userTenants(user: User): Tenant[] {
    return listing.userTenants(this.#image().listings, user)
  }

  /** Roles as they were assigned, ordered by user, tenant, instance and role. */
  roleAssignments(query: RoleAssignmentsQuery): AssignmentRow[] {
    return listing.roleAssignments(this.#image().listings, query)
  }

  /** True when the user is stored. */
  knows(user: User): boolean {
    return this.#image().user(questionOf(user, '', '').user) !== 0
  }

  /** Keys of stored users, `most` at most, in no order. */
  userKeys(most: number): string[] {
    return this.#image().listings.userKeys(most)
  }

  /** The roles of tenants with the permissions that each holds itself, by key. */
  tenantRoles(): { key: string; permissions: string[] }[] {
    return this.#image().listings.tenantRoles()
  }

  /** The mapping rules that say which request is which action; the same list until one of them changes. */
  urlRules(): readonly UrlRule[] {
    return this.#image().urlRules()
  }

  /** The revision of the environment that answers; it grows by one with each write. */
  get revision(): number {
    return this.#image().revision
  }

  /** Id of the environment that answers. */
  get environment(): string {
    return this.#image().environment
  }

  /** The tenant that counts for a question about this resource (D2). */
  tenantOf(type: string, tenant: string | undefined, key: string | undefined): string {
    return tenant ?? (key === undefined ? DEFAULT_TENANT : this.#image().tenantOf(type, tenant, key))
  }

  /** Bytes of the image that answers; 0 when there is none. */
  get imageBytes(): number {
    return this.#source.current?.stats().bytes ?? 0
  }

  /** Bytes of the image that nothing uses any more; compaction takes them back. */
  get garbageBytes(): number {
    return this.#source.current?.stats().garbageBytes ?? 0
  }

  /** How current the image is, for health checks. Never throws. */
  get state(): FollowerState {
    return this.#source.state
  }

  /** Why this PDP will never answer again (KEY_UNKNOWN, ENVIRONMENT_DELETED, CLOSED); undefined while it may. */
  get ended(): ZerohopError | undefined {
    return this.#source.ended
  }

  /** Why checks throw now; undefined when they are answered. */
  get refusal(): ZerohopError | undefined {
    return this.#source.current === undefined ? this.#source.refusal() : undefined
  }

  /** Resolves when the PDP answers for the first time; rejects when it never will. */
  ready(): Promise<void> {
    return this.#source.ready()
  }

  /**
   * Read your writes: resolves when checks see `revision`, which every write answers as `x-revision`.
   * @throws REVISION_TIMEOUT when it does not arrive in time
   */
  atLeast(revision: number, options: { readonly timeoutMs?: number } = {}): Promise<void> {
    return this.#source.atLeast(revision, options.timeoutMs ?? AT_LEAST_DEFAULT_MS)
  }

  /** Stops following. Checks throw CLOSED from now on. */
  close(): Promise<void> {
    return this.#source.close()
  }

  #image(): Image {
    const image = this.#source.current
    if (image === undefined) throw this.#source.refusal()
    return image
  }

  #checkParts(
    image: Image,
    user: string,
    ofUser: Attributes | null | undefined,
    action: string,
    resource: Exclude<Resource, string>,
    context: Attributes | null | undefined,
  ): boolean {
    const type = resource?.type
    if (typeof type === 'string') {
      const tenant = resource.tenant ?? undefined
      const key = resource.key ?? undefined
      const ofResource = resource.attributes
      const names =
        (tenant === undefined || typeof tenant === 'string') && (key === undefined || typeof key === 'string')
      if (names && isNone(ofUser) && isNone(ofResource) && isNone(context))
        return image.check(user, action, type, tenant, key)
      if (names && mayBeSent(ofUser) && mayBeSent(ofResource) && mayBeSent(context)) {
        return image.check(user, action, type, tenant, key, {
          user: ofUser,
          action: undefined,
          resource: ofResource,
          context,
        })
      }
    }
    return this.#checkAny(image, { key: user, attributes: ofUser ?? null }, action, resource, context)
  }

  #checkAny(image: Image, user: User, action: Action, resource: Resource, context?: Attributes | null): boolean {
    const question = questionOf(user, action, resource, context)
    const { type, key, tenant, sent } = question
    const allow = image.check(question.user, question.action, type, tenant, key, sent)
    this.#onDecision?.({
      user: question.user,
      action: question.action,
      resource: { type, key, tenant: image.tenantOf(type, tenant, key) },
      allow,
      revision: image.revision,
    })
    return allow
  }
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

function mayBeSent(attributes: Attributes | null | undefined): boolean {
  return isNone(attributes) || (typeof attributes === 'object' && !Array.isArray(attributes))
}

/** No type has a colon in its key, so `type:key` names no permission and is asked again by its parts. */
function checkNamed(image: Image, user: string, action: string, resource: string): boolean {
  const permission = image.permission(resource, action)
  if (permission !== 0) return image.checkIds(image.user(user), image.tenant(DEFAULT_TENANT), permission)
  const colon = resource.indexOf(':')
  if (colon < 0) return image.checkIds(0, 0, 0)
  return image.check(user, action, resource.slice(0, colon), undefined, resource.slice(colon + 1))
}

export interface ConnectOptions extends PdpOptions {
  /** address of the management API, such as `http://localhost:8080` */
  readonly url: string
  /** key of the environment to follow */
  readonly apiKey: string
  /** keeps the last image on disk, sealed with the key, and starts from it while the management API cannot be reached */
  readonly cacheFile?: string
  /** checks throw STALE when the last sign of the management API is older; default never */
  readonly maxStalenessMs?: number
  /** Ed25519 public key as PEM: images and deltas are believed only when they are signed with its private key */
  readonly publicKey?: string
  /** milliseconds to wait for the first image; 0 returns at once, and checks throw NOT_READY until it is there */
  readonly timeoutMs?: number
  /** hears of trouble with the feed; never called per check */
  readonly onEvent?: (event: FollowerEvent) => void
}

/**
 * A PDP in this process that follows an environment of a management API.
 * @throws KEY_UNKNOWN, KEY_TOO_NARROW, ENVIRONMENT_DELETED, or NOT_READY when no image came in time
 */
export async function connect(options: ConnectOptions): Promise<Pdp> {
  const { url, apiKey, cacheFile, maxStalenessMs, onEvent, timeoutMs = CONNECT_TIMEOUT_MS } = options
  const trust = options.publicKey === undefined ? undefined : new Trust(options.publicKey)
  let last: ZerohopError | undefined
  const follower = new Follower({
    feed: new RemoteFeed({ url, apiKey, trust }),
    trust,
    ...(maxStalenessMs === undefined ? {} : { maxStalenessMs }),
    ...(cacheFile === undefined ? {} : { lastImage: new LastImage(cacheFile, apiKey) }),
    report: (event) => {
      if (event.event === 'trouble') last = event.error
      onEvent?.(event)
    },
  })
  const pdp = new Pdp(follower, options)
  if (timeoutMs === 0) return pdp
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(last ?? new ZerohopError('NOT_READY')), timeoutMs)
  })
  try {
    await Promise.race([follower.ready(), late])
    return pdp
  } catch (error) {
    await pdp.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A PDP over one image file, which never changes. With `publicKey` (Ed25519, PEM) it must be signed.
 * @throws IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID
 */
export function loadImage(
  image: Uint8Array | string | URL,
  { publicKey, ...options }: PdpOptions & { readonly publicKey?: string | undefined } = {},
): Pdp {
  const trust = publicKey === undefined ? undefined : new Trust(publicKey)
  return new Pdp(new FixedImage(Image.load(image instanceof URL ? readFileSync(image) : image, { trust })), options)
}

class FixedImage implements PdpSource {
  current: Image | undefined

  constructor(image: Image) {
    this.current = image
  }

  get state(): FollowerState {
    return { revision: this.current?.revision, ageMs: undefined, source: 'file', stale: false }
  }

  get ended(): ZerohopError | undefined {
    return this.current === undefined ? this.refusal() : undefined
  }

  refusal(): ZerohopError {
    return new ZerohopError('CLOSED', { what: 'the PDP' })
  }

  ready(): Promise<void> {
    return Promise.resolve()
  }

  atLeast(revision: number, timeoutMs: number): Promise<void> {
    if (this.current === undefined) return Promise.reject(this.refusal())
    const have = this.current.revision
    if (have >= revision) return Promise.resolve()
    return Promise.reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have }))
  }

  close(): Promise<void> {
    this.current = undefined
    return Promise.resolve()
  }
}
