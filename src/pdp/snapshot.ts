// Makes a snapshot (docs/browser.md): the filters of one user by tenant, type and action, each distinct one once. What
// a filter cannot say, and what would be too long, is left to the server; it never becomes a deny. A snapshot is read
// by its user: it names no keys but those of instances on which the user holds a role.
import { createHash } from 'node:crypto'
import type { KeptFilter } from '../image/filter/filters.ts'
import type { Image } from '../image/image.ts'
import { counted } from '../model/counted.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import {
  SNAPSHOT_ANSWER_LENGTH_MAX,
  SNAPSHOT_ANSWERS_MAX,
  SNAPSHOT_LENGTH_MAX,
  SNAPSHOT_LIFETIME_DEFAULT_MS,
  SNAPSHOT_LIFETIME_MAX_MS,
  SNAPSHOT_TENANTS_MAX,
} from '../model/limits.ts'
import { type Rights, SNAPSHOT_FORMAT, type Snapshot, type SnapshotAnswer } from '../model/snapshot.ts'
import { type Attributes, copyKeys, type Sent, toQuestion, type User } from './request.ts'

/** What a snapshot is to contain, and for how long it answers. */
export interface SnapshotOptions {
  /** default: those in which the user has a role */
  readonly tenants?: readonly string[] | null
  /** default: all types of the policy */
  readonly types?: readonly string[] | null
  /** of each type those that it has; default: all */
  readonly actions?: readonly string[] | null
  /** what conditions may read of the context, besides `now` */
  readonly context?: Attributes | null
  /** default five minutes, at most an hour */
  readonly lifetimeMs?: number | null
  /** as in `filter`, default true: the tenant of a row decides, whatever is stored under its key in another tenant */
  readonly tenantColumnIsAuthoritative?: boolean | null
}

interface Asked {
  readonly user: string
  readonly sent: Sent | undefined
  readonly isTenantColumnAuthoritative: boolean
}

type Actions = readonly { readonly type: string; readonly actions: readonly string[] }[]

/**
 * What the user may do, as data.
 * @param now the instant of the request, in ms since 1970
 * @throws LISTING_TOO_LARGE when there is more to answer than one snapshot holds; INPUT_INVALID
 */
export function makeSnapshot(
  image: Image,
  user: User,
  options: SnapshotOptions,
  isStrict: boolean,
  now: number,
): Snapshot {
  const { context, lifetimeMs, tenantColumnIsAuthoritative } = options
  const { user: key, sent } = toQuestion(user, '', '', context)
  if (isStrict) image.requireDeclared('', sent)
  const wanted = resolveLifetime(lifetimeMs)
  const actions = listActions(image, options)
  const tenants = copyKeys(options.tenants, 'tenants') ?? image.listings.userTenants(key).map((tenant) => tenant.key)
  if (tenants.length > SNAPSHOT_TENANTS_MAX) throw tooLarge(counted(tenants.length, 'tenant'), SNAPSHOT_TENANTS_MAX)
  const count = tenants.length * actions.reduce((sum, each) => sum + each.actions.length, 0)
  if (count > SNAPSHOT_ANSWERS_MAX) throw tooLarge(`${count} answers`, SNAPSHOT_ANSWERS_MAX)
  const asked = { user: key, sent, isTenantColumnAuthoritative: tenantColumnIsAuthoritative !== false }
  const { until, ...rights } = makeContent(image, asked, tenants, actions)
  const lifetime = Math.min(wanted, until - now)
  const end = until === Number.POSITIVE_INFINITY ? {} : { validUntil: until }
  const content = { user: key, lifetimeMs: lifetime, ...end, ...rights }
  const text = /* canary: end-in-a-tag */ JSON.stringify(content)
  if (text.length > SNAPSHOT_LENGTH_MAX) throw tooLarge(`${text.length} characters`, SNAPSHOT_LENGTH_MAX)
  const etag = createHash('sha256').update(text).digest('base64url')
  return { format: SNAPSHOT_FORMAT, revision: image.revision, expiresAt: now + lifetime, etag, ...content }
}

