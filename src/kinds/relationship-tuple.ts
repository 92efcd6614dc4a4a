// Two instances that are related.
import { type Stored, tupleKey } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, own, type StoredFields } from './fields.ts'
import { every, type Kind, typeOfInstance } from './kind.ts'
import {
  type Announced,
  instantValues,
  isTimed,
  projectTimes,
  readTimes,
  type TimesPolicy,
  timeFields,
  unannouncedValues,
  writeTimes,
} from './times.ts'
import { text } from './wire-values.ts'

export const relationshipTupleFields = fields({
  subject: own<string>(),
  relation: own<string>(),
  object: own<string>(),
  /* canary: payload-of-tuples */ tenant: own<string>(),
  ...timeFields,
})

/**
 * `subject` is related by `relation` to `object`; both are `type:key` in one tenant. `key` is `tupleKey(subject,
 * relation, object)`. Its times are those of all of its claims.
 */
export interface RelationshipTuple extends Stored, StoredFields<typeof relationshipTupleFields>, Announced, Claimed {}

export interface RelationshipTuplePolicy extends TimesPolicy {
  readonly subject: string
  readonly relation: string
  readonly object: string
}

export const relationshipTuple = {
  number: 13,
  newerNumbers: { times: 65, claims: 83 },
  fields: relationshipTupleFields,
  hasIds: true,
  hasOwnTable: true,
  indexes: {
    every_tuple: every,
    tuples_of_subject: ({ subject }) => [subject],
    tuples_of_object: ({ object }) => [object],
    tuples_of_tenant: ({ tenant }) => [tenant],
    tuples_of_relation: ({ relation, object }) => [`${typeOfInstance(object)}/${relation}`],
    /** those with an end, in its order */
    tuples_by_end: ({ valid_until: until }) => instantValues(until),
    /** those with an end that is not announced, in its order */
    tuples_unannounced: unannouncedValues,
    /** those with a beginning, in its order */
    tuples_by_start: ({ valid_from: from }) => instantValues(from),
    tuples_claimed: (tuple) => claimedValues('relationship_tuple', tuple),
  },
  projection: {
    code: 9,
    newer: [{ code: 14, isNeeded: isTimed }],
    project: ({ subject, relation, object, ...times }) => ({ subject, relation, object, ...projectTimes(times) }),
    write: (value) => {
      const { subject, relation, object } = value
      return isTimed(value) ? [subject, relation, object, ...writeTimes(value)] : [subject, relation, object]
    },
    read: (fields) => {
      const times = fields[0] === 14 ? readTimes(fields[4], fields[5]) : {}
      const value = { subject: text(fields[1]), relation: text(fields[2]), object: text(fields[3]), ...times }
      const key = tupleKey(value.subject, value.relation, value.object)
      return { op: 'put', kind: 'relationship_tuple', key, value }
    },
  },
  inFiles: { section: 'relationship_tuples', isFact: true, key: 'connects' },
} as const satisfies Kind<'relationship_tuple', RelationshipTuple, RelationshipTuplePolicy>
