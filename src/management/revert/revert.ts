// The inverse of a revision, three-way: what it made is deleted, what it deleted is made again, what it changed is
// changed back, and what others wrote since stays. Everything runs through the use cases of single writes on a draft.
// Anything in the way is a conflict; with one conflict nothing is reverted. docs/past-decisions.md has the rules.

import { isDeepStrictEqual } from 'node:util'
import { KINDS, PLAIN_KINDS, type PlainKind } from '../../kinds/index.ts'
import type { SetRule } from '../../kinds/set-rule.ts'
import { type Change, put } from '../../log/change.ts'
import { isZerohopError, type ZerohopError } from '../../model/errors.ts'
import { REVERT_NAMED_MAX } from '../../model/limits.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { type Entry, inOrder, isIdle, listEntries, type PlanEntry } from '../differences/entries.ts'
import { type FileFields, fileObjects } from '../differences/file-words.ts'
import { afterLeaving } from '../differences/prune.ts'
import { type KindCount, planEntries } from '../differences/reconcile.ts'
import { deleteNamed } from '../differences/sent-changes.ts'
import type { Conflict, Lost, Revert, UndoneObject } from '../differences/undone.ts'
import { isOutsideFiles, WRITES } from '../objects/index.ts'
import { createSetRule, exactRule } from '../objects/set-rules.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import { isPart } from '../rules/kinds-in-files.ts'
import { makePolicy } from './policy-of.ts'
import { readUndoing, type Unit } from './units.ts'

export interface Reverted {
  readonly changes: readonly Change[]
  readonly secrets: NonNullable<Decided<unknown>['secrets']>
  readonly entries: readonly Entry[]
  readonly cascade: readonly KindCount[]
  /** with one, nothing else is said */
  readonly conflicts: readonly Conflict[]
  readonly lost: readonly Lost[]
}

/** @throws INPUT_INVALID when `only` names what the revision did not change */
export function revert(view: View, asked: Revert, mint: Mint): Reverted {
  const { units, others, conflicts, lost } = readUndoing(view, asked)
  if (conflicts.length > 0) return refused(conflicts)
  const reverting = new Reverting(view, units, mint)
  reverting.run(others)
  if (!asked.cascade) reverting.findUsed()
  if (reverting.conflicts.length > 0) return refused(reverting.conflicts)
  const changes = reverting.changes()
  const named = new Set(units.map(({ stored }) => `${stored.kind} ${stored.key}`))
  for (const { kind, key } of others) named.add(`${kind} ${key}`)
  const { entries, cascade } = planEntries(view, changes, (kind, key) => named.has(`${kind} ${key}`))
  return { changes, secrets: reverting.secrets, entries: inOrder(entries), cascade, conflicts: [], lost }
}

const refused = (conflicts: readonly Conflict[]): Reverted => ({
  ...{ changes: [], secrets: [], entries: [], cascade: [], lost: [] },
  conflicts,
})

type When = 'first' | 'with sets' | 'last'

const PLAIN_DELETED = Object.fromEntries(
  PLAIN_KINDS.map((kind) => [kind, KINDS[kind].inFiles.isFact ? 'first' : 'last']),
) as { readonly [K in PlainKind]: When }

/**
 * When objects of a kind are deleted, in this order. `first`: before anything is changed back, since no schema object of
 * the revision holds on to it. `with sets`: conditions that come back are checked against the declarations that were
 * there. `last`: when nothing of the revision refers to it any more.
 */
const DELETED: { readonly [K in PolicyKind]: When } = {
  role_assignment: 'first',
  relationship_tuple: 'first',
  resource_instance: 'first',
  membership: 'first',
  user: 'first',
  ...PLAIN_DELETED,
  set_rule: 'first',
  condition_set: 'with sets',
  attribute: 'with sets',
  user_attribute: 'with sets',
  tenant_attribute: 'with sets',
  role: 'last',
  resource_role: 'last',
  relation: 'last',
  action_group: 'last',
  action: 'last',
  resource: 'last',
}

