// A project of an organization.
import type { JsonObject, Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'

export interface Project extends Named {
  readonly urn_namespace: string | null
  readonly settings: JsonObject | null
}

export const project = {
  number: 129,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: null,
} as const satisfies Kind<'project', Project>
