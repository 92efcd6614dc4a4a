// Action groups: a named list of actions of one resource type, for user interfaces. They do not affect decisions.

import type { Resource } from '../../kinds/resource.ts'
import { ACTION_GROUPS_MAX } from '../../model/limits.ts'
import { type Collection, partWritesOf } from '../rules/collection.ts'
import { type Path, settleAttributes, settleName, settleText } from '../rules/fields.ts'
import type { ActionGroupUpdate } from '../schemas/action-groups.ts'
import { requirePart } from './parts.ts'

export const actionGroups: Collection<'action_group', ActionGroupUpdate> = {
  kind: 'action_group',
  limit: ACTION_GROUPS_MAX,
  defaults: (key, _mint, of) => ({
    resource: of,
    group: key,
    name: key,
    description: null,
    attributes: null,
    actions: [],
  }),
  merge: (base, sent, { view, key, of, path }) => {
    const resource = view.require('resource', of)
    return {
      resource: of,
      group: key,
      name: settleName(sent.name, base.name, key, path),
      description: settleText(sent.description, base.description, 'description', path),
      attributes: settleAttributes(sent.attributes, base.attributes, null, [...path, 'attributes']),
      actions:
        sent.actions === undefined ? base.actions : actionsOf(resource, sent.actions ?? [], [...path, 'actions']),
    }
  },
  removed: () => [],
}

function actionsOf(resource: Resource, sent: readonly string[], path: Path): string[] {
  return [...new Set(sent.map((ref, at) => requirePart('action', resource.actions, ref, [...path, at]).key))]
}

export const {
  create: createActionGroup,
  update: updateActionGroup,
  replace: replaceActionGroup,
  remove: deleteActionGroup,
} = partWritesOf(actionGroups, 'group')
