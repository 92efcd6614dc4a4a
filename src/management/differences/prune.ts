// Deletes what a policy file owns and does not name, on a draft and through the use cases of single deletes, so that
// what hangs on an object goes as it would through the API. It runs before the file is applied: what the file says then
// stands, and a file that still refers to something deleted is refused by what it applies.

import type { ConditionSet } from '../../kinds/condition-set.ts'
import type { Membership } from '../../kinds/membership.ts'
import { type Change, put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { partKey } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { actionGroups } from '../objects/action-groups.ts'
import { conditionSets } from '../objects/condition-sets.ts'
import { deleteInstance } from '../objects/instances.ts'
import { deleteAction, deleteAttribute } from '../objects/parts.ts'
import { relations } from '../objects/relations.ts'
import { resourceRoles } from '../objects/resource-roles.ts'
import { resources } from '../objects/resources.ts'
import { roles } from '../objects/roles.ts'
import { tenants } from '../objects/tenants.ts'
import { users } from '../objects/users.ts'
import { removals, withoutAssignments } from '../rules/cascade.ts'
import { erase } from '../rules/collection.ts'
import { BODY, type Path } from '../rules/fields.ts'
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

/** The changes after which a user was not put into the tenant: a role in it still keeps the user there. */
export function afterLeaving(view: View, membership: Membership, { now }: Mint): Change[] {
  const name = `${membership.user}/${membership.tenant}`
  const roles =
    view.countBy('assignments_of_user_in_tenant', name) + view.countBy('instance_assignments_of_user_in_tenant', name)
  if (roles === 0) return removals('membership', [membership])
  return [put('membership', { ...membership, explicit: false, updated_at: now })]
}

class Pruning {
  readonly #draft: Draft
  readonly #of: Pruned

  constructor(draft: Draft, of: Pruned) {
    this.#draft = draft
    this.#of = of
  }

  run(): void {
    this.#facts()
    this.#sets()
    this.#roles()
    this.#parts()
    this.#resources()
  }

  #isDue(kind: PolicyKind, key: string): boolean {
    return this.#of.ownership.owns(kind, key) && !this.#of.named.has(kind, key)
  }

  /** Objects of the kind that go; none is read when the file owns none. */
  #due<T extends { readonly key: string }>(kind: PolicyKind, objects: () => Iterable<T>): T[] {
    if (!this.#of.ownership.kinds.has(kind)) return []
    return Array.from(objects()).filter(({ key }) => this.#isDue(kind, key))
  }

  #facts(): void {
    const draft = this.#draft
    const { mint } = this.#of
    draft.stage(
      withoutAssignments(
        draft,
        this.#due('role_assignment', () => draft.list('role_assignment')),
      ),
    )
    const tuples = this.#due('relationship_tuple', () => draft.list('relationship_tuple'))
    draft.stage(removals('relationship_tuple', tuples))
    for (const { key } of this.#due('resource_instance', () => draft.list('resource_instance')))
      if (draft.get('resource_instance', key)) draft.take(deleteInstance(draft, { ref: key }, mint))
    for (const membership of this.#due('membership', () => draft.list('membership')))
      if (membership.explicit) draft.stage(afterLeaving(draft, membership, mint))
    for (const { key } of this.#due('user', () => draft.list('user')))
      draft.take(erase(users, draft, { ref: key }, mint))
    for (const { key } of this.#due('tenant', () => draft.list('tenant')))
      draft.take(erase(tenants, draft, { ref: key }, mint))
  }

  /** Sets that the file names get their parents when it is applied; until then they hold on to none. */
  #sets(): void {
    const draft = this.#draft
    const { mint, policy, ownership } = this.#of
    draft.stage(
      removals(
        'set_rule',
        this.#due('set_rule', () => draft.list('set_rule')),
      ),
    )
    for (const { key, conditions } of policy.condition_sets ?? []) {
      const stored = draft.get('condition_set', key)
      if (stored === undefined) continue
      const changed = JSON.stringify(stored.conditions) !== JSON.stringify(conditions)
      if (stored.parent !== null || changed)
        draft.stage([put('condition_set', { ...stored, parent: null, ...(changed ? { conditions: {} } : {}) })])
    }
    const gone = this.#due('condition_set', () => draft.list('condition_set'))
    for (const { key } of gone.toSorted((left, right) => this.#depth(right) - this.#depth(left)))
      draft.take(erase(conditionSets, draft, { ref: key }, mint))
    for (const { key, path } of replacedSets(draft, policy)) {
      requireOwned(ownership.owns('condition_set', key), key, path)
      draft.take(erase(conditionSets, draft, { ref: key }, mint))
    }
  }

  /** How many sets are above it. Chains of stored sets are bounded. */
  #depth(set: ConditionSet): number {
    let depth = 0
    for (let above = set.parent; above !== null; depth++)
      above = this.#draft.get('condition_set', above)?.parent ?? null
    return depth
  }

  #roles(): void {
    for (const { key } of this.#due('role', () => this.#draft.list('role')))
      this.#draft.take(erase(roles, this.#draft, { ref: key }, this.#of.mint))
  }

  #parts(): void {
    const draft = this.#draft
    const { mint } = this.#of
    for (const { resource: of, role } of this.#due('resource_role', () => draft.list('resource_role')))
      draft.take(erase(resourceRoles, draft, { ref: role }, mint, { of }))
    for (const { resource: of, relation } of this.#due('relation', () => draft.list('relation')))
      draft.take(erase(relations, draft, { ref: relation }, mint, { of }))
    for (const { resource: of, group } of this.#due('action_group', () => draft.list('action_group')))
      draft.take(erase(actionGroups, draft, { ref: group }, mint, { of }))
    for (const { key, path } of replacedRelations(draft, this.#of.policy)) {
      requireOwned(this.#of.ownership.owns('relation', key), key, path)
      const slash = key.indexOf('/')
      draft.take(erase(relations, draft, { ref: key.slice(slash + 1) }, mint, { of: key.slice(0, slash) }))
    }
  }

  #resources(): void {
    const draft = this.#draft
    const { mint, ownership } = this.#of
    for (const { key } of this.#due('resource', () => draft.list('resource')))
      draft.take(erase(resources, draft, { ref: key }, mint))
    if (ownership.kinds.has('action') || ownership.kinds.has('attribute')) {
      for (const resource of [...draft.list('resource')]) {
        for (const { key } of resource.actions)
          if (this.#isDue('action', partKey(resource.key, key)))
            draft.take(deleteAction(draft, { resource: resource.key, ref: key }, mint))
        for (const { key } of resource.attributes)
          if (this.#isDue('attribute', partKey(resource.key, key)))
            draft.take(deleteAttribute(draft, { resource: resource.key, ref: key }, mint))
      }
    }
    for (const [kind, type] of [
      ['user_attribute', USER_TYPE],
      ['tenant_attribute', TENANT_TYPE],
    ] as const) {
      for (const { key } of draft.get('built_in', type)?.attributes ?? [])
        if (this.#isDue(kind, key)) draft.take(deleteAttribute(draft, { resource: type, ref: key }, mint))
    }
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
  return (sent ?? []).flatMap(({ key: of, relations: said }, at) =>
    Object.entries(said ?? {}).flatMap(([relation, from]) => {
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
