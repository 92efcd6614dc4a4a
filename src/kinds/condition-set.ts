// A user set or a resource set: users or resources for which conditions hold.
import { pathEntries, readBy } from '../model/condition-reads.ts'
import type { JsonObject, Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'
import { invalid, optionalText, readJson, text } from './wire-values.ts'

/** Users or resources for which conditions hold. `conditions` are verbatim; src/model/condition.ts reads them. */
export interface ConditionSet extends Named {
  readonly type: 'userset' | 'resourceset'
  /** base resource of a resource set */
  readonly resource: string | null
  readonly conditions: JsonObject
  /** key of a set of the same type, whose conditions must hold too */
  readonly parent: string | null
}

export interface ConditionSetPolicy {
  readonly type: 'userset' | 'resourceset'
  readonly resource: string | null
  readonly conditions: JsonObject
  readonly parent: string | null
}

export const conditionSet = {
  number: 10,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    sets_on_resource: ({ resource }) => (resource === null ? [] : [resource]),
    /** by what the conditions read: `type/attribute`, and `type` where they follow keys of instances */
    sets_reading: readBy,
    /** by the paths that the conditions read, one entry for each (pathEntries) */
    sets_by_path: pathEntries,
    sets_with_parent: ({ parent }) => (parent === null ? [] : [parent]),
  },
  projection: {
    code: 10,
    project: ({ type, resource, conditions, parent }) => ({ type, resource, conditions, parent }),
    write: ({ type, resource, conditions, parent }, key) => [key, type, resource, JSON.stringify(conditions), parent],
    read: ([, key, type, resource, conditions, parent]) => {
      const name = text(key)
      if (type !== 'userset' && type !== 'resourceset') throw invalid('a condition set has no type')
      const read = readJson(conditions)
      const value = { type, resource: optionalText(resource), conditions: read, parent: optionalText(parent) } as const
      return { op: 'put', kind: 'condition_set', key: name, value }
    },
  },
  inFiles: { section: 'condition_sets', isFact: false, key: 'own' },
} as const satisfies Kind<'condition_set', ConditionSet, ConditionSetPolicy>
