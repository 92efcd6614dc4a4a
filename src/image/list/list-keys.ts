// Listings in pages: the instances on which a user may do something, and the users who may do something. When few can
// match, candidates are found from the relations of the image and then checked; otherwise everything is checked in the
// order of keys, with bounded work for each page. Either way a page has exactly those keys after `after`, up to its
// last one, that checks allow (D12: listings agree with checks).
import { Table, Verdict } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isZerohopError } from '../../model/errors.ts'
import { LISTING_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { findInstanceRoles } from '../decide/effective-roles.ts'
import type { Evaluator, Relate } from '../decide/evaluator.ts'
import { READS_INSTANCE, READS_TENANT, READS_USER, readsOfSide } from '../decide/required-attributes.ts'
import {
  eachGrantOfUser,
  grantRoles,
  grantScope,
  grantUser,
  listTenantGrants,
  visitGrantsInScope,
} from '../records/grant.ts'
import { instanceTenant, instanceType, readInstanceKey } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { symbolTable } from '../records/symbol.ts'
import { inOrder, type Ordered, records } from '../records/tables.ts'
import { atInstant } from '../records/times.ts'
import { sortKeys } from './key-order.ts'
import { findSources } from './permission-sources.ts'
import { listSideRules } from './user-sides.ts'

/** The key after which a page begins, and its maximal number of keys. */
export interface PageQuery {
  readonly after?: string | undefined
  readonly limit: number
}

/**
 * Keys in order, and the key after which the next page begins; undefined on the last page. A page may be short without
 * being the last.
 */
export interface KeyPage {
  readonly keys: string[]
  readonly next: string | undefined
}

/** The work of reading a record. */
const LOOK_WORK = 4

export interface AskedInstances {
  readonly user: number
  readonly permission: number
  /** the type, and its key */
  readonly typeId: number
  readonly type: string
  /** 0: of any tenant */
  readonly tenant: number
  /** some tenant that exists */
  readonly someTenant: number
}

/** The keys of the instances on which the user is allowed. @throws UNDECIDED */
export function instancesAllowed(evaluator: Evaluator, asked: AskedInstances, page: PageQuery): KeyPage {
  const { kernel } = evaluator
  const { user, permission, typeId, tenant } = asked
  const within = (instance: number) => tenant === 0 || instanceTenant(kernel, instance) === tenant
  const allowed = (instance: number) => evaluator.allowsOn(user, permission, instance)
  const passes = (instance: number) => within(instance) && allowed(instance)
  const start = `${asked.type}:${page.after ?? ''}`
  const inType = (instance: number) => instanceType(kernel, instance) === typeId
  const scanAll = (looks?: number) => scan(evaluator, Table.Instances, { ...page, after: start }, inType, passes, looks)
  if (!mayHoldByRole(kernel, asked) && !mayHoldBySet(evaluator, asked)) {
    const few = MANY_PAGES * page.limit
    const dense = hasMoreGrants(kernel, user, few) ? tryScan(evaluator, () => scanAll(few)) : undefined
    if (dense !== undefined) return dense
    const found = instancesHeld(kernel, asked)
    if (found !== undefined) return pick(kernel, Table.Instances, found.filter(within), allowed, page)
  }
  return scanAll()!
}

/**
 * Candidates for more pages than this are not all checked for one: first a page is looked for among as many records, in
 * the order of keys.
 */
const MANY_PAGES = 4

function hasMoreGrants(kernel: Kernel, user: number, count: number): boolean {
  let left = count
  for (const _ of eachGrantOfUser(kernel, user)) if (--left < 0) return true
  return false
}

/** The page, or undefined. Records that are no candidates may be undecided; then candidates count, with all of the work that a page may take. */
function tryScan(evaluator: Evaluator, scanFew: () => KeyPage | undefined): KeyPage | undefined {
  const { left } = evaluator
  let found: KeyPage | undefined
  try {
    found = scanFew()
  } catch (error) {
    if (!isZerohopError(error, 'UNDECIDED')) throw error
  }
  if (found === undefined) evaluator.left = left
  return found
}

/** The check whose users are listed. */
export interface AskedUsers {
  readonly tenant: number
  readonly permission: number
  /** 0 when the instance is not stored; `key` is then its key */
  readonly instance: number
  readonly key: string | undefined
  /** the relations that were sent */
  readonly relate: Relate | undefined
}

/** The keys of the users who are allowed. @throws UNDECIDED */
export function usersAllowed(evaluator: Evaluator, asked: AskedUsers, page: PageQuery): KeyPage {
  const { kernel } = evaluator
  const { tenant, permission, instance, key } = asked
  const allowed = (user: number) => evaluator.allows(user, tenant, permission, instance, key)
  const found = usersWithRoles(evaluator, asked)
  const scanAll = (looks?: number) => scan(evaluator, Table.Users, page, () => true, allowed, looks)
  if (found === undefined) return scanAll()!
  const isMany = found.length > MANY_PAGES * page.limit
  const dense = isMany ? tryScan(evaluator, () => scanAll(MANY_PAGES * page.limit)) : undefined
  return dense ?? pick(kernel, Table.Users, found, allowed, page)
}

/** The page made of those candidates that pass. */
function pick(
  kernel: Kernel,
  table: Ordered,
  records: readonly number[],
  allowed: (record: number) => boolean,
  { after, limit }: PageQuery,
): KeyPage {
  const all: string[] = []
  for (const record of records) if (allowed(record)) all.push(readListedKey(kernel, table, record))
  sortKeys(all)
  const first = after === undefined ? 0 : firstAfter(all, after)
  const keys = first === 0 && all.length <= limit ? all : all.slice(first, first + limit)
  return { keys, next: first + limit < all.length ? keys.at(-1) : undefined }
}

/**
 * Reads all records after a key in order, until the page is full or its work limit is reached.
 * @param looks undefined is returned when the page is not full, and not the last one, after so many records
 */
export function scan(
  evaluator: Evaluator,
  table: Ordered,
  page: PageQuery,
  wanted: (record: number) => boolean,
  allowed: (record: number) => boolean,
): KeyPage
export function scan(
  evaluator: Evaluator,
  table: Ordered,
  page: PageQuery,
  wanted: (record: number) => boolean,
  allowed: (record: number) => boolean,
  looks: number | undefined,
): KeyPage | undefined
export function scan(
  evaluator: Evaluator,
  table: Ordered,
  { after = '', limit }: PageQuery,
  wanted: (record: number) => boolean,
  allowed: (record: number) => boolean,
  looks = Number.POSITIVE_INFINITY,
): KeyPage | undefined {
  const { kernel } = evaluator
  const keys: string[] = []
  let last = 0
  let left = looks
  for (const record of inOrder(kernel, table, after)) {
    if (!wanted(record)) break
    if (--left < 0) return undefined
    if (evaluator.left <= 0 && last !== 0) return { keys, next: readListedKey(kernel, table, last) }
    last = record
    evaluator.left -= LOOK_WORK
    if (!allowed(record)) continue
    if (keys.length === limit) return { keys, next: keys.at(-1) }
    keys.push(readListedKey(kernel, table, record))
  }
  return { keys, next: undefined }
}

function readListedKey(kernel: Kernel, table: Ordered, record: number): string {
  if (table === Table.Users) return principalKey(kernel, record)
  const key = readInstanceKey(kernel, record)
  return key.slice(key.indexOf(':') + 1)
}

/** The index of the first of the sorted keys that comes after `after`. */
function firstAfter(keys: readonly string[], after: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareText(keys[middle]!, after) > 0) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Whether a role in one of the tenants has the permission (D4: roles in tenants): then all instances there are allowed.
 */
function mayHoldByRole(kernel: Kernel, { user, permission, tenant }: AskedInstances): boolean {
  const { calls } = kernel
  if (tenant !== 0) return atInstant(calls.decide(user, tenant, permission)) === Verdict.Allow
  return listTenantGrants(kernel, user).some((grant) => {
    return atInstant(calls.decide(user, grantScope(kernel, grant), permission)) === Verdict.Allow
  })
}

/**
 * Whether a set rule of the permission may be true for the user somewhere (D6: set rules). Sides that depend on neither
 * instance nor tenant are evaluated here.
 */
function mayHoldBySet(evaluator: Evaluator, { user, permission, someTenant }: AskedInstances): boolean {
  const { kernel } = evaluator
  const rules = listSideRules(kernel, permission)
  if (rules.length === 0) return false
  const roles = listTenantGrants(kernel, user).flatMap((grant) => grantRoles(kernel, grant))
  return rules.some(({ users }) => {
    if (symbolTable(kernel, users) === Table.Roles) return roles.includes(users)
    if ((readsOfSide(kernel, users) & (READS_INSTANCE | READS_TENANT)) !== 0) return true
    return evaluator.evaluateSide(users, user, someTenant, permission, 0) !== Verdict.Deny
  })
}

/**
 * The instances of the type on which the user has a role with the permission (D5: roles derived over relations);
 * undefined when finding them takes too much work.
 */
function instancesHeld(kernel: Kernel, { user, permission, typeId }: AskedInstances): number[] | undefined {
  const rolesByInstance = findInstanceRoles(kernel, user, LISTING_WALK_MAX)
  if (rolesByInstance === undefined) return undefined
  const allowing = new Map<number, boolean>()
  const allows = (role: number): boolean => {
    const known = allowing.get(role) ?? kernel.calls.holds(role, permission) === 1
    allowing.set(role, known)
    return known
  }
  const found: number[] = []
  for (const [instance, roles] of rolesByInstance) {
    if (instanceType(kernel, instance) === typeId && roles.some(allows)) found.push(instance)
  }
  return found
}

/**
 * Whether a set rule may allow users without a role in the tenant (D6). Rules for roles do not, nor do rules whose
 * resource side is false for every user, which is evaluated once, for an arbitrary user.
 */
function mayBeForOthers(evaluator: Evaluator, { tenant, permission, instance, key }: AskedUsers): boolean {
  const { kernel } = evaluator
  const rules = listSideRules(kernel, permission).filter(({ users }) => symbolTable(kernel, users) !== Table.Roles)
  const [anybody] = records(kernel, Table.Users)
  if (anybody === undefined) return false
  return [...new Set(rules.map(({ resources }) => resources))].some((side) => {
    if ((readsOfSide(kernel, side) & READS_USER) !== 0) return true
    return evaluator.evaluateSide(side, anybody, tenant, permission, instance, key) !== Verdict.Deny
  })
}

/**
 * All users with a role in the tenant, or with a role from which one on the instance may be derived; undefined when
 * other users may be allowed too.
 */
export function usersWithRoles(evaluator: Evaluator, asked: AskedUsers): number[] | undefined {
  if (mayBeForOthers(evaluator, asked)) return undefined
  const { kernel } = evaluator
  const { tenant } = asked
  const scopes = new Set([tenant])
  const sources = findSources(kernel, asked, () => false, LISTING_WALK_MAX)
  if (sources === undefined) return undefined
  for (const [at] of sources.pairs) scopes.add(at)
  const users = new Set<number>()
  let left = LISTING_WALK_MAX
  for (const scope of scopes) {
    left = visitGrantsInScope(kernel, scope, left, (grant) => void users.add(grantUser(kernel, grant)))
    if (left < 0) return undefined
  }
  return [...users]
}
