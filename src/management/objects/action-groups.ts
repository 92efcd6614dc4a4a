// Action groups: a named list of actions of one resource type, for user interfaces. They do not affect decisions.

import { actionGroupFields } from '../../kinds/action-group.ts'
import type { Resource } from '../../kinds/resource.ts'
import { ACTION_GROUPS_MAX } from '../../model/limits.ts'
import { type Collection, makePartWrites } from '../rules/collection.ts'
import type { Path } from '../rules/fields.ts'
import { fieldRules } from '../rules/settle-fields.ts'
import type { ActionGroupUpdate } from '../schemas/action-groups.ts'
import { requirePart } from './resource-parts.ts'

export const actionGroups: Collection<'action_group', ActionGroupUpdate> = {
  kind: 'action_group',
  limit: ACTION_GROUPS_MAX,
  ...fieldRules(actionGroupFields, {
    actions: {
      unsent: [],
      settle: ({ actions }, current, { view, of, path }) =>
        actions === undefined
          ? current
          : resolveActions(view.require('resource', of), actions ?? [], [...path, 'actions']),
    },
  }),
  removed: () => [],
}

function resolveActions(resource: Resource, sent: readonly string[], path: Path): string[] {
  return [...new Set(sent.map((ref, at) => requirePart('action', resource.actions, ref, [...path, at]).key))]
}

export const {
  create: createActionGroup,
  update: updateActionGroup,
  replace: replaceActionGroup,
  remove: deleteActionGroup,
} = makePartWrites(actionGroups, 'group')
