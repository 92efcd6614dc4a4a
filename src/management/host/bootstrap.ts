// The first organization of a data folder: project `default` with environments `development` and `production`, the keys
// of all three, and an example policy. Runs once per organization, on its new control log.

import type { Organization } from '../../kinds/organization.ts'
import type { Project } from '../../kinds/project.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DEFAULT_TENANT, requireKey } from '../../model/keys.ts'
import { assignmentKey, membershipKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { mintSecret, newApiKey } from '../objects/api-key.ts'
import { requireFixedKey } from '../objects/api-keys.ts'
import { makeEnvironment } from '../objects/new-environment.ts'
import { newAction } from '../objects/resources.ts'
import { users } from '../objects/users.ts'
import { BODY, requireOrganizationName } from '../rules/fields.ts'
import { defaultPayload } from '../rules/payload.ts'
import { EXAMPLES, type ExampleName, type ExamplePolicy } from './example-policies.ts'

export interface Bootstrap {
  /** key of the organization; default `default` */
  readonly organization?: string
  readonly name?: string
  /** a text of at least 16 characters to be the organization key, instead of a minted one */
  readonly organizationKey?: string
  /** leaves the example policy out of `development` */
  readonly noExample?: boolean
  /** which one; default `hello` */
  readonly example?: ExampleName
}

/** Ids of the created objects, and their secrets: the organization key is returned only here. */
export interface Bootstrapped {
  readonly organization: { readonly id: string; readonly key: string; readonly secret: string }
  readonly project: { readonly id: string; readonly key: string }
  readonly environments: readonly { readonly id: string; readonly key: string; readonly secret: string }[]
}

/**
 * Run on a log that does not exist yet; the log's id becomes the organization's. @throws OBJECT_EXISTS on a second run
 */
export function bootstrap(view: View, input: Bootstrap, mint: Mint): Decided<Bootstrapped> {
  const [existing] = view.list('organization', { limit: 1 })
  if (existing) throw new ZerohopError('OBJECT_EXISTS', { kind: 'organization', key: existing.key })
  const id = view.log
  const stamps = () => ({ created_at: mint.now, updated_at: mint.now, description: null, settings: null })
  const key = requireKey('organization', input.organization ?? 'default', [...BODY, 'organization'])
  const organization: Organization = {
    id,
    key,
    name: requireOrganizationName(input.name ?? 'Default Organization'),
    ...stamps(),
  }
  const project: Project = { id: mint.id(), key: 'default', name: 'Default Project', urn_namespace: null, ...stamps() }

  const fixed = input.organizationKey
  const secret = fixed === undefined ? mintSecret('org', mint) : requireFixedKey(fixed, 'organizationKey')
  const scope = { level: 'org', organization_id: id, project_id: null, environment_id: null } as const
  const apiKey = newApiKey(scope, secret, { owner: 'member', name: 'first organization key' }, mint)
  const policy = input.noExample ? [] : examplePolicy(input.example ?? 'hello', mint)
  const made = [
    makeEnvironment({ organization: id, project, key: 'development', name: 'Development', policy }, mint),
    makeEnvironment({ organization: id, project, key: 'production', name: 'Production' }, mint),
  ]
  return {
    changes: [
      put('organization', organization),
      put('project', project),
      put('api_key', apiKey),
      ...made.flatMap(({ changes }) => changes),
    ],
    also: made.flatMap(({ also }) => also),
    secrets: [{ id: apiKey.id, secret }, ...made.flatMap(({ secrets }) => secrets)],
    result: {
      organization: { id, key, secret },
      project: { id: project.id, key: project.key },
      environments: made.map(({ result: { environment, secret: of } }) => {
        return { id: environment.id, key: environment.environment, secret: of }
      }),
    },
  }
}

function examplePolicy(name: ExampleName, mint: Mint): Change[] {
  const { resource, actions, roles, users: holders }: ExamplePolicy = EXAMPLES[name]
  const stamps = (key: string) => ({ id: mint.id(), key, created_at: mint.now, updated_at: mint.now })
  const blank = { name: resource, urn: null, description: null, type_attributes: null, attributes: [] }
  const user = ([key, role]: [string, string]): Change[] => [
    put('user', { ...stamps(key), ...users.defaults(key, mint, '') }),
    put('role_assignment', {
      ...stamps(assignmentKey(key, role, DEFAULT_TENANT)),
      user: key,
      role,
      tenant: DEFAULT_TENANT,
      resource_instance: null,
      ...defaultPayload('role_assignment'),
    }),
    put('membership', {
      ...stamps(membershipKey(DEFAULT_TENANT, key)),
      user: key,
      tenant: DEFAULT_TENANT,
      explicit: false,
      ...defaultPayload('membership'),
    }),
  ]
  return [
    put('resource', { ...stamps(resource), ...blank, actions: actions.map((key) => newAction(key, {}, mint, BODY)) }),
    ...roles.map(({ key, name: shown, may }): Change => {
      const permissions = may.map((action) => `${resource}:${action}`)
      return put('role', { ...stamps(key), name: shown, description: null, permissions, extends: [], attributes: null })
    }),
    ...Object.entries(holders).flatMap(user),
  ]
}
