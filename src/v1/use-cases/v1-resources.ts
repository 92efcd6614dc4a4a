// Resources of the first API version: several at once by their type, or one by its name with a list of actions. Actions
// are created or changed, never removed: clients of that version sync a resource first and its actions one by one, so a
// list of actions may be incomplete.

import type { Action, Resource } from '../../kinds/resource.ts'
import { stageEach, within } from '../../management/objects/bulk-items.ts'
import { createAction, type PartOf, updateAction } from '../../management/objects/resource-parts.ts'
import { createResource, updateResource } from '../../management/objects/resources.ts'
import { requireSameKey } from '../../management/rules/collection.ts'
import { BODY, type Path, type Sent, settleText } from '../../management/rules/fields.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { V1_RESOURCES_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { named } from './error-locations.ts'

export interface V1ActionInput {
  readonly title?: Sent<string>
  readonly description?: Sent<string>
  readonly path?: Sent<string>
  readonly attributes?: Sent<JsonObject>
}
export interface V1NamedAction extends V1ActionInput {
  readonly name: string
}
interface Described {
  readonly description?: Sent<string>
  readonly attributes?: Sent<JsonObject>
}
export interface V1TypedResource extends Described {
  readonly type: string
  readonly actions?: Sent<Readonly<Record<string, V1ActionInput>>>
}
export interface V1NamedResource extends Described {
  readonly name?: Sent<string>
  /** the kind of resource, such as `rest` */
  readonly type?: Sent<string>
  readonly path?: Sent<string>
  readonly actions?: Sent<readonly V1NamedAction[]>
}

/** `resources` by their type. All or none. */
export function v1PutResources(
  view: View,
  { resources }: { readonly resources: readonly V1TypedResource[] },
  mint: Mint,
): Decided<readonly Resource[]> {
  const path = [...BODY, 'resources']
  const draft = stageEach(view, { items: resources, path, what: 'resources', limit: V1_RESOURCES_MAX }, (below, one) =>
    named({ key: 'type', type_attributes: 'attributes' }, () => {
      const actions = Object.entries(one.actions ?? {})
      return putResource(below, one.type, one, actions, undefined, mint)
    }),
  )
  return { changes: draft.changes(), result: resources.map(({ type }) => draft.require('resource', type)) }
}

/** One resource by its name, which is its key, or by its id. */
export function v1PutResource(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: V1NamedResource },
  mint: Mint,
): Decided<Resource> {
  const stored = view.find('resource', ref)
  requireSameKey(fields.name, stored?.key ?? ref, [...BODY, 'name'])
  const v1 = {
    path: settleText(fields.path ?? undefined, stored?.v1?.path ?? null, 'path'),
    type: settleText(fields.type ?? undefined, stored?.v1?.type ?? null, 'type'),
    name: fields.name ?? stored?.v1?.name ?? null,
  }
  const actions = (fields.actions ?? []).map(({ name: key, ...action }) => [key, action] as const)
  return named({ key: 'name', type_attributes: 'attributes' }, () =>
    putResource(view, ref, fields, actions, v1, mint, (at) => [at, 'name']),
  )
}

/** Creates one action of a resource, or updates the fields that are sent. */
export function v1PutAction(
  view: View,
  { resource: ref, action }: { readonly resource: string; readonly action: V1NamedAction },
  mint: Mint,
): Decided<PartOf<Action>> {
  const { name: key, ...fields } = action
  return named({ key: 'name', name: 'title' }, () => putAction(view, view.require('resource', ref), key, fields, mint))
}

function putResource(
  view: View,
  ref: string,
  { description, attributes }: Described,
  actions: readonly (readonly [string, V1ActionInput])[],
  v1: Resource['v1'],
  mint: Mint,
  place: (at: number) => Path = (at) => [actions[at]?.[0] ?? at],
): Decided<Resource> {
  const draft = new Draft(view)
  const stored = draft.find('resource', ref)
  const fields = {
    ...(typeof description === 'string' ? { description } : {}),
    ...(attributes ? { type_attributes: { ...stored?.type_attributes, ...attributes } } : {}),
    ...(v1 === undefined ? {} : { v1 }),
  }
  const resource = draft.take(
    stored
      ? updateResource(draft, { ref: stored.id, fields }, mint)
      : createResource(draft, { key: ref, ...fields }, mint),
  )
  const seen = new Set<string>()
  for (const [at, [key, action]] of actions.entries()) {
    const path = [...BODY, 'actions', ...place(at)]
    requireKey('action', key, path)
    if (seen.has(key)) throw new ZerohopError('OBJECT_EXISTS', { kind: 'action', key }, { path })
    seen.add(key)
    within([...BODY, 'actions', place(at)[0] ?? at], () =>
      named({ name: 'title', key: 'name' }, () =>
        draft.take(putAction(draft, draft.require('resource', resource.key), key, action, mint)),
      ),
    )
  }
  return { changes: draft.changes(), result: draft.require('resource', resource.key) }
}

function putAction(
  view: View,
  resource: Resource,
  key: string,
  { title, description, path, attributes }: V1ActionInput,
  mint: Mint,
): Decided<PartOf<Action>> {
  const stored = resource.actions.find((action) => action.key === key)
  const fields = {
    ...(typeof title === 'string' ? { name: title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(attributes ? { attributes: { ...stored?.attributes, ...attributes } } : {}),
    v1: { path: settleText(path ?? undefined, stored?.v1?.path ?? null, 'path'), name: key },
  }
  if (stored) return updateAction(view, { resource: resource.id, ref: stored.id, fields }, mint)
  return createAction(view, { resource: resource.id, action: { key, ...fields } }, mint)
}
