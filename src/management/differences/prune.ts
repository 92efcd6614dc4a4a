// Deletes what a policy file owns and does not name, on a draft and through the use cases of single deletes, so that
// what hangs on an object goes as it would through the API. It runs before the file is applied: what the file says then
// stands, and a file that still refers to something deleted is refused by what it applies.

import { type Claimed, HAND } from '../../kinds/claims.ts'
import type { ConditionSet } from '../../kinds/condition-set.ts'
import { type Objects, PLAIN_KINDS, type PlainKind, type WholeKind } from '../../kinds/index.ts'
import type { Membership } from '../../kinds/membership.ts'
import { type Change, put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { partKey } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { WRITES_IN_FILES, WRITES_OF_PARTS } from '../objects/in-files.ts'
import { dropOwnParts, isClaimedBy } from '../rules/claims.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { isPart } from '../rules/kinds-in-files.ts'
import type { PolicyFile } from '../schemas/policy-file.ts'
import type { NamedObjects, Ownership } from './managed.ts'

export interface Pruned {
  readonly policy: PolicyFile
  readonly named: NamedObjects
  readonly ownership: Ownership
  readonly mint: Mint
}

/** Stages the deletes. @throws OBJECT_IN_USE when something that stays, and that the file does not name, reads it */
export function prune(draft: Draft, of: Pruned): void {
  new Pruning(draft, of).run()
}

/** The changes after which nobody put the user into the tenant by hand. */
export const afterLeaving = (view: View, membership: Membership, mint: Mint): Change[] =>
  dropOwnParts('membership', view, [membership], HAND, mint).changes

class Pruning {
  readonly #draft: Draft
  readonly #of: Pruned

  constructor(draft: Draft, of: Pruned) {
    this.#draft = draft
    this.#of = of
  }

  run(): void {
    for (const prune of Object.values(this.#steps())) prune?.()
  }

  /** What deletes the objects of each kind, in this order. null: another step does it too. */
  #steps(): { readonly [K in Exclude<PolicyKind, PlainKind>]: (() => void) | null } {
    const draft = this.#draft
    return {
      role_assignment: () => this.#dropDue('role_assignment'),
      relationship_tuple: () => this.#dropDue('relationship_tuple'),
      resource_instance: () => {
        for (const { key } of this.#listDue('resource_instance'))
          if (draft.get('resource_instance', key)) this.#remove('resource_instance', key)
      },
      membership: () => {
        for (const membership of this.#listDue('membership'))
          if (membership.explicit) draft.stage(afterLeaving(draft, membership, this.#of.mint))
      },
      user: () => this.#removeDue('user'),
      ...Object.fromEntries(PLAIN_KINDS.map((kind) => [kind, () => this.#removeDue(kind)])),
      set_rule: () => this.#dropDue('set_rule'),
      condition_set: () => this.#sets(),
      role: () => this.#removeDue('role'),
      resource_role: () => this.#removeDue('resource_role'),
      relation: () => this.#removeDue('relation'),
      action_group: () => {
        this.#removeDue('action_group')
        this.#replacedRelations()
      },
      resource: () => this.#removeDue('resource'),
      action: () => this.#actionsAndAttributes(),
      attribute: null,
      user_attribute: () => this.#declared('user_attribute', USER_TYPE),
      tenant_attribute: () => this.#declared('tenant_attribute', TENANT_TYPE),
    }
  }

  #isDue(kind: PolicyKind, key: string): boolean {
    return this.#of.ownership.owns(kind, key) && !this.#of.named.has(kind, key)
  }

  /** Objects of the kind that go; none is read when the file owns none. */
  #listDue<K extends WholeKind>(kind: K): Objects[K][] {
    if (!this.#of.ownership.kinds.has(kind)) return []
    return Array.from(this.#draft.list(kind)).filter(
      (object) => this.#isDue(kind, object.key) && isClaimedBy(object as Claimed, HAND),
    )
  }

  /** What others claim too loses only what was made by hand. */
  #dropDue(kind: 'role_assignment' | 'relationship_tuple' | 'set_rule'): void {
    this.#draft.stage(dropOwnParts(kind, this.#draft, this.#listDue(kind), HAND, this.#of.mint).changes)
  }

  #removeDue(kind: WholeKind): void {
    for (const { key } of this.#listDue(kind)) this.#remove(kind, key)
  }

  #remove(kind: WholeKind, key: string): void {
    const slash = isPart(kind) ? key.indexOf('/') : -1
    const of = key.slice(0, Math.max(slash, 0))
    this.#draft.take(WRITES_IN_FILES[kind].remove(this.#draft, { ref: key.slice(slash + 1) }, this.#of.mint, of))
  }

  /** Sets that the file names get their parents when it is applied; until then they hold on to none. */
  #sets(): void {
    const draft = this.#draft
    const { policy, ownership } = this.#of
    for (const { key, conditions } of policy.condition_sets ?? []) {
      const stored = draft.get('condition_set', key)
      if (stored === undefined) continue
      const changed = JSON.stringify(stored.conditions) !== JSON.stringify(conditions)
      if (stored.parent !== null || changed)
        draft.stage([put('condition_set', { ...stored, parent: null, ...(changed ? { conditions: {} } : {}) })])
    }
    const gone = this.#listDue('condition_set')
    for (const { key } of gone.toSorted((left, right) => this.#depth(right) - this.#depth(left)))
      this.#remove('condition_set', key)
    for (const { key, path } of replacedSets(draft, policy)) {
      requireOwned(ownership.owns('condition_set', key), key, path)
      this.#remove('condition_set', key)
    }
  }

  /** How many sets are above it. Chains of stored sets are bounded. */
  #depth(set: ConditionSet): number {
    let depth = 0
    for (let above = set.parent; above !== null; depth++)
      above = this.#draft.get('condition_set', above)?.parent ?? null
    return depth
  }

  #replacedRelations(): void {
    for (const { key, path } of replacedRelations(this.#draft, this.#of.policy)) {
      requireOwned(this.#of.ownership.owns('relation', key), key, path)
      this.#remove('relation', key)
    }
  }

  #actionsAndAttributes(): void {
    const draft = this.#draft
    const { mint, ownership } = this.#of
    const { action, attribute } = WRITES_OF_PARTS
    if (!ownership.kinds.has('action') && !ownership.kinds.has('attribute')) return
    for (const resource of [...draft.list('resource')]) {
      for (const { key } of resource.actions)
        if (this.#isDue('action', partKey(resource.key, key)))
          draft.take(action.remove(draft, { ref: key }, mint, resource.key))
      for (const { key } of resource.attributes)
        if (this.#isDue('attribute', partKey(resource.key, key)))
          draft.take(attribute.remove(draft, { ref: key }, mint, resource.key))
    }
  }

  #declared(kind: 'user_attribute' | 'tenant_attribute', type: string): void {
    const draft = this.#draft
    for (const { key } of draft.get('built_in', type)?.attributes ?? [])
      if (this.#isDue(kind, key)) draft.take(WRITES_OF_PARTS[kind].remove(draft, { ref: key }, this.#of.mint))
  }
}

interface Replaced {
  readonly key: string
  readonly path: Path
}

/** Sets of another type, or over another resource type, than the stored one of the key. */
function replacedSets(view: View, { condition_sets }: PolicyFile): Replaced[] {
  return (condition_sets ?? []).flatMap(({ key, type, resource }, at) => {
    const stored = view.get('condition_set', key)
    const isSame = stored?.type === (type ?? 'userset') && stored.resource === (resource ?? null)
    return stored === undefined || isSame ? [] : [{ key, path: [...BODY, 'condition_sets', at, 'key'] }]
  })
}

/** Relations from another resource type than the stored one of the key. */
function replacedRelations(view: View, { resources: sent }: PolicyFile): Replaced[] {
  return (sent ?? []).flatMap(({ key: of, relations: subjects }, at) =>
    Object.entries(subjects ?? {}).flatMap(([relation, from]) => {
      const stored = view.get('relation', partKey(of, relation))
      const subject = typeof from === 'string' ? from : from.subject_resource
      const path = [...BODY, 'resources', at, 'relations', relation]
      return stored === undefined || stored.subject_resource === subject ? [] : [{ key: stored.key, path }]
    }),
  )
}

/** What never changes would have to be deleted and made again. @throws INPUT_INVALID */
export function requireNothingReplaced(view: View, policy: PolicyFile): void {
  const [first] = [...replacedSets(view, policy), ...replacedRelations(view, policy)]
  if (first === undefined) return
  const reason = `\`${first.key}\` would have to be deleted and made again, which takes \`prune\`: choose another key`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: first.path })
}

/** @throws INPUT_INVALID */
function requireOwned(isOwned: boolean, key: string, path: Path): void {
  if (isOwned) return
  const reason = `\`${key}\` would have to be deleted and made again, and the file does not manage it: choose another key`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}
