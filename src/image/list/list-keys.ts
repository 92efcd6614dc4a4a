// Listings in pages: the instances on which a user may do something, and the users who may do something. Instances are
// looked at in the tenants where roles or set rules may allow, and where the user has a role on them; users where they
// have a role that counts. Where anything may be allowed, all are looked at in the order of keys, with bounded work for
// each page. Either way a page has exactly those keys after `after`, up to its last one, that checks allow (D12: listings
// agree with checks).
import { Table, Verdict } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isZerohopError } from '../../model/errors.ts'
import { LISTING_TENANTS_MAX, LISTING_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { findInstanceRoles } from '../decide/effective-roles.ts'
import type { Evaluator, Relate } from '../decide/evaluator.ts'
import { READS_USER, readsOfSide } from '../decide/required-attributes.ts'
import { everybodyStored } from '../records/everybody.ts'
import { eachGrantFor, grantUser, tenantsOfGrantsFor, visitGrantsInScope } from '../records/grant.ts'
import { countTenants } from '../records/header.ts'
import { instancesInTenant, instancesOfType, instanceTenant, instanceType, keyOfInstance } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { permissionsOfRoleSides } from '../records/set-rule.ts'
import { isSuspended } from '../records/suspension.ts'
import { symbolTable } from '../records/symbol.ts'
import { inOrder, records } from '../records/tables.ts'
import { atInstant } from '../records/times.ts'
import { candidatesInOrder } from './candidate-instances.ts'
import { sortKeys } from './key-order.ts'
import { findSources } from './permission-sources.ts'
import { SideReach } from './side-reach.ts'
import { hasRules, listSideRules } from './user-sides.ts'

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
}

/** The keys of the instances on which the user is allowed. @throws UNDECIDED */
export function instancesAllowed(evaluator: Evaluator, asked: AskedInstances, page: PageQuery): KeyPage {
  const { kernel } = evaluator
  const { user, permission, typeId: type, tenant } = asked
  const after = `${asked.type}:${page.after ?? ''}`
  const all = () =>
    tenant === 0 ? instancesOfType(kernel, type, after) : instancesInTenant(kernel, { type, tenant }, after)
  const list = (instances: Iterable<number>) =>
    scan(evaluator, instances, page.limit, (instance) => evaluator.allowsOn(user, permission, instance), keyOfInstance)
  const tenants = openTenants(evaluator, asked)
  if (tenants === undefined || tenants.has(tenant)) return list(all())
  const few = MANY_PAGES * page.limit
  const isMany = isGoodPart(kernel, tenants) || hasMoreGrants(kernel, user, few)
  const dense = isMany ? tryScan(evaluator, all(), few, list) : undefined
  if (dense !== undefined) return dense
  const held = tenants.size > LISTING_TENANTS_MAX ? undefined : instancesHeld(kernel, asked)
  return list(held === undefined ? all() : candidatesInOrder(kernel, { type, tenants, held }, after))
}

/**
 * Candidates for more pages than this are not put into one order for one page: first a page is looked for among as many
 * records, in the order of keys. So it is where candidates are one in as many of all records, because they are those of
 * many tenants.
 */
const MANY_PAGES = 4
const MANY_TENANTS = 32

function isGoodPart(kernel: Kernel, tenants: ReadonlySet<number>): boolean {
  return tenants.size > MANY_TENANTS && tenants.size * MANY_PAGES >= countTenants(kernel)
}

function hasMoreGrants(kernel: Kernel, user: number, count: number): boolean {
  let left = count
  for (const _ of eachGrantFor(kernel, user)) if (--left < 0) return true
  return false
}

/**
 * The page that is made of the first of the records, or undefined when there are more that belong to it. Records that are
 * no candidates may be undecided; then candidates count, with all of the work that a page may take.
 */
function tryScan(
  evaluator: Evaluator,
  records: Iterable<number>,
  few: number,
  list: (records: Iterable<number>) => KeyPage,
): KeyPage | undefined {
  const { left } = evaluator
  let isCut = false
  const first = function* () {
    let rest = few
    for (const record of records) {
      isCut = --rest < 0
      if (isCut) return
      yield record
    }
  }
  let found: KeyPage | undefined
  try {
    found = list(first())
  } catch (error) {
    if (!isZerohopError(error, 'UNDECIDED')) throw error
  }
  if (found !== undefined && !isCut) return found
  evaluator.left = left
  return undefined
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
  const all = () => inOrder(kernel, Table.Users, page.after ?? '')
  const list = (users: Iterable<number>) => scan(evaluator, users, page.limit, allowed, principalKey)
  const found = usersWithRoles(evaluator, asked)
  if (found === undefined) return list(all())
  const few = MANY_PAGES * page.limit
  const dense = found.length > few ? tryScan(evaluator, all(), few, list) : undefined
  return dense ?? pick(kernel, found, allowed, page)
}

