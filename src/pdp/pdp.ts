// The decision point in an application: synchronous checks against the image in memory. It throws when it cannot
// decide; an error is never turned into a deny. docs/semantics.md defines decisions; src/pdp/follower.ts provides the
// image. The file is long because it is the public API of the library: short methods with their documentation.
import { whyTree } from '../image/explain/why-tree.ts'
import { type Explanation, Image } from '../image/image.ts'
import type { CompiledModule } from '../kernel/module.ts'
import { Trust } from '../log/signature.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Filter } from '../model/filter.ts'
import { AT_LEAST_DEFAULT_MS } from '../model/limits.ts'
import { isMarkedRow } from '../model/marked-row.ts'
import type { UrlRule } from '../model/objects.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { Why } from '../model/why.ts'
import type { FollowerState } from './answering.ts'
import { FixedImage } from './fixed-image.ts'
import { type ImageInput, imageInput } from './image-input.ts'
import type {
  AssignmentRow,
  AuthorizedUsers,
  AuthorizedUsersQuery,
  Keys,
  Page,
  PermissionPage,
  RoleAssignmentsQuery,
  Tenant,
  UserPermissions,
  UsersQuery,
} from './pdp-listings.ts'
import * as listing from './pdp-listings.ts'
import {
  type Decision,
  type DecisionCounts,
  type DecisionListener,
  type DecisionRecorder,
  makeListener,
  type PdpSource,
  type Taken,
} from './pdp-source.ts'
import { Permission } from './permission.ts'
import { listInTurns, type PermissionParts } from './permission-turns.ts'
import type {
  ActionIn,
  ActionObject,
  ActionOf,
  CheckIn,
  FilterOptionsIn,
  PermissionFilterIn,
  PolicyTypes,
  ResourceIn,
  ResourceObject,
  ResourcesQueryIn,
  TypeOf,
  UserIn,
} from './policy-types.ts'
import type { AttributeNames } from './recorded-question.ts'
import {
  type Action,
  type Attributes,
  answerEach,
  copyList,
  copyParts,
  findUserKey,
  isNone,
  mayBeSent,
  type Resource,
  requireFilterOptions,
  resolveTime,
  toQuestion,
  toRelations,
  type User,
  unreadable,
} from './request.ts'
import { makeSnapshot, type SnapshotOptions } from './snapshot.ts'
import { SourceAt } from './source-at.ts'
import { requireFilter, requireNames } from './strict-names.ts'
import { Subject } from './subject.ts'

export type { Because, Explanation, RebacCode } from '../image/image.ts'
export type { Decision, DecisionCounts, PdpSource } from './pdp-source.ts'

export interface PdpOptions {
  /** called after every check; by default nothing is recorded. It must not throw. */
  readonly onDecision?: (decision: Decision) => void
  /**
   * refuses request attributes that are not of their declared type, and a `context.now` that is not an instant, such as
   * a `Date` (ATTRIBUTE_ILL_TYPED); by default they count as missing (D7: missing values)
   */
  readonly strictAttributes?: boolean
  /**
   * refuses names that the policy does not have (UNKNOWN_NAME): resource types, actions, tenants, relations; by default
   * they are denied (D1: unknown keys). An unknown user is always denied.
   */
  readonly strict?: boolean
}

/** The decision point. With the `Policy` that `zerohop types` prints, questions may only name what the policy has. */
export class Pdp<out P extends PolicyTypes = PolicyTypes> {
  readonly #source: PdpSource
  readonly #options: PdpOptions
  readonly #recorder: DecisionRecorder | undefined
  readonly #onDecision: DecisionListener | undefined
  readonly #strict: boolean
  readonly #strictNames: boolean
  /** true when checks are neither recorded nor strict */
  readonly #isPlain: boolean

