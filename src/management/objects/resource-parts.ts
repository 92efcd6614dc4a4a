// Actions and declared attributes one by one: parts of a resource that have paths of their own. Writing a part writes
// its resource.
import { isDeepStrictEqual } from 'node:util'
import type { Action, AttributeDefinition, Resource } from '../../kinds/resource.ts'
import { type Change, put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import type { Stored } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterActions, afterOffer } from '../rules/cascade.ts'
import { requireSameKey } from '../rules/collection.ts'
import { BODY, type Path, settle, settleAttributes, settleName, settleText } from '../rules/fields.ts'
import { v1OfAction } from '../rules/v1compat.ts'
import type {
  ActionCreate,
  ActionReplace,
  ActionUpdate,
  AttributeCreate,
  AttributeReplace,
  AttributeUpdate,
} from '../schemas/resources.ts'
import { keepReaders } from './condition-types.ts'
import {
  type ActionFields,
  newAction,
  newAttribute,
  requireAttributeRoom,
  requireRoom,
  settleOffer,
} from './resources.ts'

/** A part with the resource that it belongs to. */
export interface PartOf<P extends Stored> {
  readonly resource: Resource
  readonly part: P
}
interface PartRef {
  readonly resource: string
  readonly ref: string
}

/** The part of that id or key; an id wins. @throws OBJECT_NOT_FOUND */
export function requirePart<P extends Stored>(
  kind: 'action' | 'attribute',
  parts: readonly P[],
  ref: string,
  path?: Path,
): P {
  const id = parseId(ref)
  const found = parts.find((part) => part.id === id) ?? parts.find((part) => part.key === ref)
  if (found) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
}

function refusePart<P extends Stored>(kind: 'action' | 'attribute', parts: readonly P[], key: string): void {
  if (parts.some((part) => part.key === key)) throw new ZerohopError('OBJECT_EXISTS', { kind, key })
  const id = parseId(key)
  if (id !== undefined && parts.some((part) => part.id === id)) throw new ZerohopError('KEY_IS_ID', { kind, key })
}

type NewAction = ActionCreate & Pick<ActionFields, 'v1'>

export function createAction(
  view: View,
  { resource: ref, action: sent }: { readonly resource: string; readonly action: NewAction },
  mint: Mint,
): Decided<PartOf<Action>> {
  const resource = view.require('resource', ref)
  refusePart('action', resource.actions, sent.key)
  requireRoom(view, resource.actions.length + 1, resource, BODY)
  const part = newAction(sent.key, sent, mint, BODY, [...BODY, 'key'])
  return write(resource, { actions: [...resource.actions, part] }, part, mint)
}

export function updateAction(
  view: View,
  { resource: resourceRef, ref, fields }: PartRef & { readonly fields: ActionUpdate & Pick<ActionFields, 'v1'> },
  mint: Mint,
): Decided<PartOf<Action>> {
  const resource = view.require('resource', resourceRef)
  const before = requirePart('action', resource.actions, ref)
  requireSameKey(fields.key, before.key)
  const { v1, grantable: _, ...kept } = before
  const part: Action = {
    ...kept,
    name: settleName(fields.name, before.name, before.key),
    description: settleText(fields.description, before.description, 'description'),
    attributes: settleAttributes(fields.attributes, before.attributes, null),
    ...settleOffer(fields, before),
    ...v1OfAction(fields, v1, BODY),
  }
  const decided = rewrite(resource, before, part, (now) => ({ actions: swap(resource.actions, now) }), mint)
  const follow = afterOffer(view, resource, decided.result.resource, mint)
  return { ...decided, changes: [...decided.changes, ...follow] }
}

/** Replaces an action: what was not sent is reset. Its id and the permissions that name it stay. */
export const replaceAction = (view: View, input: PartRef & { readonly fields: ActionReplace }, mint: Mint) =>
  updateAction(view, { ...input, fields: { name: null, description: null, attributes: null, ...input.fields } }, mint)

/** Removes an action, and with it the permissions on it. */
export function deleteAction(view: View, { resource: resourceRef, ref }: PartRef, mint: Mint): Decided<null> {
  const resource = view.require('resource', resourceRef)
  const part = requirePart('action', resource.actions, ref)
  const { changes } = write(resource, { actions: resource.actions.filter((one) => one !== part) }, part, mint)
  const follow = afterActions(view, resource.key, (action) => action === part.key, mint)
  return { changes: [...changes, ...follow], status: 204, result: null }
}

