// Relationship tuples in the API: what is sent and what is answered at /v2/facts/{p}/{e}/relationship_tuples.
import { relationshipTupleFields } from '../../kinds/relationship-tuple.ts'
import * as t from '../../model/json-schema.ts'
import { claimMembers } from './claims.ts'
import { answerMembers, bodyMembers, readNames } from './field-members.ts'
import { counted, detailed, page, query, tenantFilter, textParameter, timeFilters } from './query-parameters.ts'
import { Attributes, Id, place, stamps } from './schema-parts.ts'

const names = {
  subject: t.described(t.Text, 'id or `type:key` of an instance'),
  relation: t.described(t.Text, 'key or id of a relation of the type of the object'),
  object: t.described(t.Text, 'id or `type:key` of an instance'),
}

export const TupleDelete = t.named('RelationshipTupleDelete', t.closed(names))
export type TupleDelete = t.Static<typeof TupleDelete>

export const TupleCreate = t.named(
  'RelationshipTupleCreate',
  t.closed({
    ...names,
    tenant: t.maybe(t.described(t.Text, 'tenant in which missing instances are created')),
    ...bodyMembers(relationshipTupleFields, {}),
  }),
)
export type TupleCreate = t.Static<typeof TupleCreate>

const tuple = {
  id: Id,
  subject: t.Text,
  relation: t.Text,
  object: t.Text,
  tenant: t.Text,
  ...place,
  ...stamps,
  subject_id: Id,
  relation_id: Id,
  object_id: Id,
  tenant_id: Id,
}
const Instance = t.open({ key: t.Text, resource: t.Text, tenant: t.Text, attributes: Attributes })
const Relation = t.open({ key: t.Text, ...readNames })
const Tenant = t.open({ key: t.Text, ...readNames, attributes: t.nullable(Attributes) })

export const TupleRead = t.named(
  'RelationshipTuple',
  t.open({
    ...tuple,
    subject_details: t.nullable(Instance),
    object_details: t.nullable(Instance),
    relation_details: t.nullable(Relation),
    tenant_details: t.nullable(Tenant),
    ...answerMembers(relationshipTupleFields),
    ...claimMembers,
  }),
)
export type TupleRead = t.Static<typeof TupleRead>
export const TupleDetailed = t.named(
  'RelationshipTupleDetailed',
  t.open({
    ...tuple,
    subject_details: Instance,
    object_details: Instance,
    relation_details: Relation,
    tenant_details: Tenant,
    ...answerMembers(relationshipTupleFields),
    ...claimMembers,
  }),
)
export type TupleDetailed = t.Static<typeof TupleDetailed>

const filters = {
  object: textParameter('only tuples with this object, an id or `type:key`'),
  object_type: textParameter('only tuples whose object is of this resource type'),
  relation: textParameter('only tuples of this relation'),
  subject: textParameter('only tuples with this subject, an id or `type:key`'),
  subject_type: textParameter('only tuples whose subject is of this resource type'),
  ...tenantFilter,
  ...timeFilters,
}
export const TupleQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const TupleDetailedQuery = query({ ...page, ...filters })
