// Relationship tuples: one instance is related to another by a relation that the type of the object declares. Both are
// in one tenant.

import { HAND } from '../../kinds/claims.ts'
import type { Relation } from '../../kinds/relation.ts'
import type { RelationshipTuple } from '../../kinds/relationship-tuple.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { TUPLES_MAX } from '../../model/limits.ts'
import { partKey, tupleKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { asOwnPart, findPut, ownPart, removeOwnPart } from '../rules/claims.ts'
import { onlyObject, type Written } from '../rules/collection.ts'
import { BODY } from '../rules/fields.ts'
import { keepStored, newPayload, type OverStored } from '../rules/payload.ts'
import type { TupleCreate, TupleDelete } from '../schemas/tuples.ts'
import { reachInstance } from './instances.ts'

/**
 * `subject` and `object` are ids or `type:key` of instances, `relation` is an id or a key of a relation of the object's
 * type.
 */
/** A tuple with the ids of its objects. */
export interface Related {
  readonly tuple: RelationshipTuple
  readonly subject_id: string
  readonly relation_id: string
  readonly object_id: string
  readonly tenant_id: string
}

/**
 * Relates the instances; a tuple that has ended is made anew.
 * @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, TENANT_MISMATCH, RELATION_MISMATCH, LIMIT_EXCEEDED
 */
export const createTuple = (view: View, input: TupleCreate, mint: Mint): Decided<Related> =>
  onlyObject(writeTuple(view, input, mint, 'create'))

/**
 * Relates the instances, or changes what is sent of the payload of the tuple, which may have ended.
 * @throws OBJECT_NOT_FOUND, TENANT_MISMATCH, RELATION_MISMATCH, LIMIT_EXCEEDED
 */
export function putTuple(view: View, input: TupleCreate, mint: Mint): Decided<Written<Related>> {
  const decided = writeTuple(view, input, mint, 'put')
  return { ...decided, status: decided.result.created ? 201 : 200 }
}

/**
 * Writes the part of a tuple that the claim has. Instances that are missing are made for `hand` alone.
 * @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, TENANT_MISMATCH, RELATION_MISMATCH, LIMIT_EXCEEDED, CLAIM_TIMES_APART
 */
export function writeTuple(
  view: View,
  input: TupleCreate,
  mint: Mint,
  over: OverStored,
  claim: string = HAND,
): Decided<Written<Related>> {
  const made: Change[] = []
  let now = view
  const reach = (name: 'subject' | 'object') => {
    const of = { ref: input[name], tenant: input.tenant, path: [...BODY, name] }
    const { instance, changes } = reachInstance(now, of, claim === HAND ? mint : undefined)
    if (changes.length > 0) {
      made.push(...changes)
      now = new Draft(view).stage(made)
    }
    return instance
  }
  const object = reach('object')
  const subject = reach('subject')
  const relation = requireRelation(view, object.resource, input.relation)
  if (relation.subject_resource !== subject.resource) {
    const details = { relation: relation.relation, object: object.key, want: relation.subject_resource }
    throw new ZerohopError('RELATION_MISMATCH', { ...details, got: subject.resource }, { path: [...BODY, 'subject'] })
  }
  if (subject.tenant !== object.tenant) {
    const details = { instance: subject.key, have: subject.tenant, want: object.tenant }
    throw new ZerohopError('TENANT_MISMATCH', details, { path: [...BODY, 'subject'] })
  }
  const key = tupleKey(subject.key, relation.relation, object.key)
  const tenant_id = view.require('tenant', object.tenant).id
  const ids = { subject_id: subject.id, relation_id: relation.id, object_id: object.id, tenant_id }
  const stored = view.get('relationship_tuple', key)
  const own = ownPart(stored, claim)
  const kept = keepStored('relationship_tuple', view, own, input, mint, over)
  const written = (changes: readonly Change[], created: boolean): Decided<Written<Related>> => {
    const merged = asOwnPart('relationship_tuple', view, changes, claim, mint)
    const tuple = findPut('relationship_tuple', merged, key) ?? stored
    if (tuple === undefined) throw new ZerohopError('INTERNAL')
    return { changes: [...made, ...merged], result: { object: { tuple, ...ids }, created } }
  }
  if (kept !== undefined) return written(kept.changes, false)
  if (stored === undefined) view.refuse('relationship_tuple', key)
  if (stored === undefined && view.count('relationship_tuple') >= TUPLES_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the relationship tuples', limit: TUPLES_MAX }, { path: BODY })
  }
  const tuple: RelationshipTuple = {
    id: mint.id(),
    key,
    created_at: mint.now,
    updated_at: mint.now,
    subject: subject.key,
    relation: relation.relation,
    object: object.key,
    tenant: object.tenant,
    ...newPayload('relationship_tuple', view, input),
  }
  return written([put('relationship_tuple', tuple)], true)
}

/** Removes the tuple; what others claim of it stays. @throws OBJECT_NOT_FOUND, CLAIMED_BY_OTHERS */
export function deleteTuple(view: View, input: TupleDelete, mint: Mint): Decided<null> {
  const tuple = view.require('relationship_tuple', keyOfTuple(view, input))
  return { ...removeOwnPart('relationship_tuple', view, tuple, mint), status: 204, result: null }
}

/** The key of the tuple that is meant. @throws OBJECT_NOT_FOUND for what it names */
export function keyOfTuple(view: View, input: TupleDelete): string {
  const subject = view.require('resource_instance', input.subject, [...BODY, 'subject'])
  const object = view.require('resource_instance', input.object, [...BODY, 'object'])
  return tupleKey(subject.key, requireRelation(view, object.resource, input.relation).relation, object.key)
}

/** The relation of a resource type, by its id or by its key within the type. @throws OBJECT_NOT_FOUND */
function requireRelation(view: View, resource: string, ref: string): Relation {
  const found = view.find('relation', ref)
  const relation = found?.resource === resource ? found : view.get('relation', partKey(resource, ref))
  if (relation) return relation
  const details = { kind: 'relation', ref: partKey(resource, ref) }
  throw new ZerohopError('OBJECT_NOT_FOUND', details, { path: [...BODY, 'relation'] })
}
