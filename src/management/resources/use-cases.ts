// Resource types with their actions and declared attributes. Parts are written with their resource, so that one object
// is one change; parts keep their id as long as their key exists.
import { isDeepStrictEqual } from 'node:util'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import {
  ACTIONS_PER_RESOURCE_MAX,
  ATTRIBUTES_PER_RESOURCE_MAX,
  PERMISSIONS_MAX,
  RESOURCES_MAX,
} from '../../model/limits.ts'
import type { Action, AttributeDefinition, Resource, Stored, V1Action, V1Resource } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterActions } from '../cascade.ts'
import { afterResource } from '../cascade-schema.ts'
import { type Collection, create, erase, patch, replace } from '../collection.ts'
import { keepReaders } from '../condition-sets/condition-types.ts'
import { BODY, type Path, settleAttributes, settleName, settleText } from '../fields.ts'
import { writeRelations } from '../relations/use-cases.ts'
import { writeRoles } from '../resource-roles/use-cases.ts'
import { v1OfAction, v1OfResource } from '../v1compat.ts'
import type { ActionBlock, AttributeBlock, ResourceUpdate } from './schema.ts'

/** The input for an action; `v1` comes from writes of the first API version. */
export type ActionFields = ActionBlock & { readonly v1?: V1Action }
/** The input for a resource type; `v1` comes from writes of the first API version. */
type ResourceFields = ResourceUpdate & { readonly v1?: V1Resource }
type NewResource = ResourceFields & { readonly key: string }

export const resources: Collection<'resource', ResourceFields> = {
  kind: 'resource',
  limit: RESOURCES_MAX,
  refuseReserved(key) {
    if (!key.startsWith('__user') && !key.startsWith('__tenant')) return
    throw new ZerohopError('KEY_RESERVED', { kind: 'resource', key }, { path: [...BODY, 'key'] })
  },
  defaults: (key) => ({ name: key, urn: null, description: null, type_attributes: null, actions: [], attributes: [] }),
  merge: (base, sent, { view, key, mint, stored }) => {
    const merged = {
      name: settleName(sent.name, base.name, key),
      urn: settleText(sent.urn, base.urn, 'urn'),
      description: settleText(sent.description, base.description, 'description'),
      type_attributes: settleAttributes(sent.type_attributes, base.type_attributes, null, [...BODY, 'type_attributes']),
      actions: sent.actions === undefined ? base.actions : actionsOf(sent.actions ?? {}, stored, mint),
      attributes: sent.attributes === undefined ? base.attributes : attributesOf(sent.attributes ?? {}, stored, mint),
      ...v1OfResource(sent, stored?.v1, BODY),
    }
    requireRoom(view, merged.actions.length, stored)
    requireAttributeRoom(merged.attributes.length)
    return merged
  },
  changed: (view, before, after, mint) => {
    keepReaders(view, 'resource', before, after)
    const kept = new Set(after.actions.map(({ key }) => key))
    if (before.actions.every(({ key }) => kept.has(key))) return []
    return afterActions(view, before.key, (action) => !kept.has(action), mint)
  },
  removed: (view, resource, mint) => afterResource(view, resource, mint),
}

/** Creates a resource type with its roles and relations; they may name each other and the type itself. */
export function createResource(view: View, { roles, relations, ...input }: NewResource, mint: Mint): Decided<Resource> {
  const draft = new Draft(view)
  const resource = draft.take(create(resources, draft, input, mint))
  return written(draft, resource, { roles, relations }, mint)
}

/** Changes the fields that are sent; a sent map replaces the stored one. */
export function updateResource(
  view: View,
  { ref, fields: { roles, relations, ...fields } }: { readonly ref: string; readonly fields: ResourceFields },
  mint: Mint,
): Decided<Resource> {
  const draft = new Draft(view)
  const resource = draft.take(patch(resources, draft, { ref, fields }, mint))
  return written(draft, resource, { roles, relations }, mint)
}

/** Replaces the resource type: roles and relations that are not sent are deleted. */
export function replaceResource(
  view: View,
  { ref, fields: { roles, relations, ...fields } }: { readonly ref: string; readonly fields: ResourceFields },
  mint: Mint,
): Decided<Resource> {
  const draft = new Draft(view)
  const resource = draft.take(replace(resources, draft, { ref, fields }, mint))
  return written(draft, resource, { roles: roles ?? null, relations: relations ?? null }, mint)
}

