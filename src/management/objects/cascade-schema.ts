// What a delete of a part of the schema removes or changes besides the part itself; the steps over facts are
// cascade.ts. Each step reads what the one before left, so that an object that two steps touch is one change (D11).

import type { Relation } from '../../kinds/relation.ts'
import type { Resource } from '../../kinds/resource.ts'
import type { ResourceRole } from '../../kinds/resource-role.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { partKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { afterActions, afterFacts, removals, withoutAssignments } from '../rules/cascade.ts'
import { withoutParent } from '../rules/role-permissions.ts'
import { withoutRules } from './derivations.ts'

/**
 * A role of a resource type takes along its assignments, invites to it and derivations from it; other roles no longer
 * extend it.
 */
export function afterResourceRole(view: View, { key, role, resource }: ResourceRole, mint: Mint): Change[] {
  const draft = new Draft(view)
  draft.stage(withoutAssignments(draft, draft.by('assignments_of_role', key)))
  draft.stage(removals('user_invite', draft.by('invites_of_role', key)))
  for (const child of [...draft.by('resource_roles_with_parent', key)]) {
    draft.stage([put('resource_role', withoutParent(child, role, mint.now))])
  }
  for (const derived of [...draft.by('resource_roles_derived_from', key)]) {
    if (derived.key === key) continue
    const left = withoutRules(derived, (rule) => rule.on_resource === resource && rule.role === role, mint)
    draft.stage([put('resource_role', left)])
  }
  return draft.changes()
}

/** A relation takes along its tuples and the derivations over it. */
export function afterRelation(view: View, { key, relation }: Relation, mint: Mint): Change[] {
  const draft = new Draft(view)
  draft.stage(removals('relationship_tuple', draft.by('tuples_of_relation', key)))
  for (const role of [...draft.by('resource_roles_linked_by', key)]) {
    draft.stage([
      put(
        'resource_role',
        withoutRules(role, (rule) => rule.linked_by_relation === relation, mint),
      ),
    ])
  }
  return draft.changes()
}

/**
 * A resource type takes along everything that names it: permissions, roles, relations at either end, action groups,
 * condition sets and their rules, instances and what hangs on them.
 * @throws OBJECT_IN_USE when a condition that stays reads instances of it
 */
export function afterResource(view: View, resource: Resource, mint: Mint): Change[] {
  const { key } = resource
  const draft = new Draft(view)
  refuseReaders(view, resource)
  draft.stage(afterActions(draft, key, () => true, mint)).stage(afterFacts(draft, key))
  for (const role of [...draft.by('resource_roles_of_resource', key)]) {
    draft.stage([...afterResourceRole(draft, role, mint), remove('resource_role', role.key)])
  }
  const ends = [...draft.by('relations_of_resource', key), ...draft.by('relations_from_subject', key)]
  for (const relation of ends) draft.stage([...afterRelation(draft, relation, mint), remove('relation', relation.key)])
  draft.stage(removals('action_group', draft.by('action_groups_of_resource', key)))
  for (const set of draft.by('sets_on_resource', key)) {
    draft.stage([...afterSet(draft, set.key), remove('condition_set', set.key)])
  }
  return draft.changes()
}

/** A condition set takes along the rules with it. */
export function afterSet(view: View, set: string): Change[] {
  return [
    ...removals('set_rule', view.by('rules_of_user_set', set)),
    ...removals('set_rule', view.by('rules_of_resource_set', set)),
  ]
}

/**
 * Sets on the resource itself go with it; any other that reads its attributes, or its instances by key, would begin to
 * mean something else.
 */
function refuseReaders(view: View, { key, attributes }: Resource): void {
  const read = [key, ...attributes.map((attribute) => partKey(key, attribute.key))]
  for (const name of read) {
    for (const set of view.by('sets_reading', name)) {
      if (set.resource === key) continue
      throw new ZerohopError('OBJECT_IN_USE', { kind: 'resource', key, by: `condition set \`${set.key}\`` })
    }
  }
}