class Reverting {
  readonly conflicts: Conflict[] = []
  readonly secrets: NonNullable<Decided<unknown>['secrets']>[number][] = []
  readonly #view: View
  readonly #draft: Draft
  readonly #units: readonly Unit[]
  readonly #mint: Mint
  /** by `kind key` of a stored object: the unit whose delete changed it */
  readonly #touched = new Map<string, Unit>()

  constructor(view: View, units: readonly Unit[], mint: Mint) {
    this.#view = view
    this.#draft = new Draft(view)
    this.#units = units
    this.#mint = mint
  }

  run(others: readonly UndoneObject[]): void {
    this.#deleteAll('first')
    for (const other of others) this.#deleteOther(other)
    this.#setAside()
    const replaced = this.#units.filter((unit) => this.#isReplaced(unit))
    const rules = replaced.flatMap((unit) => this.#rulesOf(unit))
    for (const unit of replaced) this.#delete(unit)
    this.#deleteAll('with sets')
    this.#bringBack()
    for (const [unit, rule] of rules) this.#attempt(unit, () => this.#keepRule(rule))
    this.#deleteAll('last')
    if (this.conflicts.length === 0) this.#requireDone()
  }

  changes(): Change[] {
    return this.#draft.changes().filter((change) => !isIdle(this.#view, change))
  }

  /** Objects of others that deletes change or take along are conflicts of what is deleted. */
  findUsed(): void {
    const wanted = new Set(this.#units.map(({ kind, key }) => `${kind} ${key}`))
    const users = new Map<Unit, string[]>()
    for (const change of this.changes()) {
      const unit = this.#touched.get(`${change.kind} ${change.key}`)
      if (unit === undefined) continue
      const names = this.#named(change, wanted)
      if (names.length > 0) users.set(unit, [...(users.get(unit) ?? []), ...names])
    }
    for (const [{ kind, key }, names] of users) {
      const more = names.length - REVERT_NAMED_MAX
      const list = [...names.slice(0, REVERT_NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
      this.conflicts.push({ kind, key, reason: 'used', what: `is used since by ${list}` })
    }
  }

  #deleteAll(when: When): void {
    for (const [kind, at] of Object.entries(DELETED))
      for (const unit of this.#units)
        if (at === when && unit.kind === kind && unit.was === undefined) this.#delete(unit)
  }

  #delete(unit: Unit): void {
    const [draft, mint] = [this.#draft, this.#mint]
    const { kind, key, stored } = unit
    if (fieldsIn(draft, unit) === undefined) return // something else took it along
    this.#attempt(unit, () => {
      const membership = kind === 'membership' ? draft.get('membership', key) : undefined
      const changes = membership ? afterLeaving(draft, membership, mint) : deleteNamed(draft, kind, key, mint).changes
      for (const { kind: of, key: at } of changes) {
        const name = `${of} ${at}`
        if ((of !== stored.kind || at !== stored.key) && !this.#touched.has(name)) this.#touched.set(name, unit)
      }
      draft.stage(changes)
    })
  }

  #deleteOther({ kind, key }: UndoneObject): void {
    const [draft, mint] = [this.#draft, this.#mint]
    if (!isOutsideFiles(kind) || draft.get(kind, key) === undefined) return
    this.#attempt({ kind, key }, () => {
      const { changes, secrets } = WRITES[kind].remove(draft, { ref: key }, mint)
      draft.stage(changes)
      this.secrets.push(...(secrets ?? []))
    })
  }

  /** A relation never changes its types, nor a set its own: another one comes back. */
  #isReplaced(unit: Unit): boolean {
    const fixed =
      unit.kind === 'relation' ? ['subject_resource'] : unit.kind === 'condition_set' ? ['type', 'resource'] : []
    const now = unit.was && fieldsIn(this.#draft, unit)
    return now !== undefined && fixed.some((name) => now[name] !== unit.was?.[name])
  }

  /** Sets of the revision have neither parents nor conditions until those that come back get theirs. */
  #setAside(): void {
    const draft = this.#draft
    for (const { kind, key } of this.#units) {
      const set = kind === 'condition_set' ? draft.get('condition_set', key) : undefined
      if (set !== undefined) draft.stage([put('condition_set', { ...set, parent: null, conditions: {} })])
    }
  }

