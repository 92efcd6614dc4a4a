// A PDP configuration of an environment.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/** A PDP configuration of an environment; its client secret is the environment's API key `api_key_id`. */
export interface PdpConfig extends Stored {
  readonly name: string
  readonly environment_id: string
  readonly api_key_id: string
}

export const pdpConfig = {
  number: 132,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    pdp_configs_of_environment: ({ environment_id }) => [environment_id],
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'pdp_config', PdpConfig>
