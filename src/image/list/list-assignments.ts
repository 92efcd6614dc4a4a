// Roles as they were assigned, in pages by number or behind a row: ordered by user, then tenant, instance and role. Of
// numbers the end of the last page is cached, so that the next one does not start at the first user again; a delta drops
// it, and so does what starts or ends (D15).
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { tooLarge } from '../decide/evaluator.ts'
import { findHolder, findSymbol } from '../look-up.ts'
import { everybodyStored } from '../records/everybody.ts'
import {
  countGrantRoles,
  eachGrantOfUser,
  grantRoles,
  grantScope,
  grantsOfUser,
  nextChangeOfUser,
} from '../records/grant.ts'
import { instanceType, readInstanceKey, tenantOfScope } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { bareRole } from '../records/role.ts'
import { symbolTable } from '../records/symbol.ts'
import { inOrder } from '../records/tables.ts'

/** A role that was assigned. */
export interface AssignmentRow {
  readonly user: string
  readonly role: string
  readonly tenant: string
  /** `type:key`; absent for a role in the tenant */
  readonly resource_instance?: string
}

export interface AssignmentFilter {
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly tenant?: string | undefined
  /** a resource type: roles on its instances */
  readonly resource?: string | undefined
  /** `type:key`, or a key */
  readonly resourceInstance?: string | undefined
}

/** A user after whom a page began, by key, and the number of rows up to there. */
interface Mark {
  readonly user: string
  readonly rows: number
  /** the instants for which the number is known: of this one, and before that one */
  readonly since: number
  readonly until: number
}

/** The work of reading one grant, and the number of cached filters. */
const LOOK_WORK = 8
const MARKS_MAX = 64