export const deleteResource = (view: View, input: { ref: string }, mint: Mint) => erase(resources, view, input, mint)

function written(
  draft: Draft,
  resource: Resource,
  { roles, relations }: Pick<ResourceFields, 'roles' | 'relations'>,
  mint: Mint,
): Decided<Resource> {
  if (relations !== undefined) writeRelations(draft, resource.key, relations ?? {}, mint)
  if (roles !== undefined) writeRoles(draft, resource.key, roles ?? {}, mint)
  return { changes: draft.changes(), result: resource }
}

function actionsOf(sent: Readonly<Record<string, ActionFields>>, stored: Resource | undefined, mint: Mint): Action[] {
  return Object.entries(sent).map(([key, fields]) => {
    const path = [...BODY, 'actions', key]
    const before = stored?.actions.find((action) => action.key === key)
    return renew(before, newAction(key, fields, mint, path, path, before), mint)
  })
}

function attributesOf(
  sent: Readonly<Record<string, AttributeBlock>>,
  stored: Resource | undefined,
  mint: Mint,
): AttributeDefinition[] {
  return Object.entries(sent).map(([key, fields]) => {
    const path = [...BODY, 'attributes', key]
    const before = stored?.attributes.find((attribute) => attribute.key === key)
    return renew(before, newAttribute(key, fields, mint, path), mint)
  })
}

/** The action made of these fields and defaults; the v1 fields of `stored` are kept. */
export function newAction(
  key: string,
  sent: ActionFields,
  mint: Mint,
  path: Path,
  keyPath: Path = path,
  stored?: Action,
): Action {
  return {
    ...stampPart('action', key, mint, keyPath),
    name: settleName(sent.name, key, key, path),
    description: settleText(sent.description, null, 'description', path),
    attributes: settleAttributes(sent.attributes, null, null, [...path, 'attributes']),
    ...v1OfAction(sent, stored?.v1, path),
  }
}

/** The declared attribute made of these fields and defaults. `type` is reserved, because every resource has it. */
export function newAttribute(
  key: string,
  sent: AttributeBlock,
  mint: Mint,
  path: Path,
  keyPath: Path = path,
): AttributeDefinition {
  if (key === 'type') throw new ZerohopError('KEY_RESERVED', { kind: 'attribute', key }, { path: keyPath })
  return {
    ...stampPart('attribute', key, mint, keyPath),
    type: sent.type,
    description: settleText(sent.description, null, 'description', path),
  }
}

function stampPart(kind: string, key: string, mint: Mint, path: Path): Stored {
  return { id: mint.id(), key: requireKey(kind, key, path), created_at: mint.now, updated_at: mint.now }
}

/** The new part, with id and creation time of the previous one of its key; unchanged when it is equal. */
function renew<P extends Stored>(before: P | undefined, after: P, mint: Mint): P {
  if (before === undefined) return after
  const same = { ...after, id: before.id, created_at: before.created_at, updated_at: before.updated_at }
  return isDeepStrictEqual(same, before) ? before : { ...same, updated_at: mint.now }
}

/**
 * Actions are the permissions of the image: bounds them for one resource and for the environment. @throws
 * LIMIT_EXCEEDED
 */
export function requireRoom(
  view: View,
  actions: number,
  stored: Resource | undefined,
  path: Path = [...BODY, 'actions'],
): void {
  if (actions > ACTIONS_PER_RESOURCE_MAX) {
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the actions of one resource', limit: ACTIONS_PER_RESOURCE_MAX },
      { path },
    )
  }
  const more = actions - (stored?.actions.length ?? 0)
  // counting is only needed near the limit
  if (more <= 0 || (view.count('resource') + 1) * ACTIONS_PER_RESOURCE_MAX <= PERMISSIONS_MAX) return
  let total = more
  for (const resource of view.list('resource')) total += resource.actions.length
  if (total > PERMISSIONS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the actions of all resources', limit: PERMISSIONS_MAX }, { path })
  }
}

/** Bounds the attributes of one resource. @throws LIMIT_EXCEEDED */
export function requireAttributeRoom(attributes: number, path: Path = [...BODY, 'attributes']): void {
  if (attributes <= ATTRIBUTES_PER_RESOURCE_MAX) return
  throw new ZerohopError(
    'LIMIT_EXCEEDED',
    { what: 'the attributes of one resource', limit: ATTRIBUTES_PER_RESOURCE_MAX },
    { path },
  )
}
