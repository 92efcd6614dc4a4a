// Action groups: a named list of actions of one resource type, for user interfaces. They do not affect decisions.
import { ACTION_GROUPS_MAX } from '../../model/limits.ts'
import type { Resource } from '../../model/objects.ts'
import type { Mint, View } from '../../store/view.ts'
import { type Collection, create, erase, patch } from '../collection.ts'
import { type Path, settleAttributes, settleName, settleText } from '../fields.ts'
import { requirePart } from '../resources/parts.ts'
import type { ActionGroupCreate, ActionGroupUpdate } from './schema.ts'

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

interface OnResource {
  readonly resource: string
}
type OneGroup = OnResource & { readonly ref: string }
type NewGroup = OnResource & { readonly group: ActionGroupCreate }

const placeOf = (view: View, { resource }: OnResource): { readonly of: string } => ({
  of: view.require('resource', resource).key,
})

export const createActionGroup = (view: View, input: NewGroup, mint: Mint) =>
  create(actionGroups, view, input.group, mint, placeOf(view, input))
export const updateActionGroup = (view: View, input: OneGroup & { fields: ActionGroupUpdate }, mint: Mint) =>
  patch(actionGroups, view, input, mint, placeOf(view, input))
export const deleteActionGroup = (view: View, input: OneGroup, mint: Mint) =>
  erase(actionGroups, view, input, mint, placeOf(view, input))
