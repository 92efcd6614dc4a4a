// The image: the whole policy of one environment at one revision in kernel memory, queried by keys. It has everything
// that a check needs. An image belongs to one thread; nothing here depends on feeds, data folders or HTTP. The class is
// large because it is the one public surface over the kernel: every member needs the private kernel and the rule that a
// broken image answers nothing. All other work is in the folders next to this file.
import { ASK_SETS, ASK_TIME, ASK_USER, Fault, Verdict } from '../../assembly/limits.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isStackExhausted, type KernelSource } from '../kernel/module.ts'
import type { PolicyKind } from '../kinds/index.ts'
import type { LogId, Position } from '../log/change.ts'
import type { Delta, PolicyChange } from '../log/delta.ts'
import type { Trust } from '../log/signature.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import type { Filter } from '../model/filter.ts'
import { CHANGES_IN_TURN } from '../model/limits.ts'
import type { UrlRule } from '../model/objects.ts'
import { buildKernel } from './build/build.ts'
import { makeGuarded } from './closed-guard.ts'
import { fold, toChanges } from './contents.ts'
import { AttributeTypes } from './decide/declared-types.ts'
import { walkInstanceRoles } from './decide/effective-roles.ts'
import { type Held, HeldRoles } from './decide/held-roles.ts'
import { type Clock, RequiredAttributes, type Sent } from './decide/required-attributes.ts'
import { type SentRelation, SentRelations } from './decide/sent-relations.ts'
import { instanceOfRow, resolveTenant } from './decide/tenant-of-check.ts'
import { explainQuestion } from './explain/explain.ts'
import type { Explanation } from './explain/explanation.ts'
import { type Explained, findWays } from './explain/ways.ts'
import {
  copyKernel,
  copyKernelSlowly,
  hashImage,
  loadKernel,
  loadKernelSlowly,
  type Pause,
  saveKernel,
  saveKernelSlowly,
} from './file/image-file.ts'
import { type FilterIds, type FilterQuestion, Filters, type KeptFilter } from './filter/filters.ts'
import { Listings } from './list/listings.ts'
import { PolicyNames } from './list/policy-names.ts'
import { LiveIds } from './live-ids.ts'
import { findInstance } from './look-up.ts'
import { read, readConfigs } from './read-records.ts'
import { nextChangeFor } from './records/grant.ts'
import { hasTimes, imageEnvironment, imagePosition, writeEnvironment, writePosition } from './records/header.ts'
import { instanceTenant } from './records/instance.ts'
import { atInstant, noInstant } from './records/times.ts'
import { type ImageStats, readStats } from './stats.ts'
import { commit } from './update/apply.ts'
import { type Plan, prepare } from './update/prepare.ts'

export type * from './explain/explanation.ts'
export type { Clock, Held, KernelSource, Sent, SentRelation }

export interface ImageOptions {
  /** default 'release' */
  readonly kernel?: KernelSource
  /** accepts an image only when it is signed accordingly */
  readonly trust?: Trust | undefined
  /**
   * the bytes are known to be sound: this process made them, or they are sealed with a key of its own. Otherwise an
   * image that no one signed is verified before it answers anything
   */
  readonly verified?: boolean
}

export class Image {
  readonly environment: LogId
  readonly #source: KernelSource
  readonly #kernel: Kernel
  readonly #ids: LiveIds
  readonly #held: HeldRoles
  readonly #required: RequiredAttributes
  readonly #related: SentRelations
  #listings: Listings | undefined
  #filters: Filters | undefined
  #names: PolicyNames | undefined
  readonly #attributeTypes: AttributeTypes
  /** the kernel's `decideByRoles`; replaced when the image is poisoned */
  #decideByRoles: (roles: number, permission: number) => number
  #position: Position
  #poisoned = false
  /** what tells the memory of this image from all others */
  readonly #memory = {}
  /** the memory that this one was copied from, and its revision then */
  #copyOf: { readonly memory: object; readonly revision: number } | undefined
  /** cached until they change */
  #urlRules: readonly UrlRule[] | undefined