/** The page made of those users that pass. */
function pick(
  kernel: Kernel,
  users: readonly number[],
  allowed: (user: number) => boolean,
  { after, limit }: PageQuery,
): KeyPage {
  const all: string[] = []
  for (const user of users) if (allowed(user)) all.push(principalKey(kernel, user))
  sortKeys(all)
  const first = after === undefined ? 0 : firstAfter(all, after)
  const keys = first === 0 && all.length <= limit ? all : all.slice(first, first + limit)
  return { keys, next: first + limit < all.length ? keys.at(-1) : undefined }
}

/** Asks about records in key order until the page is full or its work limit is reached. */
export function scan(
  evaluator: Evaluator,
  records: Iterable<number>,
  limit: number,
  allowed: (record: number) => boolean,
  readKey: (kernel: Kernel, record: number) => string,
): KeyPage {
  const { kernel } = evaluator
  const keys: string[] = []
  let last = 0
  for (const record of records) {
    if (evaluator.left <= 0 && last !== 0) return { keys, next: readKey(kernel, last) }
    last = record
    evaluator.left -= LOOK_WORK
    if (!allowed(record)) continue
    if (keys.length === limit) return { keys, next: keys.at(-1) }
    keys.push(readKey(kernel, record))
  }
  return { keys, next: undefined }
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
 * The tenants in which roles there (D4: roles in tenants) or set rules (D6: set rules) may allow on any instance, of the
 * one that is asked about or of all; undefined when set rules may do so everywhere.
 */
function openTenants(
  evaluator: Evaluator,
  { user, permission, tenant }: AskedInstances,
): ReadonlySet<number> | undefined {
  const { kernel } = evaluator
  const scopes = tenant !== 0 ? [tenant] : /* canary: shared-tenants */ tenantsOfGrantsFor(kernel, user)
  const open = new Set(
    scopes.filter((scope) => atInstant(kernel.calls.decide(user, scope, permission)) === Verdict.Allow),
  )
  if (open.has(tenant) || user === 0 || !hasRules(kernel, permission)) return open
  const sides = new SideReach(evaluator, user)
  if (tenant !== 0) return sides.mayAllowIn(tenant, permission) ? new Set([tenant]) : open
  const ruled = sides.tenantsOf(permission)
  return ruled && new Set([...open, ...ruled])
}

/**
 * The instances that are asked about on which the user has a role with the permission (D5: roles derived over relations),
 * or one that stands for a user set of its rules (D17);
 * undefined when finding them takes too much work.
 */
function instancesHeld(kernel: Kernel, { user, permission, typeId, tenant }: AskedInstances): number[] | undefined {
  const rolesByInstance = findInstanceRoles(
    kernel,
    user,
    LISTING_WALK_MAX,
    /* canary: shared-instances */ { withEverybody: true },
  )
  if (rolesByInstance === undefined) return undefined
  const allowing = new Map<number, boolean>()
  const permissions = [permission, /* canary: instances-of-role-sides */ ...permissionsOfRoleSides(kernel, permission)]
  const allows = (role: number): boolean => {
    const known = allowing.get(role) ?? permissions.some((each) => kernel.calls.holds(role, each) === 1)
    allowing.set(role, known)
    return known
  }
  const isWanted = (instance: number) =>
    instanceType(kernel, instance) === typeId && (tenant === 0 || instanceTenant(kernel, instance) === tenant)
  const found: number[] = []
  for (const [instance, roles] of rolesByInstance) {
    if (!isWanted(instance) || !roles.some(allows)) continue
    found.push(instance)
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
  const anybody = findActiveUser(kernel)
  if (anybody === undefined) return false
  return [...new Set(rules.map(({ resources }) => resources))].some((side) => {
    if ((readsOfSide(kernel, side) & READS_USER) !== 0) return true
    return evaluator.evaluateSide(side, anybody, tenant, permission, instance, key) !== Verdict.Deny
  })
}

/** A user for whom sides may be true: none is for one who is suspended (D16). */
function findActiveUser(kernel: Kernel): number | undefined {
  for (const user of records(kernel, Table.Users))
    if (/* canary: anybody-who-is-suspended */ !isSuspended(kernel, user)) return user
  return undefined
}

/**
 * All users with a role in the tenant, or with a role from which one on the instance may be derived; undefined when
 * other users may be allowed too.
 */
export function usersWithRoles(evaluator: Evaluator, asked: AskedUsers): number[] | undefined {
  if (evaluator.mayEverybody(asked) || mayBeForOthers(evaluator, asked)) return undefined
  const { kernel } = evaluator
  const { tenant } = asked
  const scopes = new Set([tenant])
  let left = LISTING_WALK_MAX
  for (const permission of [
    asked.permission,
    /* canary: users-of-role-sides */ ...permissionsOfRoleSides(kernel, asked.permission),
  ]) {
    const sources = findSources(kernel, { ...asked, permission }, () => false, left)
    if (sources === undefined) return undefined
    left = sources.left
    for (const [at] of sources.pairs) scopes.add(at)
  }
  const users = new Set<number>()
  left = LISTING_WALK_MAX
  const shared = everybodyStored(kernel)
  for (const scope of scopes) {
    left = visitGrantsInScope(kernel, scope, left, (grant) => void users.add(grantUser(kernel, grant)))
    if (left < 0) return undefined
  }
  users.delete(shared)
  return [...users]
}
