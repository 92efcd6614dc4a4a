// An organization.
import type { JsonObject, Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'

export interface Organization extends Named {
  readonly settings: JsonObject | null
}

export const organization = {
  number: 128,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: null,
} as const satisfies Kind<'organization', Organization>
