// Tuples as facts: who holds a role, and which objects are related. A tuple may be both: a manager is a user who has the
// role, and an object from which roles are derived.
import type { Problem } from '../../management/policy-file/problem.ts'
import { isZerohopError } from '../../model/errors.ts'
import type { Fact, Finding } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import type { Times, TimesOf } from './condition.ts'
import type { Model, Relation, Restriction } from './model.ts'
import type { PolicyOfModel } from './policy.ts'
import { toInstance, toUserKey } from './subjects.ts'
import type { Tuple } from './tuples.ts'

export interface FactsOfTuples {
  readonly facts: readonly Fact[]
  readonly findings: readonly Finding[]
  readonly problems: readonly Problem[]
  /** tuples that OpenFGA has: the others are not allowed by the model, and it ignores them */
  readonly allowed: readonly Tuple[]
  /** each start and end of a grant */
  readonly instants: readonly number[]
}

export interface ToFacts {
  readonly model: Model
  readonly policy: PolicyOfModel
  /** by the name of a condition, or why it has no equal */
  readonly conditions: ReadonlyMap<string, TimesOf | { readonly reason: string }>
}

const TENANT = 'default'

/** @param users who are asked about besides */
export function toFacts(tuples: readonly Tuple[], from: ToFacts, users: readonly string[] = []): FactsOfTuples {
  const made = new Facts(from)
  for (const user of users) made.addUser(user)
  for (const tuple of tuples)
    try {
      made.add(tuple)
    } catch (error) {
      if (!isZerohopError(error)) throw error
      made.problems.push({ severity: 'error', message: error.message, place: tuple.place })
    }
  return made.finish()
}

class Facts {
  readonly #users = new Set<string>()
  readonly #instances = new Map<string, Fact>()
  readonly #grants: Fact[] = []
  readonly #seen = new Map<string, Tuple>()
  readonly #findings: Finding[] = []
  readonly #instants = new Set<number>()
  readonly problems: Problem[] = []

  constructor(readonly from: ToFacts) {}

  addUser(key: string): void {
    this.#users.add(key)
  }

  add(tuple: Tuple): void {
    const { model } = this.from
    const { user, object, place } = tuple
    const relation = model.find(object.type, tuple.relation)
    const restriction = relation?.restrictions.find((each) => fits(each, tuple))
    if (relation === undefined || restriction === undefined) {
      this.#find(tuple, 'note', 'the model does not allow it, so OpenFGA ignores it', 'nothing is to be done')
      return
    }
    const { user: left, relation: middle, object: right } = tuple.written
    const name = JSON.stringify([left, middle, right])
    const before = this.#seen.get(name)
    if (before !== undefined) {
      if (JSON.stringify(before.condition) !== JSON.stringify(tuple.condition))
        this.problems.push({
          ...{ severity: 'error', message: 'the same tuple stands elsewhere with another condition', place },
          related: { place: before.place, message: 'here' },
        })
      return
    }
    this.#seen.set(name, tuple)
    this.#addInstance(object)
    if (user.id !== '*') {
      if (user.relation !== undefined || model.isObjectType(user.type)) this.#addInstance(user)
      if (user.relation === undefined && model.subjects.has(user.type)) this.addUser(toUserKey(user, model))
    }
    this.#addGrants(tuple, relation, restriction)
  }

  #addGrants(tuple: Tuple, relation: Relation, restriction: Restriction): void {
    const { model, policy } = this.from
    const { user, object } = tuple
    const linked = policy.findRelation(relation, restriction)
    const holds = user.relation === undefined && policy.canHold(relation, restriction)
    if (linked === undefined && !holds) {
      if (restriction.isWildcard && relation.isDirect) this.#find(tuple, 'unsaid', ...EVERYONE)
      return
    }
    const times = this.#timesOf(tuple)
    if (times === undefined) return
    const when = times === 'never' ? undefined : printTimes(times)
    if (when === undefined) {
      this.#find(tuple, 'note', 'its condition is not true at any time', 'nothing is to be done')
      return
    }
    for (const instant of Object.values(times)) this.#instants.add(instant as number)
    if (linked !== undefined)
      this.#grants.push({
        kind: 'relationship_tuple',
        fact: { subject: toInstance(user), relation: linked, object: toInstance(object), ...when },
      })
    if (holds)
      this.#grants.push({
        kind: 'role_assignment',
        fact: {
          ...{ user: user.id === '*' ? '*' : toUserKey(user, model), role: encodeKey(relation.name), tenant: TENANT },
          ...{ resource_instance: toInstance(object), ...when },
        },
      })
  }

  #timesOf(tuple: Tuple): Times | undefined {
    if (tuple.condition === undefined) return {}
    const condition = this.from.conditions.get(tuple.condition.name)
    const times = typeof condition === 'function' ? condition(tuple.condition.context) : condition
    if (times !== undefined && (times === 'never' || !('reason' in times))) return times
    const reason = times?.reason ?? 'the model does not have the condition'
    this.#find(
      tuple,
      'unsaid',
      `condition \`${tuple.condition.name}\`: ${reason}`,
      'a set rule whose conditions read what the application sends',
    )
    return undefined
  }

  #addInstance(object: { readonly type: string; readonly id: string }): void {
    const fact = { key: encodeKey(object.id), resource: encodeKey(object.type), tenant: TENANT }
    this.#instances.set(toInstance(object), { kind: 'resource_instance', fact })
  }

  #find({ place, written }: Tuple, kind: Finding['kind'], reason: string, nearest: string): void {
    const what = `${written.user} ${written.relation} ${written.object}`
    this.#findings.push({ ...{ kind, what, reason, nearest }, file: place.file, line: place.line })
  }

  finish(): FactsOfTuples {
    const users = [...this.#users].map((key): Fact => ({ kind: 'user', fact: { key } }))
    // relations before assignments, as files of facts have them
    const grants = this.#grants.toSorted((one, other) => (one.kind === other.kind ? 0 : one.kind < other.kind ? -1 : 1))
    return {
      facts: [...users, ...this.#instances.values(), ...grants],
      ...{ findings: this.#findings, problems: this.problems, allowed: [...this.#seen.values()] },
      instants: [...this.#instants].sort((one, other) => one - other),
    }
  }
}

/** Why everyone of one type cannot be said, and the nearest way. */
export const EVERYONE = [
  'the model has several types of users, and everyone here is users of every type',
  'a role in the tenant, given to each user of that type',
] as const

const fits = (restriction: Restriction, { user, condition }: Tuple): boolean =>
  restriction.type === user.type &&
  restriction.relation === user.relation &&
  restriction.isWildcard === (user.id === '*') &&
  restriction.condition === condition?.name

function printTimes(times: Exclude<Times, 'never'>): object {
  return {
    ...(times.from === undefined ? {} : { valid_from: new Date(times.from).toISOString() }),
    ...(times.until === undefined ? {} : { valid_until: new Date(times.until).toISOString() }),
  }
}