  private constructor(kernel: Kernel, source: KernelSource) {
    this.#kernel = kernel
    this.#required = new RequiredAttributes(kernel)
    this.#ids = new LiveIds(kernel)
    this.#held = new HeldRoles(kernel, this.#ids)
    this.#related = new SentRelations(kernel, this.#ids)
    this.#attributeTypes = new AttributeTypes(kernel)
    this.#source = source
    this.#decideByRoles = kernel.calls.decideByRoles
    this.environment = imageEnvironment(kernel)
    this.#position = imagePosition(kernel)
  }

  /** The canonical image of the folded changes. @throws DELTA_INVALID on a dangling reference */
  static build(
    environment: LogId,
    position: Position,
    changes: Iterable<PolicyChange>,
    options: ImageOptions = {},
  ): Image {
    const source = options.kernel ?? 'release'
    const kernel = buildKernel(fold(changes), source)
    writeEnvironment(kernel, environment)
    writePosition(kernel, position)
    return new Image(kernel, source)
  }

  /**
   * `build` in many short turns: `pause` is awaited between them. No change may refer to a later one, but for roles and
   * condition sets. Gives the same answers, not the same bytes.
   */
  static async buildSlowly(
    environment: LogId,
    position: Position,
    changes: Iterable<PolicyChange>,
    pause: Pause,
  ): Promise<Image> {
    const image = Image.build(environment, position, [])
    let piece: PolicyChange[] = []
    const put = async (): Promise<void> => {
      for (const _ of image.#carryingOut(piece, position.revision));
      piece = []
      await pause()
    }
    for (const change of changes) {
      if (piece.length >= CHANGES_IN_TURN && FACTS.has(change.kind)) await put()
      piece.push(change)
    }
    await put()
    return image
  }

  /**
   * The image of a file: its bytes or its path. @throws IMAGE_UNREADABLE, IMAGE_DAMAGED, IMAGE_FOREIGN,
   * SIGNATURE_INVALID, IMAGE_FULL
   */
  static load(input: Uint8Array | string, options: ImageOptions = {}): Image {
    const source = options.kernel ?? 'release'
    return new Image(loadKernel(input, source, options.trust), source).#verifiedFor(options)
  }

  /** `load` for bytes, in many short turns but for the verification: `pause` is awaited between two pieces. */
  static async loadSlowly(bytes: Uint8Array, pause: Pause, options: ImageOptions = {}): Promise<Image> {
    const source = options.kernel ?? 'release'
    return new Image(await loadKernelSlowly(bytes, source, pause, options.trust), source).#verifiedFor(options)
  }

  /** This image, when it is sound or may be believed. @throws IMAGE_DAMAGED */
  #verifiedFor({ trust, verified = trust !== undefined }: ImageOptions): this {
    if (!verified) this.verify()
    return this
  }

  /**
   * From now on the instant of questions comes from this clock: when what they meet has times (D15), and `context.now` of
   * those that have none (D8).
   */
  useClock(clock: Clock): void {
    this.#required.clock = clock
  }

