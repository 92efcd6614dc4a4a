// An environment of a project.
import type { JsonObject, Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * `key` of the stored object is `environmentKey(project, environment)`; `environment` is the key that the team chose.
 */
export interface Environment extends Named {
  readonly project: string
  readonly environment: string
  readonly custom_branch_name: string | null
  /** keys that verify tokens of a front end, as they were sent */
  readonly jwks: JsonObject | null
  readonly settings: JsonObject | null
  /** every write of a person or a key says why; absent where it need not */
  readonly require_reason?: true
  /** the policy is changed by proposals only, which somebody else applies; absent where it need not */
  readonly require_approval?: true
}

export const environment = {
  number: 130,
  newerNumbers: { requirements: 192 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    environments_of_project: ({ project }) => [project],
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'environment', Environment>