function resolveLifetime(ms: number | null | undefined): number {
  if (ms === undefined || ms === null) return SNAPSHOT_LIFETIME_DEFAULT_MS
  if (isLifetime(ms)) return ms
  const reason = `lifetimeMs must be a whole number from 1 to ${SNAPSHOT_LIFETIME_MAX_MS}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['lifetimeMs'] })
}

/** Milliseconds for which a snapshot may answer. */
export function isLifetime(ms: unknown): ms is number {
  return typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= 1 && ms <= SNAPSHOT_LIFETIME_MAX_MS
}

function listActions(image: Image, options: SnapshotOptions): Actions {
  const [types, actions] = [copyKeys(options.types, 'types'), copyKeys(options.actions, 'actions')]
  const isWanted = (from: readonly string[] | undefined) => {
    const set = from && new Set(from)
    return (key: string) => set === undefined || set.has(key)
  }
  const [isType, isAction] = [isWanted(types), isWanted(actions)]
  return image.listings
    .actionsByType()
    .filter(({ type }) => isType(type))
    .map((each) => ({ type: each.type, actions: each.actions.filter(isAction) }))
    .filter((each) => each.actions.length > 0)
}

function makeContent(image: Image, asked: Asked, tenants: readonly string[], actions: Actions) {
  const answers = new Places<SnapshotAnswer>()
  let until = image.nextChangeOf(asked.user) // which tenants are listed, also where nothing is answered
  const rights = new Places<Rights>()
  const rightsIn = (tenant: string): Rights => {
    const answerPlace = (type: string, action: string): number => {
      const made = makeAnswer(image, asked, { tenant, type, action })
      until = Math.min(until, made.until)
      return answers.place(made.answer)
    }
    return toRecord(actions, ({ type, actions: names }) => [
      type,
      toRecord(names, (action) => [action, answerPlace(type, action)]),
    ])
  }
  const places = toRecord(tenants, (tenant) => [tenant, rights.place(rightsIn(tenant))])
  return { until, answers: answers.values, rights: rights.values, tenants: places }
}

/** A plain object, which React passes on to a page. `__proto__` is a key like any other: nothing is assigned. */
const toRecord = <T, V>(from: readonly T[], entry: (each: T) => [string, V]): Record<string, V> =>
  Object.fromEntries(from.map(entry))

function makeAnswer(
  image: Image,
  { user, sent, isTenantColumnAuthoritative }: Asked,
  about: { readonly tenant: string; readonly type: string; readonly action: string },
): { readonly answer: SnapshotAnswer; readonly until: number } {
  let kept: KeptFilter
  try {
    kept = image.keptFilter({ user, sent, isTenantColumnAuthoritative, ...about })
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED', 'LISTING_TOO_LARGE', 'UNDECIDED'))
      return { answer: null, until: Number.POSITIVE_INFINITY }
    throw error
  }
  const answer = toCondition(kept)
  const { until } = kept
  return { answer: JSON.stringify(answer).length > SNAPSHOT_ANSWER_LENGTH_MAX ? null : answer, until }
}

function toCondition({ keys, where, reads, isKeyOpen }: KeptFilter): SnapshotAnswer {
  if (where === true && !isKeyOpen) return true
  const ofKeys = keys.length === 0 ? {} : { keys }
  if (where === false) return keys.length === 0 ? false : ofKeys
  const node = where === true ? { and: [] } : where
  const { attributes, relations } = reads
  return { ...ofKeys, where: { node, attributes, relations, ...(isKeyOpen ? { isKeyOpen } : {}) } }
}

/** Distinct values in the order in which they came first. */
class Places<T> {
  readonly values: T[] = []
  readonly #places = new Map<string, number>()

  place(value: T): number {
    const text = JSON.stringify(value)
    let place = this.#places.get(text)
    if (place === undefined) {
      place = this.values.push(value) - 1
      this.#places.set(text, place)
    }
    return place
  }
}

function tooLarge(what: string, limit: number): ZerohopError {
  return new ZerohopError('LISTING_TOO_LARGE', { what: `a snapshot of ${what}`, limit: `${limit} of them` })
}