  /** Rules on a set, which go with it and are rules on the set of its key that comes back. */
  #rulesOf(unit: Unit): (readonly [Unit, SetRule])[] {
    if (unit.kind !== 'condition_set') return []
    const { key } = unit
    const rules = [...this.#draft.by('rules_of_user_set', key), ...this.#draft.by('rules_of_resource_set', key)]
    return rules.map((rule) => [unit, rule] as const)
  }

  #keepRule(rule: SetRule): void {
    if (this.#draft.get('set_rule', rule.key) === undefined)
      this.#draft.take(createSetRule(this.#draft, exactRule(rule), this.#mint))
  }

  #bringBack(): void {
    const units = this.#units.filter(({ was }) => was !== undefined)
    const made = new Set(units.flatMap(({ kind, key }) => (kind === 'resource' ? [key] : [])))
    const rest = units.filter((unit) => {
      const of = isPart(unit.kind) ? unit.key.slice(0, unit.key.indexOf('/')) : undefined
      if (of === undefined || made.has(of) || this.#draft.get('resource', of)) return true
      this.#conflict(unit, 'refused', `cannot come back: resource \`${of}\` does not exist any more`)
      return false
    })
    const { policy, unitAt } = makePolicy(this.#draft, rest)
    const planEntries = new Set<string>()
    const refused = (error: ZerohopError): void => {
      const unit = unitAt(error.path) ?? rest[0]
      const name = `${unit?.kind} ${unit?.key} ${error.message}`
      if (unit !== undefined && !planEntries.has(name)) this.#refuse(unit, error)
      planEntries.add(name)
    }
    applyPolicy(this.#draft, policy, this.#mint, { refused })
  }

  /** Every unit is what it was, and nothing came into being besides. */
  #requireDone(): void {
    for (const unit of this.#units) {
      if (!isDeepStrictEqual(fieldsIn(this.#draft, unit), unit.was))
        this.#conflict(unit, 'refused', 'cannot be made what it was')
    }
    const wanted = new Set(this.#units.map(({ kind, key }) => `${kind} ${key}`))
    for (const change of this.changes()) {
      for (const { op, kind, key } of listEntries(this.#view, change))
        if (op === 'create' && !wanted.has(`${kind} ${key}`))
          this.#conflict({ kind, key }, 'refused', 'does not exist any more, and something refers to it')
    }
  }

  /** What a change does to objects of others, by their names. */
  #named(change: Change, wanted: ReadonlySet<string>): string[] {
    const entries = listEntries(this.#view, change).filter(({ kind, key }) => !wanted.has(`${kind} ${key}`))
    if (entries.length > 0) return entries.map(formatName)
    const isOther = change.op === 'delete' && isOutsideFiles(change.kind)
    return isOther && this.#view.get(change.kind, change.key) ? [formatName(change)] : []
  }

  #attempt(of: Named, run: () => void): void {
    try {
      run()
    } catch (error) {
      if (!isZerohopError(error)) throw error
      this.#refuse(of, error)
    }
  }

  #refuse(of: Named, error: ZerohopError): void {
    const isUsed = error.code === 'OBJECT_IN_USE'
    if (isUsed) this.#conflict(of, 'used', `is used since: ${error.message}`)
    else this.#conflict(of, 'refused', `cannot be reverted: ${error.message}`)
  }

  #conflict({ kind, key }: Named, reason: Conflict['reason'], what: string): void {
    this.conflicts.push({ kind, key, reason, what })
  }
}

interface Named {
  readonly kind: string
  readonly key: string
}

/** The fields of a unit as a view has it; undefined when it does not exist. */
function fieldsIn(view: View, { kind, key, stored }: Unit): FileFields | undefined {
  const object = view.get(stored.kind, stored.key)
  if (object === undefined) return undefined
  return fileObjects(stored.kind, object).find((one) => one.kind === kind && one.key === key)?.fields
}

const formatName = ({ kind, key }: Pick<PlanEntry, 'key'> & { readonly kind: string }): string =>
  `${kind.replaceAll('_', ' ')} \`${key}\``