  /**
   * This image as it answers at an instant, in ms since 1970. It has the same memory, and keeps ids of its own: it is good
   * until the next delta.
   */
  at(now: number): Image {
    this.#requireSound()
    const image = new Image(this.#kernel, this.#source)
    image.useClock(() => now)
    return image
  }

  /** Where the image stands in its environment's log. */
  get position(): Position {
    return this.#position
  }

  get revision(): number {
    return this.#position.revision
  }

  get poisoned(): boolean {
    return this.#poisoned
  }

  /**
   * Whether the user may do the action on the type, or on its instance `key`. Unknown keys are denied (D1: unknown
   * keys). Without a tenant it is that of the stored instance, else `default` (D2: the tenant of a check). Attributes
   * that no rule reads are ignored. `relations` are those sent with the question (D14), checked by the caller. A row
   * (`isRow`) is the stored instance of its key only in the tenant of that one (D2).
   * @throws POISONED, UNDECIDED, INPUT_INVALID on attributes that are not JSON values; an error is never turned into a
   * deny
   */
  check(
    user: string,
    action: string,
    type: string,
    tenant?: string,
    key?: string,
    sent?: Sent,
    relations?: readonly SentRelation[],
    isRow = false,
  ): boolean {
    const permission = this.permission(type, action)
    if (key === undefined && relations === undefined) return this.checkIn(user, tenant, permission, sent)
    const userId = this.user(user)
    const tenantId = tenant === undefined ? undefined : this.tenant(tenant)
    return this.#checkOn(userId, tenantId, permission, { type, key, isRow }, sent, relations)
  }

  /**
   * The answer of `check` without an instance when no request attribute can change it; undefined when set rules must be
   * evaluated.
   */
  checkWithoutAttributes(user: string, action: string, type: string, tenant?: string): boolean | undefined {
    const permission = this.permission(type, action)
    try {
      const held = this.#held
      const place = held.find(user, tenant)
      const roles = held.roles(place)
      const verdict = this.#decideByRoles(roles, permission)
      if (verdict <= Verdict.Allow) return verdict === Verdict.Allow
      const settled = this.#settle(verdict, held.user(place), held.tenant(place), roles, permission)
      return settled === ASK_SETS ? undefined : settled === Verdict.Allow
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** A check with an id of this revision from `permission`; 0 is unknown. */
  checkIn(user: string, tenant: string | undefined, permission: number, sent?: Sent): boolean {
    try {
      const held = this.#held
      const place = held.find(user, tenant)
      const roles = held.roles(place)
      const verdict = this.#decideByRoles(roles, permission)
      if (verdict <= Verdict.Allow) return verdict === Verdict.Allow
      const settled = this.#settle(verdict, held.user(place), held.tenant(place), roles, permission)
      if (settled !== ASK_SETS) return settled === Verdict.Allow
      return this.#bySets(held.user(place), held.tenant(place), permission, sent)
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** The same with what `hold` gave at this revision. */
  checkHeld({ user, tenant, roles }: Held, permission: number): boolean {
    try {
      const verdict = this.#decideByRoles(roles, permission)
      if (verdict <= Verdict.Allow) return verdict === Verdict.Allow
      const settled = this.#settle(verdict, user, tenant, roles, permission)
      if (settled !== ASK_SETS) return settled === Verdict.Allow
      return this.#bySets(user, tenant, permission, undefined)
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** What the user holds in the tenant, or in `default` without a key. The next delta may end it, or change it. */
  hold(user: string, tenant?: string): Held {
    try {
      const held = this.#held
      const place = held.find(user, tenant)
      return { user: held.user(place), tenant: held.tenant(place), roles: held.roles(place) }
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** A check on an instance, with ids of this revision; `tenant` is undefined when the request names none. */
  checkIdsOn(user: number, tenant: number | undefined, permission: number, type: string, key: string): boolean {
    return this.#checkOn(user, tenant, permission, { type, key, isRow: false }, undefined, undefined)
  }

  /**
   * What roles alone say, where they did not say it at once: the instant is asked for, or the user is looked at, also
   * because of what the roles say at the instant.
   */
  #settle(verdict: number, user: number, tenant: number, roles: number, permission: number): number {
    const ofRoles =
      /* canary: roles-without-an-instant */ verdict === ASK_TIME
        ? this.#atInstant(() => this.#decideByRoles(roles, permission))
        : verdict
    if (ofRoles !== ASK_USER) return ofRoles
    const ask = () => this.#kernel.calls.decide(user, tenant, permission)
    const asked = ask()
    return /* canary: users-without-an-instant */ asked === ASK_TIME ? this.#atInstant(ask) : asked
  }

  /**
   * Asks again what met times (D15), at the instant of the request; it is taken back at once, so that no later question is
   * answered at it. `ask` must run no code of the caller.
   */
  #atInstant(ask: () => number): number {
    const kernel = this.#kernel
    const { clock } = this.#required
    if (clock === undefined) throw noInstant()
    kernel.now = clock()
    try {
      return atInstant(ask())
    } finally {
      /* canary: instant-left-by-checks */ kernel.now = Number.NaN
    }
  }

  /** The result of set rules for a check without an instance that roles do not allow. */
  #bySets(user: number, tenant: number, permission: number, sent: Sent | undefined): boolean {
    const end = this.#required.encode(permission, undefined, sent)
    let verdict = this.#kernel.calls.decideSets(user, tenant, permission, 0, 0, end)
    if (verdict === ASK_TIME) verdict = this.#decideSetsAtInstant(user, tenant, permission, 0, 0, end)
    if (verdict === Verdict.Undecided) throw new ZerohopError('UNDECIDED', { what: 'the conditions of this question' })
    return verdict === Verdict.Allow
  }

  #decideSetsAtInstant(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    related: number,
    end: number,
  ): number {
    const { calls } = this.#kernel
    const ask = () => calls.decideSets(user, tenant, permission, instance, related, end)
    return /* canary: sets-without-an-instant */ this.#atInstant(ask)
  }

  #checkOn(
    user: number,
    tenantSent: number | undefined,
    permission: number,
    { type, key, isRow }: { readonly type: string; readonly key: string | undefined; readonly isRow: boolean },
    sent: Sent | undefined,
    relations: readonly SentRelation[] | undefined,
  ): boolean {
    this.#requireSound()
    const { calls } = this.#kernel
    let verdict: number
    try {
      const named = findInstance(this.#kernel, type, key)
      const instance = isRow ? instanceOfRow(this.#kernel, named, tenantSent) : named
      const stored = instance === 0 ? 0 : instanceTenant(this.#kernel, instance)
      const tenant = tenantSent ?? (stored === 0 ? this.tenant() : stored) // as resolveTenant
      let related = relations === undefined ? 0 : this.#related.write(type, relations)
      verdict = calls.decideOnRelated(user, tenant, permission, instance, related)
      if (verdict === Verdict.Allow) return true
      if (/* canary: instances-without-an-instant */ verdict === ASK_TIME)
        verdict = this.#decideOnAtInstant(user, tenant, permission, instance, related)
      if ((verdict & ASK_SETS) !== 0) {
        const byRelations = verdict - ASK_SETS
        const end = this.#required.encode(permission, key, sent)
        // Reading attributes may have run code of the caller, and that another question with relations.
        if (relations !== undefined) related = this.#related.write(type, relations)
        verdict = calls.decideSets(user, tenant, permission, instance, related, end)
        if (verdict === ASK_TIME) verdict = this.#decideSetsAtInstant(user, tenant, permission, instance, related, end)
        if (verdict === Verdict.Deny) verdict = byRelations // D13
      }
    } catch (cause) {
      throw this.#broken(cause)
    }
    if (verdict === Verdict.Undecided)
      throw new ZerohopError('UNDECIDED', { what: key === undefined ? type : `${type}:${key}` })
    return verdict === Verdict.Allow
  }

  #decideOnAtInstant(user: number, tenant: number, permission: number, instance: number, related: number): number {
    return this.#atInstant(() => this.#kernel.calls.decideOnRelated(user, tenant, permission, instance, related))
  }

  /** Id of the permission to do `action` on `type` at this revision, 0 when unknown. */
  permission(type: string, action: string): number {
    try {
      return this.#ids.permission(type, action)
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** The key of the tenant in which a check is decided (D2). */
  resolveTenant(type: string, tenant?: string, key?: string): string {
    if (tenant !== undefined || key === undefined) return resolveTenant(this.#kernel, tenant, 0)
    return this.guard(() => resolveTenant(this.#kernel, tenant, findInstance(this.#kernel, type, key)))
  }

  /** Id of a user at this revision, 0 when unknown. The next delta may end it, or make it known. */
  user(key: string): number {
    try {
      return this.#ids.user(key)
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** Id of a tenant at this revision, of `default` without a key, 0 when unknown. As `user`. */
  tenant(key?: string): number {
    try {
      return this.#ids.tenant(key)
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** Answers `check` with its reasons. @throws UNDECIDED where a check does (D13: undecided is not a deny) */
  explain(
    user: string,
    action: string,
    type: string,
    tenant?: string,
    key?: string,
    sent?: Sent,
    relations?: readonly SentRelation[],
    isRow = false,
  ): Explanation {
    this.#requireSound()
    const question = { user, action, type, tenant, key, sent, relations, isRow }
    const from = { required: this.#required, related: this.#related, attributeTypes: this.#attributeTypes }
    const explanation = this.#guardInstant(() => explainQuestion(this.#kernel, from, this.revision, question))
    if (!explanation.allow && [explanation.rebac, explanation.abac].includes('undecided')) {
      throw new ZerohopError('UNDECIDED', { what: key === undefined ? type : `${type}:${key}` })
    }
    return explanation
  }

  /**
   * `explain`, with more for people: the relations that an allow goes over, and for a deny the nearest names and the
   * roles that would allow. @throws as `explain`
   */
  explainWays(...asked: Parameters<Image['explain']>): Explained {
    const [user, action, type, tenant, key, sent, relations, isRow] = asked
    const question = { user, action, type, tenant, key, sent, relations, isRow }
    const explanation = this.explain(...asked)
    return {
      question,
      explanation,
      ways: this.#guardInstant(() => findWays(this.#kernel, this.#related, question, explanation)),
    }
  }

  /**
   * Names of the request attributes that the set rules of a permission read, by subject; `now` is one of the context.
   */
  attributesRead(type: string, action: string): Readonly<Record<keyof Sent, readonly string[]>> {
    return this.guard(() => this.#required.names(this.permission(type, action)))
  }

  /** The listings: who may do what where (D12: listings agree with checks). @throws POISONED */
  get listings(): Listings {
    this.#requireSound()
    this.#listings ??= makeGuarded(new Listings(this.#kernel, this.#required, this.#related), (run) =>
      this.#guardInstant(run),
    )
    return this.#listings
  }

  /**
   * The names of the policy: resource types with their actions, attributes and relations, and tenants. @throws POISONED
   */
  get names(): PolicyNames {
    this.#names ??= makeGuarded(new PolicyNames(this.#kernel), (run) => this.guard(run))
    return this.#names
  }

  /**
   * For which rows of an application's own a check is allowed. For each row it is true exactly when `check` allows the
   * question that the row makes.
   * @throws FILTER_REFUSED where a condition cannot be expressed for a row, LISTING_TOO_LARGE, UNDECIDED, POISONED
   */
  filter(question: FilterQuestion): Filter {
    return this.#ofRows((filters, ids) => filters.filter(question, ids), question)
  }

  /** The same as an answer that someone else keeps. @throws as `filter` */
  keptFilter(question: FilterQuestion): KeptFilter {
    return this.#ofRows((filters, ids) => filters.kept(question, ids), question)
  }

  /**
   * The earliest instant after that of the request at which a role of the user, or of everybody, starts or ends (D15),
   * in ms since 1970; infinite when none does.
   */
  nextChangeOf(user: string): number {
    return this.#guardInstant(() => nextChangeFor(this.#kernel, this.user(user)))
  }

  /**
   * The same, where a relation on the way from what the user holds counts too: until then each check of the user has the
   * answer that it has, but for conditions on the time. Undefined when finding it takes more than `limit` tuples and roles.
   */
  nextChangeFor(user: string, limit: number): number | undefined {
    return this.#guardInstant(() => {
      const id = this.user(user)
      return !hasTimes(this.#kernel)
        ? Number.POSITIVE_INFINITY
        : walkInstanceRoles(this.#kernel, id, limit, { withEverybody: true })?.until
    })
  }

  #ofRows<T>(make: (filters: Filters, ids: FilterIds) => T, { user, action, type, tenant }: FilterQuestion): T {
    return this.#guardInstant(() => {
      this.#filters ??= new Filters(this.#kernel, this.#required, this.revision)
      const ids = { user: this.user(user), tenant: this.tenant(tenant), permission: this.permission(type, action) }
      return make(this.#filters, ids)
    })
  }

  /**
   * Moves the image to the delta's revision, wholly or not at all.
   * @throws FEED_GAP, FEED_FORK, DELTA_INVALID, IMAGE_FULL: the image is unchanged; POISONED: it refuses every call
   * from then on
   */
  apply(delta: Delta): void {
    const applying = this.#applying(delta)
    while (applying.next().done !== true);
  }

  /**
   * A copy of this image to which a delta of any size is applied, in many short turns: `pause` is awaited between them.
   * This image goes on answering; no delta may be applied to it meanwhile.
   * @throws as `apply`
   */
  async appliedSlowly(delta: Delta, pause: Pause): Promise<Image> {
    this.#requireSound()
    const { revision } = this
    const copy = new Image(await copyKernelSlowly(this.#kernel, this.#source, pause), this.#source)
    if (revision !== this.revision) throw new ZerohopError('INTERNAL')
    await inTurns(copy.#applying(delta), pause)
    return copy
  }

  /** `apply`, a step for each change: in between the image must not be asked anything. */
  *#applying(delta: Delta): Generator<void, void> {
    this.#requireSound()
    const { revision, chain } = this.#position
    if (delta.environment !== this.environment) {
      throw new ZerohopError('DELTA_INVALID', { to: delta.to, reason: 'it belongs to another environment' })
    }
    if (delta.from !== revision || delta.to !== revision + 1)
      throw new ZerohopError('FEED_GAP', { have: revision, got: delta.from })
    if (delta.previous !== chain) throw new ZerohopError('FEED_FORK', { to: delta.to })
    yield* this.#carryingOut(delta.changes, delta.to)
    this.#position = { revision: delta.to, chain: delta.chain }
    writePosition(this.#kernel, this.#position)
  }

  *#carryingOut(changes: readonly PolicyChange[], to: number): Generator<void, void> {
    let plan: Plan
    try {
      plan = yield* prepare(this.#kernel, changes, to)
    } catch (cause) {
      throw this.#broken(cause)
    }
    try {
      yield* commit(this.#kernel, plan)
    } catch (cause) {
      this.#poison()
      throw new ZerohopError('POISONED', {}, { cause })
    }
    this.#ids.forget(plan)
    this.#held.forget(plan)
    if (changesRules(plan)) {
      this.#required.forget()
      this.#attributeTypes.forget()
    }
    if (plan.configs.length > 0) this.#urlRules = undefined
    this.#listings = undefined
    /* canary: filters-over-a-change-of-everybody */ this.#filters = undefined
  }

  /** The mapping rules of all proxy configs, by config and in its order. The same list until one of them changes. */
  urlRules(): readonly UrlRule[] {
    this.#requireSound()
    this.#urlRules ??= this.guard(() => readConfigs(this.#kernel).flatMap(([, rules]) => rules))
    return this.#urlRules
  }

  /**
   * Runs something that reads the image, and poisons the image when it turns out to be broken: a forged file can have a
   * valid checksum.
   * @throws POISONED, and what `run` throws as a ZerohopError
   */
  guard<T>(run: () => T): T {
    this.#requireSound()
    try {
      return run()
    } catch (cause) {
      throw this.#broken(cause)
    }
  }

  /** What is made step by step of what was read, each step as `guard` does. */
  *#eachGuarded<T>(steps: Iterable<T>): Iterable<T> {
    const iterator = steps[Symbol.iterator]()
    for (;;) {
      const step = this.guard(() => iterator.next())
      if (step.done === true) return
      yield step.value
    }
  }

  /**
   * Runs a part of src/image on the inside of this image, as `guard` does. Nothing of the inside may be kept: a delta
   * makes it another.
   * @param now as of `guardAt`; undefined where nothing is asked, or each question has its own time
   */
  inside<T>(
    run: (inside: { readonly kernel: Kernel; readonly required: RequiredAttributes }) => T,
    now: number | undefined,
  ): T {
    const work = (): T => run({ kernel: this.#kernel, required: this.#required })
    return now === undefined ? this.guard(work) : this.guardAt(now, work)
  }

  /**
   * `guard`, where all questions are of one instant: what has times is in force or not at it (D15), and it is
   * `context.now` of those that have none (D8).
   * @param now milliseconds since 1970
   */
  guardAt<T>(now: number, run: () => T): T {
    const kernel = this.#kernel
    const { clock } = this.#required
    const before = kernel.now
    this.#required.clock = () => now
    kernel.now = now
    try {
      return this.guard(run)
    } finally {
      kernel.now = before
      this.#required.clock = clock
    }
  }

  /**
   * `guard` at the instant of the request. The clock is read only if something of this image has times; without one, what
   * meets them throws INTERNAL.
   */
  #guardInstant<T>(run: () => T): T {
    const kernel = this.#kernel
    const { clock } = this.#required
    if (clock === undefined || !hasTimes(kernel) || !Number.isNaN(kernel.now)) return this.guard(run)
    kernel.now = clock()
    try {
      return this.guard(run)
    } finally {
      /* canary: instant-left-by-listings */ kernel.now = Number.NaN
    }
  }

  /** The error to throw instead of `cause`. An image on which the kernel traps, or that cannot be read, is poisoned. */
  #broken(cause: unknown): unknown {
    if (isZerohopError(cause) && cause.code !== 'IMAGE_DAMAGED') return cause
    if (isStackExhausted(cause)) return new ZerohopError('INTERNAL', {}, { cause }) // the caller's stack, not the image
    this.#poison()
    return new ZerohopError('POISONED', {}, { cause })
  }

  #poison(): void {
    this.#poisoned = true
    this.#decideByRoles = () => {
      throw new ZerohopError('POISONED')
    }
  }

  #requireSound(): void {
    if (this.#poisoned) throw new ZerohopError('POISONED')
  }

  /** The bytes of the image file. */
  save(): Uint8Array {
    this.#requireSound()
    return saveKernel(this.#kernel)
  }

  /**
   * `save` in many short turns: `pause` is awaited between two pieces. No delta may be applied meanwhile.
   * @throws INTERNAL when one was: the bytes would be of two revisions
   */
  async saveSlowly(pause: Pause): Promise<Uint8Array> {
    this.#requireSound()
    const { revision } = this
    const file = await saveKernelSlowly(this.#kernel, pause)
    if (revision !== this.revision) throw new ZerohopError('INTERNAL')
    return file
  }

  /** The contents of the image as changes, in sorted order. */
  contents(): Iterable<PolicyChange> {
    this.#requireSound()
    return this.#eachGuarded(toChanges(this.guard(() => read(this.#kernel))))
  }

  /** The canonical build of this image's contents, at the same position. */
  compact(): Image {
    this.#requireSound()
    const kernel = this.guard(() => buildKernel(read(this.#kernel), this.#source))
    writeEnvironment(kernel, this.environment)
    writePosition(kernel, this.#position)
    return new Image(kernel, this.#source)
  }

  /** `compact` in many short turns but for the reading; the same answers, not the same bytes. */
  compactSlowly(pause: Pause): Promise<Image> {
    return Image.buildSlowly(this.environment, this.#position, this.contents(), pause)
  }

  /**
   * A copy at the same position: what is applied to one does not change the other. Objects that are there now have the
   * same ids in both.
   * @throws IMAGE_FULL when the host gives no memory
   */
  clone(): Image {
    this.#requireSound()
    const copy = new Image(copyKernel(this.#kernel, this.#source), this.#source)
    copy.#copyOf = { memory: this.#memory, revision: this.revision }
    return copy
  }

  /**
   * Whether this is a copy of the other image, which has not changed since: an id of the other is that of the same key
   * here.
   */
  isCopyOf(other: Image): boolean {
    return this.#copyOf?.memory === other.#memory && this.#copyOf.revision === other.revision
  }

  /**
   * SHA-256 of the canonical build, 64 hex digits: equal contents give equal hashes on every machine. Costs a
   * compaction.
   */
  hash(): string {
    return hashImage(this.compact().save())
  }

  /** Walks the whole image and checks every invariant. @throws IMAGE_DAMAGED with the part that is broken */
  verify(): void {
    let fault: Fault
    try {
      fault = this.#kernel.calls.verify()
    } catch (cause) {
      throw new ZerohopError('IMAGE_DAMAGED', { reason: 'it cannot be verified' }, { cause })
    }
    if (fault !== Fault.None)
      throw new ZerohopError('IMAGE_DAMAGED', { reason: `its ${Fault[fault]?.toLowerCase()} section is broken` })
  }

  /**
   * How often conditions met a value that is not of its declared type (D7: ill-typed values count as missing), since
   * this image was loaded.
   */
  get illTyped(): number {
    return this.#kernel.calls.illTypedCount() >>> 0
  }

  /**
   * Requires that the request attributes are of their declared types. @throws ATTRIBUTE_ILL_TYPED with the first
   * attribute that is not
   */
  requireDeclared(type: string, sent: Sent | undefined): void {
    this.#requireSound()
    this.guard(() => this.#attributeTypes.require(type, sent))
  }

  stats(): ImageStats {
    return readStats(this.#kernel)
  }
}

/** Kinds whose objects refer to none of their own kind. */
const FACTS: ReadonlySet<PolicyKind> = new Set([
  'user',
  'tenant',
  'resource_instance',
  'relationship_tuple',
  'membership',
  'role_assignment',
])

/** Goes through all steps, some in each turn. */
async function inTurns(steps: Iterator<void, void>, pause: Pause): Promise<void> {
  for (let taken = 1; steps.next().done !== true; taken++) {
    if (taken % CHANGES_IN_TURN === 0) await pause()
  }
}

function changesRules({ sets, putSetRules, removedSetRules, gone, resources }: Plan): boolean {
  return sets.length + putSetRules.length + removedSetRules.length + gone.length + resources.length > 0
}