  /** Applications call `connect`, `loadImage` or `open` instead. */
  constructor(source: PdpSource, options: PdpOptions = {}, recorder?: DecisionRecorder) {
    this.#source = source
    this.#options = options
    this.#recorder = recorder
    this.#onDecision = makeListener(recorder, options.onDecision)
    this.#strict = options.strictAttributes ?? false
    this.#strictNames = options.strict ?? false
    this.#isPlain = this.#onDecision === undefined && !this.#strict && !this.#strictNames
  }

  /**
   * Whether `user` may do `action` on `resource`. Answered from memory: no I/O, no promise. Unknown keys are denied. Where no
   * one is signed in, `user` is `null`: what everybody has is all that counts (D16).
   * @throws NOT_READY, STALE, POISONED, UNDECIDED, ENVIRONMENT_DELETED, KEY_UNKNOWN, CLOSED when it cannot decide;
   * INPUT_INVALID
   */
  check<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    context?: Attributes | null,
  ): boolean {
    const image = this.#source.take()
    // Fast path for the usual forms, which need no intermediate object: keys only, or a resource with its parts.
    if (typeof action !== 'string' || !this.#isPlain) return this.#checkOne(image, user, action, resource, context)
    try {
      const named = typeof user === 'string'
      const key = named ? user : user?.key
      if (typeof key === 'string') {
        const ofUser = named ? undefined : user!.attributes
        if (typeof resource !== 'string') return this.#checkParts(image, key, ofUser, action, resource, context)
        if (isNone(ofUser) && isNone(context)) return checkNamed(image, key, action, resource)
      }
    } catch (error) {
      throw unreadable(error)
    }
    return this.#checkOne(image, user, action, resource, context)
  }

  /**
   * The answer of `check` when no request attribute can change it, as for most checks: attributes and context then need
   * not be read. Undefined when they must be, or when the check names an instance or sends relations.
   */
  checkWithoutAttributes(user: User, action: Action, resource: Resource): boolean | undefined {
    const image = this.#source.take()
    if (!this.#isPlain || typeof resource === 'string' || !isNone(resource.key) || !isNone(resource.relations))
      return undefined
    const key = findUserKey(user)
    const { type, tenant } = resource
    if (typeof key !== 'string' || typeof action !== 'string' || typeof type !== 'string') return undefined
    return image.checkWithoutAttributes(key, action, type, tenant ?? undefined)
  }

  /**
   * One user in one tenant, resolved once per image: the fastest way for many checks of one user. It takes no request
   * attributes.
   * @throws INPUT_INVALID with attributes of the user: those are for `check`
   */
  subject(user: UserIn<P>, options?: { readonly tenant?: P['tenants'] | null } | null): Subject<P> {
    const { user: key, tenant, sent } = toQuestion(user, '', { type: '', tenant: options?.tenant ?? null })
    if (sent !== undefined)
      throw new ZerohopError('INPUT_INVALID', { reason: 'a subject takes no attributes: use check' })
    return new Subject(this.#source, key, tenant, { onDecision: this.#onDecision, strict: this.#strictNames })
  }

  /**
   * One action on one resource type, resolved once per image: the fastest way for one question about many users. It
   * takes no request attributes.
   * @throws INPUT_INVALID without two keys, or with an instance, which is named where it is asked
   */
  permission<T extends TypeOf<P>>(action: ActionOf<P, T>, type: T): Permission<P> {
    if (typeof action !== 'string' || typeof type !== 'string' || type.includes(':'))
      throw new ZerohopError('INPUT_INVALID', { reason: 'a permission is an action on a resource type, as keys' })
    return new Permission(this.#source, action, type, { onDecision: this.#onDecision, strict: this.#strictNames })
  }

  /**
   * `check` of each, all at one revision. @throws what a check throws; UNDECIDED names the undecided check (D13:
   * undecided is not a deny)
   */
  bulkCheck<C extends CheckIn<P>>(checks: readonly C[]): boolean[] {
    return this.#asked((image) =>
      answerEach(copyList(checks, 'checks', 'a list of checks'), (check) => {
        const { user, action, resource, context } = copyParts(check)
        return this.#checkAny(image, user, action, resource, context)
      }),
    )
  }

  /** The decision of `check` with the revision and its reasons. Slower than `check`. */
  explain<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    context?: Attributes | null,
  ): Explanation {
    return this.#explained((image, ...asked) => image.explain(...asked), user, action, resource, context)
  }

  /**
   * The decision of `check` as a tree of sentences for people: what allows; else the nearest ways, and what is missing
   * on each. Slower than `explain`.
   */
  why<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    context?: Attributes | null,
  ): Why {
    return this.#explained((image, ...asked) => whyTree(image.explainWays(...asked)), user, action, resource, context)
  }

  #explained<R>(
    explain: (image: Image, ...asked: Parameters<Image['explain']>) => R,
    user: User,
    action: Action,
    resource: Resource,
    context?: Attributes | null,
  ): R {
    return this.#asked((image) => {
      const question = toQuestion(user, action, resource, context)
      const { type, tenant, key, sent, relations, isRow } = question
      if (this.#strictNames) requireNames(image.names, question)
      if (this.#strict) image.requireDeclared(type, sent)
      return explain(image, question.user, question.action, type, tenant, key, sent, relations, isRow)
    })
  }

  /**
   * The rows of your own for which the user may do the action: data that `zerohop/filters` turns into a condition of a
   * database query. A row matches exactly when `check` allows it with the attributes and relations of the row
   * (docs/filters.md).
   * @throws FILTER_REFUSED where a condition cannot be expressed for a row; LISTING_TOO_LARGE; INPUT_INVALID without a
   *   tenant; what a check throws
   */
  filter<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    type: T,
    options: FilterOptionsIn<P>,
  ): Filter {
    return this.#asked((image) => {
      const { context, tenant, tenantColumnIsAuthoritative } = requireFilterOptions(options)
      const question = toQuestion(user, action, { type, tenant }, context)
      if (this.#strictNames) requireNames(image.names, question)
      if (this.#strict) image.requireDeclared(type, question.sent)
      const { user: key, action: name, sent } = question
      const isTenantColumnAuthoritative = tenantColumnIsAuthoritative !== false
      return image.filter({ user: key, action: name, type, tenant, sent, isTenantColumnAuthoritative })
    })
  }

  /**
   * What the user may do, as data by which `zerohop/browser` decides in a page (docs/browser.md). Read by the user:
   * what it tells is in that document.
   * @throws LISTING_TOO_LARGE: name fewer tenants, types or actions; INPUT_INVALID; what a check throws
   */
  snapshot(user: User, options?: SnapshotOptions | null): Snapshot {
    return this.#asked((image) => makeSnapshot(image, user, options ?? {}, this.#strict, this.#source.now))
  }

  /**
   * The permissions of the user: in each tenant, and on each instance where they differ or the user has a role. It takes
   * as long as there is to read, and has at most 100,000 entries: beyond, ask for pages.
   * @throws LISTING_TOO_LARGE; what a check throws
   */
  userPermissions<T extends TypeOf<P>>(
    user: UserIn<P>,
    filter?: PermissionFilterIn<P, T> | null,
    context?: Attributes | null,
  ): UserPermissions {
    return this.#asked((image) =>
      listing.userPermissions(this.#permissions(image, user, filter, context), user, filter, context),
    )
  }

  /**
   * The same in pages of bounded work, for users who may do much: at one revision, all pages together are the answer of
   * `userPermissions`. `after` is `next` of the page before.
   */
  userPermissionsPage<T extends TypeOf<P>>(
    user: UserIn<P>,
    query?: (PermissionFilterIn<P, T> & Page) | null,
    context?: Attributes | null,
  ): PermissionPage {
    return this.#asked((image) =>
      listing.userPermissionsPage(this.#permissions(image, user, query, context), user, query, context),
    )
  }

  /**
   * `userPermissions` for a server: in turns of some milliseconds, between which other requests are answered, and yet at
   * one revision. Answers what `toPart` makes of the entries of each turn.
   * @throws LISTING_TOO_LARGE, OVERLOADED; what a check throws
   */
  async userPermissionsInTurns<T, R extends TypeOf<P>>(
    user: UserIn<P>,
    filter: PermissionFilterIn<P, R> | null | undefined,
    context: Attributes | null | undefined,
    toPart: (part: UserPermissions) => T,
  ): Promise<PermissionParts<T>> {
    return listInTurns(this.#source, {
      user: listing.keyOfUser(user),
      open: (image) => listing.openPermissions(this.#permissions(image, user, filter, context), user, filter, context),
      toPart: (rows) => toPart(Object.fromEntries(rows)),
    })
  }

  /** Who may do the action, and by which roles and user sets. */
  authorizedUsers<T extends TypeOf<P>>(
    query: AuthorizedUsersQuery & { readonly action: ActionIn<P, T>; readonly resource: ResourceIn<P, T> },
  ): AuthorizedUsers {
    return this.#asked((image) =>
      listing.authorizedUsers(this.#listings(image, undefined, query.context, query.resource, query.action), query),
    )
  }

  /** The stored instances of a type on which the user may do the action, each checked in its own tenant. */
  resources<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    type: T,
    query?: ResourcesQueryIn<P, T> | null,
  ): Keys {
    const resource = { type, tenant: query?.tenant ?? null, attributes: query?.attributes ?? null }
    return this.#asked((image) =>
      listing.resources(this.#listings(image, user, query?.context, resource, action), user, action, type, query),
    )
  }

  /** The stored users who may do the action. */
  users<T extends TypeOf<P>>(
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    query?: UsersQuery | null,
  ): Keys {
    return this.#asked((image) =>
      listing.users(this.#listings(image, undefined, query?.context, resource, action), action, resource, query),
    )
  }

  /** The actions that the user may do, sorted. */
  actions<T extends TypeOf<P>>(
    user: UserIn<P>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    context?: Attributes | null,
  ): ActionOf<P, T>[] {
    return this.#asked(
      (image) =>
        listing.actions(this.#listings(image, user, context, resource), user, resource, context) as ActionOf<P, T>[],
    )
  }

  /** The tenants in which the user may do the action, by key. A tenant of the resource is ignored. */
  tenants<T extends TypeOf<P>>(
    user: UserIn<P>,
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
    context?: Attributes | null,
  ): Tenant[] {
    return this.#asked((image) =>
      listing.tenants(this.#listings(image, user, context, resource, action), user, action, resource, context),
    )
  }

  /** The tenants in which the user has a role, also one on an instance; by key. */
  userTenants(user: User): Tenant[] {
    return this.#asked((image) => listing.userTenants(image.listings, user))
  }

  /** Roles as they were assigned, ordered by user, tenant, instance and role. */
  roleAssignments(query: RoleAssignmentsQuery): AssignmentRow[] {
    return this.#asked(({ names, listings }) => {
      if (this.#strictNames) requireNames(names, { type: query.resource, tenant: query.tenant })
      return listing.roleAssignments(listings, query)
    })
  }

  /** True when the user is stored. */
  knows(user: User): boolean {
    return this.#source.take().user(toQuestion(user, '', '').user) !== 0
  }

  /** Keys of stored users, at most `limit`, in arbitrary order. */
  userKeys(limit: number): string[] {
    return this.#source.take().listings.userKeys(limit)
  }

  /** The permissions attached to a role of a tenant itself, by its whole key. */
  rolePermissions(key: string): string[] {
    return this.#source.take().listings.rolePermissions(key)
  }

  /** The roles in tenants of the environment, with the permissions attached to each itself, by key. */
  tenantRoles(): { key: string; permissions: string[] }[] {
    return this.#source.take().listings.tenantRoles()
  }

  /** The mapping rules from requests to actions; the same list until one of them changes. */
  urlRules(): readonly UrlRule[] {
    return this.#source.take().urlRules()
  }

  /**
   * Answers one request: all questions that `work` asks are answered from one image, at one revision and one instant, or
   * refused together. `work` must not await.
   */
  asOneRequest<R>(work: () => R): R {
    return this.#source.asOne(work)
  }

  /**
   * The same PDP at an instant (D15), in ms since 1970: what has times is in force or not at it, and it is `context.now` of
   * questions that have none. It follows as this one does; it is closed with this one.
   * @throws INPUT_INVALID when it is not a finite number
   */
  at(now: number): Pdp<P> {
    if (!Number.isFinite(now))
      throw new ZerohopError('INPUT_INVALID', { reason: 'an instant is a number of milliseconds since 1970' })
    return new Pdp<P>(new SourceAt(this.#source, now), this.#options, this.#recorder)
  }

  /** What this request is answered from. @throws what a check throws */
  take(): Taken {
    const { revision, environment } = this.#source.take()
    return { revision, environment }
  }

  /** The instant of this request, in ms since 1970: the clock is read when it is first asked for, and once. */
  get now(): number {
    return this.#source.now
  }

  /**
   * The revision of the environment that answers; it grows by one with each write. Undefined while none answers: see
   * `refusal`.
   */
  get revision(): number | undefined {
    return this.#answering?.revision
  }

  /** Id of the environment that answers; undefined while none answers. */
  get environment(): string | undefined {
    return this.#answering?.environment
  }

  /** The tenant in which a check of this resource is decided (D2: which tenant). */
  tenantOf(type: string, tenant: string | undefined, key: string | undefined): string {
    return this.#source.take().resolveTenant(type, tenant, key)
  }

  /** Names of the request attributes that the rules of a permission read, by subject: for records of decisions. */
  attributesRead(type: string, action: string): AttributeNames {
    return this.#source.take().attributesRead(type, action)
  }

  /** The revision of the image that is held, whatever its age; undefined without one. */
  get imageRevision(): number | undefined {
    return this.#source.peek()?.revision
  }

  /** Bytes of the image that is held, whatever its age; 0 without one. */
  get imageBytes(): number {
    return this.#source.peek()?.stats().bytes ?? 0
  }

  /** Unused bytes of the image, which compaction reclaims. */
  get garbageBytes(): number {
    return this.#source.peek()?.stats().garbageBytes ?? 0
  }

  /** How often conditions met a value, sent or stored, that is not of its declared type; for metrics. */
  get illTyped(): number {
    return this.#source.illTyped
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
    return this.#source.refusal()
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

  /**
   * For a server that answers a write whose caller does not wait for its change: the change is not decided by before
   * the returned function is called, and then within a window of 20 ms. Bounded: ANSWER_HOLD_MS.
   */
  hold(): () => void {
    return this.#source.hold()
  }

  /** What became of the records of its decisions; undefined unless `connect` was asked for them. */
  get decisionLog(): DecisionCounts | undefined {
    return this.#recorder?.counts
  }

  /** Stops following: checks throw CLOSED from now on. Sends the records of decisions that wait, for at most 2 s. */
  async close(): Promise<void> {
    await this.#source.close()
    if (!(this.#source instanceof SourceAt)) await this.#recorder?.close()
  }

  /** The image that would answer now; undefined when none would. Never throws. */
  get #answering(): Image | undefined {
    return this.#source.refusal() === undefined ? this.#source.peek() : undefined
  }

  /** One question, or many of one request, and all that is asked while they are answered. */
  #asked<R>(work: (image: Image) => R): R {
    return this.#source.asOne(() => work(this.#source.take()))
  }

  #checkOne(image: Image, user: User, action: Action, resource: Resource, context?: Attributes | null): boolean {
    this.#source.enter(image)
    try {
      return this.#checkAny(image, user, action, resource, context)
    } finally {
      this.#source.leave()
    }
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
      const relations = isNone(resource.relations) ? undefined : toRelations(resource.relations)
      const isRow = key !== undefined && isMarkedRow(resource)
      if (names && isNone(ofUser) && isNone(ofResource) && isNone(context))
        return image.check(user, action, type, tenant, key, undefined, relations, isRow)
      if (names && mayBeSent(ofUser) && mayBeSent(ofResource) && mayBeSent(context)) {
        const sent = { user: ofUser, action: undefined, resource: ofResource, context }
        this.#source.enter(image)
        try {
          return image.check(user, action, type, tenant, key, sent, relations, isRow)
        } finally {
          this.#source.leave()
        }
      }
    }
    return this.#checkOne(image, { key: user, attributes: ofUser ?? null }, action, resource, context)
  }

  #permissions<T extends TypeOf<P>>(
    image: Image,
    user: User,
    filter: PermissionFilterIn<P, T> | null | undefined,
    context: Attributes | null | undefined,
  ) {
    if (this.#strictNames) requireFilter(image.names, filter ?? {})
    return this.#listings(image, user, context)
  }

  /** The listings of the image, after the strict validation of names and request attributes. */
  #listings(image: Image, user: User = '', context?: Attributes | null, resource?: Resource, action?: Action) {
    if (this.#strictNames && resource !== undefined) {
      const question = toQuestion('', action ?? '', resource)
      requireNames(image.names, action === undefined ? { ...question, action } : question)
    }
    if (this.#strict) {
      const { type, sent } = toQuestion(user, '', resource ?? '', context)
      image.requireDeclared(type, sent)
    }
    return image.listings
  }

  #checkAny(image: Image, user: User, action: Action, resource: Resource, context?: Attributes | null): boolean {
    const question = toQuestion(user, action, resource, context)
    const { type, key, tenant, sent, relations, isRow } = question
    if (this.#strictNames) requireNames(image.names, question)
    if (this.#strict && sent !== undefined) image.requireDeclared(type, sent)
    const allow = image.check(question.user, question.action, type, tenant, key, sent, relations, isRow)
    if (this.#onDecision === undefined) return allow
    const asked = { user: question.user, action: question.action }
    const decidedOn = { type, key, tenant: image.resolveTenant(type, tenant, key) }
    const instant = this.#source.nowRead
    const now = resolveTime(sent, instant)
    this.#onDecision(image, { ...asked, resource: decidedOn, allow, revision: image.revision, now, instant }, question)
    return allow
  }
}

/** Keys of types have no colon, so `type:key` matches no permission and is checked again by its parts. */
function checkNamed(image: Image, user: string, action: string, resource: string): boolean {
  const permission = image.permission(resource, action)
  if (permission !== 0) return image.checkIn(user, undefined, permission)
  const colon = resource.indexOf(':')
  if (colon < 0) return image.checkIn(user, undefined, 0)
  return image.check(user, action, resource.slice(0, colon), undefined, resource.slice(colon + 1))
}

export interface LoadOptions extends PdpOptions {
  /** Ed25519 public key as PEM: the image is accepted only when it is signed with its private key */
  readonly publicKey?: string | undefined
  /**
   * the compiled `WebAssembly.Module` of `zerohop/kernel.wasm`, for runtimes that forbid compiling; default the
   * packaged kernel
   */
  readonly kernel?: CompiledModule | undefined
  /**
   * false: an image that no one signed is not verified, which takes most of the time of loading it. Only for files that
   * no one else can have written. One that is verified by its signature needs none
   */
  readonly verify?: boolean | undefined
}

/**
 * A PDP over one image, which never changes: its bytes, or the path or URL of its file.
 * @throws IMAGE_UNREADABLE, IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID; INPUT_INVALID when `image` is anything else
 */
export function loadImage<P extends PolicyTypes = PolicyTypes>(image: ImageInput, options: LoadOptions = {}): Pdp<P> {
  const { publicKey, kernel = 'release', verify = true } = options
  const trust = publicKey === undefined ? undefined : new Trust(publicKey)
  return new Pdp(
    new FixedImage(Image.load(imageInput(image), { trust, kernel, ...(verify ? {} : { verified: true }) })),
    options,
  )
}
