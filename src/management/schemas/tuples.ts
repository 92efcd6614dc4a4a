// Relationship tuples in the API: what is sent and what is answered at /v2/facts/{p}/{e}/relationship_tuples.
import { closed, described, maybe, named, nullable, open, type Static, Text } from '../../model/json-schema.ts'
import { counted, detailed, page, query, tenantFilter, textParameter } from './query-parameters.ts'
import { Attributes, Id, place, readNames, stamps } from './schema-parts.ts'

const names = {
  subject: described(Text, 'id or `type:key` of an instance'),
  relation: described(Text, 'key or id of a relation of the type of the object'),
  object: described(Text, 'id or `type:key` of an instance'),
}

export const TupleDelete = named('RelationshipTupleDelete', closed(names))
export type TupleDelete = Static<typeof TupleDelete>

export const TupleCreate = named(
  'RelationshipTupleCreate',
  closed({
    ...names,
    tenant: maybe(described(Text, 'tenant in which missing instances are created')),
  }),
)
export type TupleCreate = Static<typeof TupleCreate>

const tuple = {
  id: Id,
  subject: Text,
  relation: Text,
  object: Text,
  tenant: Text,
  ...place,
  ...stamps,
  subject_id: Id,
  relation_id: Id,
  object_id: Id,
  tenant_id: Id,
}
const Instance = open({ key: Text, resource: Text, tenant: Text, attributes: Attributes })
const Relation = open({ key: Text, ...readNames })
const Tenant = open({ key: Text, ...readNames, attributes: nullable(Attributes) })

export const TupleRead = named(
  'RelationshipTuple',
  open({
    ...tuple,
    subject_details: nullable(Instance),
    object_details: nullable(Instance),
    relation_details: nullable(Relation),
    tenant_details: nullable(Tenant),
  }),
)
export type TupleRead = Static<typeof TupleRead>
export const TupleDetailed = named(
  'RelationshipTupleDetailed',
  open({
    ...tuple,
    subject_details: Instance,
    object_details: Instance,
    relation_details: Relation,
    tenant_details: Tenant,
  }),
)
export type TupleDetailed = Static<typeof TupleDetailed>

const filters = {
  object: textParameter('only tuples with this object, an id or `type:key`'),
  object_type: textParameter('only tuples whose object is of this resource type'),
  relation: textParameter('only tuples of this relation'),
  subject: textParameter('only tuples with this subject, an id or `type:key`'),
  subject_type: textParameter('only tuples whose subject is of this resource type'),
  ...tenantFilter,
}
export const TupleQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const TupleDetailedQuery = query({ ...page, ...filters })
