// Warnings about what a write takes away, where that can make a condition true (D7: missing values, D11: deletes): an
// attribute that a `not` tests, a role or a membership that a condition counts on, the last direct role that keeps a
// derived one away; and what a write lets end later, where one of these counts on it (D15). Such a write is carried out as
// asked; who may gain by it is said, in any form of writing, because this reads the changes and not the request.

import type { ConditionSet } from '../../kinds/condition-set.ts'
import type { KindName } from '../../kinds/index.ts'
import type { Resource } from '../../kinds/resource.ts'
import type { ResourceInstance } from '../../kinds/resource-instance.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import { isInForce } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import type { Change, LogId } from '../../log/change.ts'
import { type Condition, parseConditions } from '../../model/condition.ts'
import { type Gap, gainsByLoss, gapName, gapsIn } from '../../model/condition-gaps.ts'
import { pathEntry, TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { isZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { LOSSES_LOOKED_AT_MAX } from '../../model/limits.ts'
import { type Json, type JsonObject, partKey } from '../../model/objects.ts'
import { formatInstant } from '../../model/print-time.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, InputOf, Mint, UseCase, UseCases, View } from '../../store/view.ts'
import { warnOfTenantRoles } from './tenant-roles.ts'
import { warnOfUndeclared } from './undeclared-reads.ts'

/** The use case, which also warns of what its changes take away, and of conditions over what nothing declares. */
function warning<U extends UseCase>(useCase: U): U {
  const run = (view: View, input: InputOf<U>, mint: Mint): Decided<unknown> => {
    const decided = useCase(view, input, mint)
    const found = [
      ...warnOfUndeclared(view, decided.changes),
      ...warnOfLosses(view, decided.changes, mint.now),
      ...warnOfTenantRoles(view, decided.changes),
      ...(decided.also ?? [])
        .filter(({ log }) => !isNew(log, decided.changes))
        .flatMap(({ log, changes }) => [
          ...warnOfUndeclared(view.other(log), changes),
          ...warnOfLosses(view.other(log), changes, mint.now),
          ...warnOfTenantRoles(view.other(log), changes),
        ]),
    ]
    if (found.length === 0) return decided
    return { ...decided, warnings: [...(decided.warnings ?? []), ...found] }
  }
  // same input, same result: only warnings are added
  return run as UseCase as U
}

/** An environment that the same write makes has nothing to lose. */
const isNew = (log: LogId, changes: readonly Change[]): boolean =>
  changes.some((change) => change.op === 'put' && change.kind === 'environment' && change.value.id === log)

/** All of the use cases, with warnings of what their changes take away. */
export const withWarnings = <U extends UseCases>(useCases: U): U =>
  Object.fromEntries(Object.entries(useCases).map(([name, useCase]) => [name, warning(useCase)])) as U

/** What the changes take away that can make a condition true, or give a derived role: a sentence for each. */
function warnOfLosses(view: View, changes: readonly Change[], now: number): string[] {
  const hasSets = view.count('condition_set') > 0
  const losing = changes.filter((change) => {
    const { op, kind } = change
    if (op === 'delete') return kind === 'role_assignment' || (hasSets && DELETABLE.has(kind))
    return (hasSets && RESETTABLE.has(kind)) || getsEnd(view, change)
  })
  if (losing.length === 0) return []
  const found = new Losses(view, changes, now).warnings(losing.slice(0, LOSSES_LOOKED_AT_MAX))
  const isLeftOut = losing
    .slice(LOSSES_LOOKED_AT_MAX)
    .some(({ op, kind, key }) => op === 'delete' || view.get(kind, key) !== undefined)
  if (!isLeftOut) return found
  // first, so that it is among those that are shown
  return [
    `only the first ${LOSSES_LOOKED_AT_MAX} of ${losing.length} changes that can take something away were looked at`,
    ...found,
  ]
}

/** The same of the ends alone that the changes give to role assignments. */
export function warnOfEnds(view: View, changes: readonly Change[], now: number): string[] {
  const ending = changes.filter((change) => getsEnd(view, change)).slice(0, LOSSES_LOOKED_AT_MAX)
  return ending.length === 0 ? [] : new Losses(view, changes, now).warnings(ending)
}

/** Whether a change gives a role an end, or another one than it has. */
function getsEnd(view: View, change: Change): boolean {
  if (change.op !== 'put' || change.kind !== 'role_assignment') return false
  const { user, valid_until: until = null } = change.value
  if (user === EVERYBODY) return false // conditions and `no_direct_roles_on_object` do not count it (D16)
  return until !== null && view.get('role_assignment', change.key)?.valid_until !== until
}

/** Kinds of objects that conditions count on. */
const DELETABLE: ReadonlySet<KindName> = new Set(['membership', 'user', 'tenant', 'resource_instance'] as const)
/** Kinds of objects whose fields a write can reset. */
const RESETTABLE: ReadonlySet<KindName> = new Set([
  'user',
  'tenant',
  'resource_instance',
  'resource',
  'built_in',
] as const)

/** A gap, and the set that has it. */
interface SetGap {
  readonly set: ConditionSet
  readonly gap: Gap
}

class Losses {
  readonly #before: View
  readonly #changes: readonly Change[]
  /** ms since 1970: what is gone is gone from then on */
  readonly #now: number
  /** with the changes; made when something asks, because most writes take nothing away that counts */
  #draft: Draft | undefined
  /** by the sentence: whom it is about, the first one and how many more */
  readonly #found = new Map<string, { readonly first: string; more: number }>()
  // what was looked up, so that a write of many objects looks once
  readonly #gapsOfName = new Map<string, readonly SetGap[]>()
  readonly #readersOf = new Map<string, readonly ConditionSet[]>()
  readonly #switched = new Map<string, readonly string[]>()
  readonly #conditions = new Map<string, Condition>()

  constructor(view: View, changes: readonly Change[], now: number) {
    this.#before = view
    this.#changes = changes
    this.#now = now
  }

  get #after(): Draft {
    this.#draft ??= new Draft(this.#before).stage(this.#changes)
    return this.#draft
  }

  /** What some of the changes take away. */
  warnings(lookedAt: readonly Change[]): string[] {
    for (const change of lookedAt) this.#look(change)
    const formatFound = (first: string, more: number): string => (more === 0 ? first : `${first} and ${more} more`)
    return Array.from(this.#found, ([text, { first, more }]) => `${text} ${formatFound(first, more)}`)
  }

  #look(change: Change): void {
    if (change.op === 'delete') this.#deleted(change.kind, change.key)
    else if (change.kind === 'role_assignment') this.#end(change.value)
    else if (change.kind === 'user') this.#user(change.key, change.value)
    else if (change.kind === 'tenant') this.#tenant(change.key, change.value)
    else if (change.kind === 'resource_instance') this.#instance(change.key, change.value)
    else if (change.kind === 'resource' || change.kind === 'built_in') this.#declarations(change.kind, change.value)
  }

  #deleted(kind: KindName, key: string): void {
    if (kind === 'role_assignment') this.#assignment(key)
    else if (kind === 'membership') this.#membership(key)
    else if (kind === 'user') this.#user(key, undefined)
    else if (kind === 'tenant') this.#tenant(key, undefined)
    else if (kind === 'resource_instance') this.#instance(key, undefined)
  }

  #user(key: string, after: User | undefined): void {
    const before = this.#before.get('user', key)
    if (before === undefined) return
    const reads = (name: string) => this.#gaps(USER_TYPE, name, ({ root }) => root === 'user')
    this.#attributes(userAttributes(before), after && userAttributes(after), reads, `user \`${key}\``)
  }

  #tenant(key: string, after: Tenant | undefined): void {
    const { attributes } = this.#before.get('tenant', key) ?? {}
    if (attributes) this.#attributes(attributes, after?.attributes ?? {}, this.#tenantGaps, `tenant \`${key}\``)
  }

  #instance(key: string, after: ResourceInstance | undefined): void {
    const before = this.#before.get('resource_instance', key)
    if (before === undefined) return
    const type = before.resource
    const reads = (name: string) => [
      ...this.#gaps(type, name, ({ root, type: followed }) => root === 'resource' || followed === type),
      ...lostPaths({ [name]: before.attributes[name] ?? null }, after?.attributes).flatMap((names) =>
        this.#gapsByPath(['resource', ...names].join('.')),
      ),
    ]
    this.#attributes(before.attributes, after?.attributes, reads, `resource instance \`${key}\``)
  }

  /** What had a value and has none now. */
  #attributes(
    before: JsonObject,
    after: JsonObject = {},
    reads: (name: string) => readonly SetGap[],
    who: string,
  ): void {
    for (const name of Object.keys(before)) {
      if (before[name] === after[name]) continue
      for (const { set, gap } of reads(name)) {
        if (isLost(gap.names, before, after)) this.#warn(`${negation(set, gap)}: it is gone from`, who)
      }
    }
  }

  #assignment(key: string): void {
    const gone = this.#before.get('role_assignment', key)
    // what is not in force gives nothing that could go
    if (gone === undefined || !isInForce(gone, this.#now)) return
    const { user, role, tenant, resource_instance: instance } = gone
    if (user === EVERYBODY) return
    if (instance !== null) {
      for (const derived of this.#derivedWithout(gone, this.#now))
        this.#warn(`${derived}: the last one is gone from`, `user \`${user}\` on \`${instance}\``)
      return
    }
    for (const set of this.#readers(USER_TYPE, 'roles')) {
      if (!gainsByLoss(this.#conditionOf(set), 'roles', role)) continue
      const what = `condition set \`${set.key}\` tests \`user.roles\` and may now be true`
      this.#warn(`${what}: role \`${role}\` is gone from`, `user \`${user}\` in tenant \`${tenant}\``)
    }
  }

  /** A role whose end takes away what conditions count on, or a direct role that keeps a derived one away. */
  #end(assignment: RoleAssignment): void {
    const { user, role, tenant, resource_instance: instance, valid_until: until } = assignment
    if (until === null || until === undefined) return
    const at = formatInstant(until)
    if (instance !== null) {
      for (const derived of this.#derivedWithout(assignment, until))
        this.#warn(
          `${derived} and may then be given: the last one, \`${role}\`, ends for`,
          `user \`${user}\` on \`${instance}\` at ${at}`,
        )
    }
    const ends = `role \`${role}\` ends for`
    const who = `user \`${user}\` in tenant \`${tenant}\` at ${at}`
    if (instance === null) this.#listEnds('roles', role, ends, who)
    // a role on an instance is a tie to its tenant, too (D6)
    this.#listEnds('tenants', tenant, ends, who)
    const attributes = this.#after.get('tenant', tenant)?.attributes ?? {}
    for (const name of Object.keys(attributes))
      for (const { set, gap } of this.#tenantGaps(name))
        if (isLost(gap.names, attributes, {})) this.#warn(`${negation(set, gap, 'then')}: ${ends}`, who)
  }

  #listEnds(list: 'roles' | 'tenants', item: string, ends: string, who: string): void {
    for (const set of this.#readers(USER_TYPE, list)) {
      if (gainsByLoss(this.#conditionOf(set), list, item))
        this.#warn(`condition set \`${set.key}\` tests \`user.${list}\` and may then be true: ${ends}`, who)
    }
  }

  /** The roles that are derived for a user without a direct role on an object, if this one is the last at an instant. */
  #derivedWithout({ id, user, resource_instance }: RoleAssignment, at: number): readonly string[] {
    const instance = resource_instance ?? ''
    const roles = this.#switchedRoles(instance.slice(0, instance.indexOf(':')))
    if (roles.length === 0) return []
    const after = this.#after
    for (const other of after.by('assignments_of_user_on_instance', `${user}/${instance}`))
      if (other.id !== id && isInForce(other, at)) return []
    if (after.get('user', user) === undefined || after.get('resource_instance', instance) === undefined) return []
    return roles.map(
      (role) =>
        `role \`${role}\` is derived for users without a direct role on the object (\`no_direct_roles_on_object\`)`,
    )
  }

  /** The roles of a type that direct roles on the object switch off. */
  #switchedRoles(type: string): readonly string[] {
    return once(this.#switched, type, () =>
      [...this.#before.by('resource_roles_of_resource', type)]
        .filter(({ granted_to: granted }) => {
          const parts = granted ? [granted, ...granted.users_with_role] : []
          return parts.some(({ when }) => when.no_direct_roles_on_object)
        })
        .map(({ role }) => `${type}#${role}`),
    )
  }

  /** `user.tenants` gets shorter, and the attributes of the tenant are no longer read for the user (D6: set rules). */
  #membership(key: string): void {
    const membership = this.#before.get('membership', key)
    if (membership === undefined) return
    const { user, tenant } = membership
    const who = `user \`${user}\``
    const gone = `tenant \`${tenant}\` is gone from`
    for (const set of this.#readers(USER_TYPE, 'tenants')) {
      if (gainsByLoss(this.#conditionOf(set), 'tenants', tenant))
        this.#warn(`condition set \`${set.key}\` tests \`user.tenants\` and may now be true: ${gone}`, who)
    }
    const attributes = this.#before.get('tenant', tenant)?.attributes ?? {}
    for (const name of Object.keys(attributes)) {
      for (const { set, gap } of this.#tenantGaps(name))
        if (isLost(gap.names, attributes, {})) this.#warn(`${negation(set, gap)}: ${gone}`, who)
    }
  }

  /** Stored values of another type than the declared one count as missing. */
  #declarations(kind: 'resource' | 'built_in', after: Resource): void {
    const { key } = after
    const before = this.#before.get(kind, key)
    if (before === undefined || !this.#hasValues(key)) return
    const was = new Map(before.attributes.map(({ key: name, type }) => [name, type]))
    for (const { key: name, type } of after.attributes) {
      if (type === 'json' || was.get(name) === type) continue
      for (const { set, gap } of this.#gaps(key, name, ({ root }) => root !== 'context' && root !== 'action')) {
        const what = `what is stored as another type than ${type} now counts as missing in`
        this.#warn(`${negation(set, gap)}: ${what}`, `\`${key}\``)
      }
    }
  }

  #hasValues(type: string): boolean {
    if (type === USER_TYPE) return this.#before.count('user') > 0
    if (type === TENANT_TYPE) return this.#before.count('tenant') > 0
    return this.#before.countBy('instances_of_resource', type) > 0
  }

  #warn(text: string, who: string): void {
    const known = this.#found.get(text)
    if (known) known.more++
    else this.#found.set(text, { first: who, more: 0 })
  }

  readonly #tenantGaps = (name: string) => this.#gaps(TENANT_TYPE, name, ({ root }) => root === 'tenant')

  /** The gaps over an attribute of a type; `isOf` says which readings of that name are of the type. */
  #gaps(type: string, name: string, isOf: (gap: Gap) => boolean): readonly SetGap[] {
    return once(this.#gapsOfName, partKey(type, name), () =>
      this.#readers(type, name).flatMap((set) =>
        gapsIn(this.#conditionOf(set))
          .filter((gap) => gap.names[0] === name && isOf(gap))
          .map((gap) => ({ set, gap })),
      ),
    )
  }

  /** The gaps of user sets that read an attribute of resources: they belong to no type, so only the path finds them. */
  #gapsByPath(path: string): readonly SetGap[] {
    return once(this.#gapsOfName, path, () =>
      this.#used(this.#before.by('sets_by_path', pathEntry(path)))
        .filter(({ resource }) => resource === null)
        .flatMap((set) =>
          gapsIn(this.#conditionOf(set))
            .filter((gap) => gapName(gap) === path)
            .map((gap) => ({ set, gap })),
        ),
    )
  }

  #readers(type: string, name: string): readonly ConditionSet[] {
    return once(this.#readersOf, partKey(type, name), () =>
      this.#used(this.#before.by('sets_reading', partKey(type, name))),
    )
  }

  /** Those of the sets that a rule uses after the changes, themselves or below them, as they are then. */
  #used(sets: Iterable<ConditionSet>): ConditionSet[] {
    return [...sets].flatMap(({ key }) => {
      const now = this.#after.get('condition_set', key)
      return now !== undefined && this.#isUsed(key) ? [now] : []
    })
  }

  #isUsed(key: string): boolean {
    const after = this.#after
    if (after.countBy('rules_of_user_set', key) + after.countBy('rules_of_resource_set', key) > 0) return true
    for (const child of after.by('sets_with_parent', key)) if (this.#isUsed(child.key)) return true
    return false
  }

  /** The conditions of the set and of its parents: what one leaves open another may close. */
  #conditionOf(set: ConditionSet): Condition {
    return once(this.#conditions, set.key, () => {
      const items: Condition[] = []
      let at: ConditionSet | undefined = set
      while (at !== undefined) {
        items.push(parsed(at.conditions))
        at = at.parent === null ? undefined : this.#after.get('condition_set', at.parent)
      }
      return { kind: 'all', items }
    })
  }
}