/** An object with declared attributes: a resource type, `__user` or `__tenant`. @throws OBJECT_NOT_FOUND */
export function attributed(view: View, ref: string): { kind: 'resource' | 'built_in'; resource: Resource } {
  const builtIn = view.find('built_in', ref)
  return builtIn
    ? { kind: 'built_in', resource: builtIn }
    : { kind: 'resource', resource: view.require('resource', ref) }
}

export function createAttribute(
  view: View,
  { resource: ref, attribute: sent }: { readonly resource: string; readonly attribute: AttributeCreate },
  mint: Mint,
): Decided<PartOf<AttributeDefinition>> {
  const { kind, resource } = attributed(view, ref)
  refusePart('attribute', resource.attributes, sent.key)
  requireAttributeRoom(resource.attributes.length + 1, BODY)
  const part = newAttribute(sent.key, sent, mint, BODY, [...BODY, 'key'])
  return kept(view, kind, resource, write(resource, { attributes: [...resource.attributes, part] }, part, mint, kind))
}

export function updateAttribute(
  view: View,
  { resource: resourceRef, ref, fields }: PartRef & { readonly fields: AttributeUpdate },
  mint: Mint,
): Decided<PartOf<AttributeDefinition>> {
  const { kind, resource } = attributed(view, resourceRef)
  const before = requirePart('attribute', resource.attributes, ref)
  requireSameKey(fields.key, before.key)
  const part: AttributeDefinition = {
    ...before,
    type: settle(fields.type, before.type, before.type),
    description: settleText(fields.description, before.description, 'description'),
  }
  const swapped = (now: AttributeDefinition) => ({ attributes: swap(resource.attributes, now) })
  return kept(view, kind, resource, rewrite(resource, before, part, swapped, mint, kind))
}

/** Replaces an attribute: a description that was not sent is reset, the type has no default. */
export const replaceAttribute = (view: View, input: PartRef & { readonly fields: AttributeReplace }, mint: Mint) =>
  updateAttribute(view, { ...input, fields: { description: null, ...input.fields } }, mint)

export function deleteAttribute(view: View, { resource: resourceRef, ref }: PartRef, mint: Mint): Decided<null> {
  const { kind, resource } = attributed(view, resourceRef)
  const part = requirePart('attribute', resource.attributes, ref)
  const attributes = resource.attributes.filter((one) => one !== part)
  const { changes } = kept(view, kind, resource, write(resource, { attributes }, part, mint, kind))
  return { changes, status: 204, result: null }
}

/** `decided`, unless a condition reads what it removes or changes. @throws OBJECT_IN_USE */
function kept<P extends Stored>(
  view: View,
  kind: 'resource' | 'built_in',
  before: Resource,
  decided: Decided<PartOf<P>>,
): Decided<PartOf<P>> {
  keepReaders(view, kind, before, decided.result.resource)
  return decided
}

function swap<P extends Stored>(parts: readonly P[], part: P): P[] {
  return parts.map((one) => (one.id === part.id ? part : one))
}

/** Writes a part when it has changed. */
function rewrite<P extends Stored>(
  resource: Resource,
  before: P,
  after: P,
  parts: (part: P) => Partial<Resource>,
  mint: Mint,
  kind: 'resource' | 'built_in' = 'resource',
): Decided<PartOf<P>> {
  if (isDeepStrictEqual(before, after)) return { changes: [], result: { resource, part: before } }
  const part = { ...after, updated_at: mint.now }
  return write(resource, parts(part), part, mint, kind)
}

function write<P extends Stored>(
  before: Resource,
  parts: Partial<Resource>,
  part: P,
  mint: Mint,
  kind: 'resource' | 'built_in' = 'resource',
): Decided<PartOf<P>> {
  const resource: Resource = { ...before, ...parts, updated_at: mint.now }
  const changes: Change[] = [put(kind, resource)]
  return { changes, result: { resource, part } }
}

/** The built-in types of every environment, which declare the attributes of users and tenants. */
export function builtIns(mint: Mint): Change[] {
  return [
    [USER_TYPE, 'User'],
    [TENANT_TYPE, 'Tenant'],
  ].map(([key = '', name = '']) => {
    const stamps = { id: mint.id(), key, created_at: mint.now, updated_at: mint.now }
    const empty = { description: null, urn: null, type_attributes: null, actions: [], attributes: [] }
    return put('built_in', { ...stamps, name, ...empty })
  })
}
