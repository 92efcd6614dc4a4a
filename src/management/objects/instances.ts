// Resource instances: single objects with roles on them, relations and stored attributes. An instance never changes its
// tenant; its name is `type:key`.
import { isDeepStrictEqual } from 'node:util'
import { HAND } from '../../kinds/claims.ts'
import { type ResourceInstance, resourceInstanceFields } from '../../kinds/resource-instance.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { INSTANCES_MAX } from '../../model/limits.ts'
import { instanceKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterInstance } from '../rules/cascade.ts'
import { isClaimedBy, keepForOthers, madeByHand } from '../rules/claims.ts'
import { requireSameKey, type SameKey } from '../rules/collection.ts'
import { BODY, type Path, type Sent } from '../rules/fields.ts'
import { type Payload, payloadRules } from '../rules/settle-fields.ts'
import type { InstanceCreate, InstanceReplace, InstanceUpdate } from '../schemas/instances.ts'

type InstancePayload = Payload<typeof resourceInstanceFields>

const settlePayload = payloadRules(resourceInstanceFields)
const inContext = (view: View, stored: ResourceInstance) => ({
  view,
  key: stored.instance,
  of: stored.resource,
  path: BODY,
  stored,
})

/** @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, KEY_INVALID, KEY_TOO_LONG, LIMIT_EXCEEDED */
export function createInstance(
  view: View,
  input: InstanceCreate,
  mint: Mint,
  keyPath: Path = [...BODY, 'key'],
): Decided<ResourceInstance> {
  const stored = findOfOthers(view, input)
  if (stored !== undefined) {
    requireTenant(view, stored, input.tenant)
    const { key: _key, resource: _resource, tenant: _tenant, ...fields } = input
    return rewrite(madeByHand(stored), settlePayload(stored, fields, inContext(view, stored)), mint, stored)
  }
  const instance = newInstance(view, input, mint, { key: keyPath, resource: [...BODY, 'resource'] })
  return { changes: [put('resource_instance', instance)], result: instance }
}

/** The instance of that name that nobody made by hand. */
function findOfOthers(view: View, { resource, key }: InstanceCreate): ResourceInstance | undefined {
  const type = view.find('resource', resource)?.key
  const stored = type === undefined ? undefined : view.get('resource_instance', instanceKey(type, key))
  return stored === undefined || isClaimedBy(stored, HAND) ? undefined : stored
}

/** Changes the attributes if they are sent. @throws KEY_MISMATCH when it names another instance */
export function updateInstance(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: InstanceUpdate & SameKey },
  mint: Mint,
): Decided<ResourceInstance> {
  const stored = view.require('resource_instance', ref)
  requireSameKey(fields.key, stored.instance)
  return rewrite(stored, settlePayload(stored, fields, inContext(view, stored)), mint)
}

/**
 * Replaces the attributes; without any they are removed. @throws KEY_MISMATCH, TENANT_MISMATCH when it names another
 * instance or tenant
 */
export function replaceInstance(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: InstanceReplace },
  mint: Mint,
): Decided<ResourceInstance> {
  const stored = view.require('resource_instance', ref)
  requireSameKey(fields.key, stored.instance)
  if (fields.resource !== undefined && fields.resource !== null) {
    const { key } = view.require('resource', fields.resource, [...BODY, 'resource'])
    requireSameKey(key, stored.resource, [...BODY, 'resource'])
  }
  requireTenant(view, stored, fields.tenant)
  return rewrite(madeByHand(stored), settlePayload({}, fields, inContext(view, stored)), mint, stored)
}

/** Creates the instance, or replaces its attributes when it exists. */
export function putInstance(view: View, input: InstanceCreate, mint: Mint): Decided<ResourceInstance> {
  const resource = view.require('resource', input.resource, [...BODY, 'resource']).key
  const ref = instanceKey(resource, input.key)
  if (view.get('resource_instance', ref) === undefined) return createInstance(view, input, mint)
  return replaceInstance(view, { ref, fields: input }, mint)
}

/** Removes the instance with its tuples and the roles on it; one that others claim too stays. @throws CLAIMED_BY_OTHERS */
export function deleteInstance(view: View, { ref }: { readonly ref: string }, mint: Mint): Decided<null> {
  const stored = view.require('resource_instance', ref)
  const kept = keepForOthers('resource_instance', stored, mint)
  if (kept !== undefined) return kept
  const { key } = stored
  return { changes: [...afterInstance(view, key), remove('resource_instance', key)], status: 204, result: null }
}

/**
 * The instance named by `ref`, id or `type:key`. With a mint and a tenant, a missing one is created in the tenant.
 * @throws OBJECT_NOT_FOUND, KEY_INVALID; TENANT_MISMATCH when it is in another tenant than the one named
 */
export function reachInstance(
  view: View,
  { ref, tenant, path }: { readonly ref: string; readonly tenant: Sent<string>; readonly path: Path },
  mint: Mint | undefined,
): { readonly instance: ResourceInstance; readonly changes: readonly Change[] } {
  const stored = view.find('resource_instance', ref)
  if (stored) {
    requireTenant(view, stored, tenant)
    return { instance: stored, changes: [] }
  }
  const colon = ref.indexOf(':')
  if (mint === undefined || colon < 0 || tenant === undefined || tenant === null) {
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'resource_instance', ref }, { path })
  }
  const of = { key: ref.slice(colon + 1), resource: ref.slice(0, colon), tenant }
  const instance = newInstance(view, of, mint, { key: path, resource: path })
  return { instance, changes: [put('resource_instance', instance)] }
}

/** @throws TENANT_MISMATCH unless `tenant` is not sent or is the tenant of the instance */
export function requireTenant(view: View, { key, tenant: have }: ResourceInstance, tenant: Sent<string>): void {
  if (tenant === undefined || tenant === null) return
  const want = view.require('tenant', tenant, [...BODY, 'tenant']).key
  if (want !== have) throw new ZerohopError('TENANT_MISMATCH', { instance: key, have, want }, { path: BODY })
}

function newInstance(
  view: View,
  { key, resource: resourceRef, tenant: tenantRef, ...payload }: InstanceCreate,
  mint: Mint,
  paths: { readonly key: Path; readonly resource: Path },
): ResourceInstance {
  const resource = view.require('resource', resourceRef, paths.resource).key
  const tenant = view.require('tenant', tenantRef, [...BODY, 'tenant']).key
  requireKey('resource_instance', key, paths.key)
  const name = instanceKey(resource, key)
  view.refuse('resource_instance', name)
  if (view.count('resource_instance') >= INSTANCES_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the resource instances', limit: INSTANCES_MAX }, { path: BODY })
  }
  return {
    id: mint.id(),
    key: name,
    created_at: mint.now,
    updated_at: mint.now,
    resource,
    instance: key,
    tenant,
    ...settlePayload({}, payload, { view, key, of: resource, path: BODY, stored: undefined }),
  }
}

function rewrite(
  base: ResourceInstance,
  payload: InstancePayload,
  mint: Mint,
  stored = base,
): Decided<ResourceInstance> {
  const instance = { ...base, ...payload, updated_at: mint.now }
  if (isDeepStrictEqual({ ...instance, updated_at: stored.updated_at }, stored)) return { changes: [], result: stored }
  return { changes: [put('resource_instance', instance)], result: instance }
}