/** The value of a name, found once. */
function once<T>(values: Map<string, T>, name: string, find: () => T): T {
  let value = values.get(name)
  if (value === undefined) {
    value = find()
    values.set(name, value)
  }
  return value
}

const negation = (set: ConditionSet, gap: Gap, when: 'now' | 'then' = 'now'): string =>
  `condition set \`${set.key}\` has a \`not\` over \`${gapName(gap)}\`, which may ${when} be true`

const userAttributes = ({ email, first_name, last_name, attributes }: User): JsonObject => ({
  email,
  first_name,
  last_name,
  ...attributes,
})

function isLost(names: readonly string[], before: JsonObject, after: JsonObject): boolean {
  return valueAt(before, names) != null && valueAt(after, names) == null
}

/** The paths that had a value and have none now, also inside objects. */
function lostPaths(before: JsonObject, after: JsonObject = {}): string[][] {
  return Object.entries(before).flatMap(([name, value]) => {
    const now = Object.hasOwn(after, name) ? after[name] : null
    if (value === null || value === now) return []
    const inside = isObject(value) ? lostPaths(value, isObject(now) ? now : {}) : []
    return [...(now == null ? [[name]] : []), ...inside.map((names) => [name, ...names])]
  })
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueAt(from: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = from
  for (const name of names) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** Conditions of an older version that are invalid now are false: nothing makes them true. */
function parsed(conditions: JsonObject): Condition {
  try {
    return parseConditions(conditions)
  } catch (error) {
    if (isZerohopError(error)) return { kind: 'any', items: [] }
    throw error
  }
}
