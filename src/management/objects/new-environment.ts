// A new environment: the object, its API key and PDP config in the control log of the organization, and revision 1 of
// its own log with the tenant `default`. src/management/objects/projects.ts changes and deletes environments.

import type { Environment } from '../../kinds/environment.ts'
import type { PdpConfig } from '../../kinds/pdp-config.ts'
import type { Project } from '../../kinds/project.ts'
import { type Change, put } from '../../log/change.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'
import { environmentKey, type JsonObject } from '../../model/objects.ts'
import type { Decided, Mint } from '../../store/view.ts'
import { mintSecret, newApiKey } from './api-key.ts'
import { builtIns } from './resource-parts.ts'
import { defaultTenant } from './tenants.ts'

export interface NewEnvironment {
  readonly organization: string
  readonly project: Project
  readonly key: string
  readonly name: string
  readonly description?: string | null
  readonly custom_branch_name?: string | null
  readonly jwks?: JsonObject | null
  readonly settings?: JsonObject | null
  readonly require_reason?: true
  readonly require_approval?: true
  /** further changes of its revision 1, such as the example policy */
  readonly policy?: readonly Change[]
}

export interface MadeEnvironment {
  readonly environment: Environment
  readonly secret: string
}

/** The parts of a Decided that create the environment; the caller merges them into its own. */
export function makeEnvironment(
  input: NewEnvironment,
  mint: Mint,
): Required<Omit<Decided<MadeEnvironment>, 'status' | 'logged' | 'summary' | 'warnings'>> {
  const { organization, project, key } = input
  const stamps = () => ({ id: mint.id(), created_at: mint.now, updated_at: mint.now })
  const environment: Environment = {
    ...stamps(),
    key: environmentKey(project.key, key),
    project: project.key,
    environment: key,
    name: input.name,
    description: input.description ?? null,
    custom_branch_name: input.custom_branch_name ?? null,
    jwks: input.jwks ?? null,
    settings: input.settings ?? null,
    ...(input.require_reason === undefined ? {} : { require_reason: input.require_reason }),
    ...(input.require_approval === undefined ? {} : { require_approval: input.require_approval }),
  }
  const secret = mintSecret('env', mint)
  const scope = {
    level: 'env',
    organization_id: organization,
    project_id: project.id,
    environment_id: environment.id,
  } as const
  const apiKey = newApiKey(scope, secret, { owner: 'pdp_config', name: null }, mint)
  const { id, ...times } = stamps()
  const config: PdpConfig = {
    id,
    key: id,
    ...times,
    name: 'default',
    environment_id: environment.id,
    api_key_id: apiKey.id,
  }
  return {
    changes: [put('environment', environment), put('api_key', apiKey), put('pdp_config', config)],
    also: [
      {
        log: environment.id,
        changes: [...builtIns(mint), defaultTenant(DEFAULT_TENANT, mint), ...(input.policy ?? [])],
      },
    ],
    secrets: [{ id: apiKey.id, secret }],
    result: { environment, secret },
  }
}