export class AssignmentList {
  readonly #kernel: Kernel
  readonly #marks = new Map<string, Mark>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** @throws LISTING_TOO_LARGE when the page lies too far behind what was read before */
  page(filter: AssignmentFilter, first: number, count: number): AssignmentRow[] {
    const wants = resolveFilter(this.#kernel, filter)
    if (filter.user !== undefined) {
      const user = findHolder(this.#kernel, filter.user)
      return user === 0 ? [] : this.#listRows(user, wants).slice(first, first + count)
    }
    const name = JSON.stringify([filter.role, filter.tenant, filter.resource, filter.resourceInstance])
    const { now } = this.#kernel
    const mark = this.#marks.get(name)
    const start =
      mark !== undefined && mark.rows <= first && /* canary: rows-counted-over-an-end */ isKnownAt(mark, now)
        ? mark
        : { ...NOBODY, since: now }
    const { rows, end } = this.#read(wants, start, first, count)
    if (this.#marks.size >= MARKS_MAX) this.#marks.clear()
    this.#marks.set(name, end)
    return rows
  }

  /** Rows behind one, whether or not that one is still there. @throws LISTING_TOO_LARGE when the next ones are too far behind it */
  pageBehind(filter: AssignmentFilter, after: AssignmentRow, count: number): AssignmentRow[] {
    const wants = resolveFilter(this.#kernel, filter)
    const only = filter.user === undefined ? undefined : findHolder(this.#kernel, filter.user)
    const page: AssignmentRow[] = []
    let left = LISTING_WHOLE_WORK_MAX
    for (const user of only === undefined ? eachHolderFrom(this.#kernel, after.user) : [only]) {
      const [here, looks] = user === 0 ? [0, 1] : countWanted(this.#kernel, user, wants)
      left -= LOOK_WORK * looks
      if (left < 0) throw tooLarge('page of the role assignments')
      if (here === 0) continue
      const rows = this.#listRows(user, wants).filter((row) => row.user !== after.user || compareRows(row, after) > 0)
      page.push(...rows.slice(0, count - page.length))
      if (page.length === count) break
    }
    return page
  }

  #read(wants: Wants, start: Mark, first: number, count: number): { rows: AssignmentRow[]; end: Mark } {
    const kernel = this.#kernel
    const page: AssignmentRow[] = []
    let last = 0
    let before = start.rows
    let until = start.until
    let left = LISTING_WHOLE_WORK_MAX
    for (const user of eachHolder(kernel, start.user)) {
      const [here, looks] = countWanted(kernel, user, wants)
      left -= LOOK_WORK * looks
      if (left < 0) throw tooLarge(`page ${1 + Math.floor(first / count)} of the role assignments`)
      const from = Math.max(0, first - before)
      if (here > from) page.push(...this.#listRows(user, wants).slice(from, from + count - page.length))
      // A user with rows beyond this page is read again for the next one.
      if (page.length === count) break
      last = user
      before += here
      until = Math.min(until, nextChangeOfUser(kernel, user))
    }
    // those counted now were perhaps others when the mark was made at which this began
    const end = last === 0 ? start : { user: principalKey(kernel, last), rows: before, since: kernel.now, until }
    return { rows: page, end }
  }

  #listRows(user: number, wants: Wants): AssignmentRow[] {
    const kernel = this.#kernel
    const rows: AssignmentRow[] = []
    const name = principalKey(kernel, user)
    for (const grant of grantsOfUser(kernel, user)) {
      const scope = grantScope(kernel, grant)
      const tenant = principalKey(kernel, tenantOfScope(kernel, scope))
      const on =
        symbolTable(kernel, scope) === Table.Tenants ? {} : { resource_instance: readInstanceKey(kernel, scope) }
      for (const role of rolesWanted(kernel, grant, wants)) {
        rows.push({ user: name, role: bareRole(kernel, role), tenant, ...on })
      }
    }
    return rows.sort(compareRows)
  }
}

/** The order of the rows of one user. */
const compareRows = (left: AssignmentRow, right: AssignmentRow): number =>
  compareText(left.tenant, right.tenant) ||
  compareText(left.resource_instance ?? '', right.resource_instance ?? '') ||
  compareText(left.role, right.role)

/** The one with the key, if there is one, and those behind. */
function* eachHolderFrom(kernel: Kernel, key: string): Iterable<number> {
  const first = findHolder(kernel, key)
  if (first !== 0) yield first
  yield* inOrder(kernel, Table.Users, key)
}

/** Those who may have roles, behind a key: everybody comes first (D16), because its sign is before those of users' keys. */
function* eachHolder(kernel: Kernel, after: string): Iterable<number> {
  const shared = everybodyStored(kernel)
  if (after === '' && shared !== 0) yield shared
  yield* inOrder(kernel, Table.Users, after)
}

const NOBODY = { user: '', rows: 0, until: Number.POSITIVE_INFINITY } as const

const isKnownAt = ({ since, until }: Mark, now: number): boolean =>
  Object.is(now, since) || (since <= now && now < until)

interface Wants {
  /** no role filter: the roles of a grant are counted without reading them */
  readonly anyRole: boolean
  scope(scope: number): boolean
  role(role: number): boolean
}

/** The number of matching roles of a user, and the number of records read for it. */
function countWanted(kernel: Kernel, user: number, wants: Wants): [here: number, looks: number] {
  let here = 0
  let looks = 1
  for (const grant of eachGrantOfUser(kernel, user)) {
    looks++
    if (!wants.anyRole) here += rolesWanted(kernel, grant, wants).length
    else if (wants.scope(grantScope(kernel, grant))) here += countGrantRoles(kernel, grant)
  }
  return [here, looks]
}

function rolesWanted(kernel: Kernel, grant: number, wants: Wants): number[] {
  if (!wants.scope(grantScope(kernel, grant))) return []
  return grantRoles(kernel, grant).filter((role) => wants.role(role))
}

/** The filter in ids, so that skipping rows reads no texts. */
function resolveFilter(kernel: Kernel, { role, tenant, resource, resourceInstance }: AssignmentFilter): Wants {
  const within = tenant === undefined ? undefined : findSymbol(kernel, 'tenant', tenant)
  const type = resource === undefined ? undefined : findSymbol(kernel, 'resource', resource)
  const instance = resourceInstance?.includes(':')
    ? findSymbol(kernel, 'resource_instance', resourceInstance)
    : undefined
  const known = new Map<number, boolean>()
  const isWanted = (id: number): boolean => {
    const answer = known.get(id) ?? bareRole(kernel, id) === role
    known.set(id, answer)
    return answer
  }
  return {
    anyRole: role === undefined,
    scope(scope) {
      if (within !== undefined && tenantOfScope(kernel, scope) !== within) return false
      if (type === undefined && resourceInstance === undefined) return true
      if (symbolTable(kernel, scope) !== Table.Instances) return false
      if (type !== undefined && instanceType(kernel, scope) !== type) return false
      if (resourceInstance === undefined) return true
      return instance === undefined
        ? readInstanceKey(kernel, scope).endsWith(`:${resourceInstance}`)
        : scope === instance
    },
    role: role === undefined ? () => true : isWanted,
  }
}
