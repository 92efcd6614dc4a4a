// API keys and PDP configs: /v2/api-key and /v2/pdps/{p}/{e}/configs. A key sees the keys of what it reaches; only one
// of access `admin` sees a secret, and each time a secret is shown an entry in the log says so before the answer
// leaves.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ApiKey, isSession, KEY_LEVELS, type KeyLevel } from '../../../kinds/api-key.ts'
import type { PdpConfig } from '../../../kinds/pdp-config.ts'
import { hasAccess, reachesKey } from '../../../management/rules/access.ts'
import { findParty, listMakers } from '../../../management/rules/parties.ts'
import {
  ApiKeyCreate,
  ApiKeyQuery,
  ApiKeyRead,
  ApiKeyScope,
  KeyRotation,
  RemoteConfig,
} from '../../../management/schemas/api-keys.ts'
import { PdpConfigRead } from '../../../management/schemas/environments.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { parseId } from '../../../model/keys.ts'
import { describe } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import { everyObject, indexed, paged, searched } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { apiKeyRead, pdpConfigRead } from '../render/control.ts'
import {
  noteSecretRead,
  type RouteContext,
  requestActor,
  withoutBody,
  writeControl,
  writeNamed,
} from '../route-context.ts'

const KEY = '/v2/api-key/:key'
const rotation = { operation: 'key.write', tag: 'API keys', bodyIsOptional: true } as const
const CONFIGS = '/v2/pdps/:p/:e/configs'
const readConfigs = { operation: 'key.read', tag: 'PDPs' } as const
interface Named {
  Params: { key: string }
}

export function keyRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate } = management
  app.get(
    '/v2/api-key/scope',
    describe({ operation: 'scope.read', tag: 'API keys' }, 'Read the scope of the API key', {
      response: { 200: ApiKeyScope },
    }),
    ({ caller: { key } }, reply) => {
      // for a PDP that records its decisions; the body has the members that the clients know
      reply.header('x-api-key-id', key.id).header('x-api-key-access', key.access)
      const { organization_id, project_id, environment_id, tenant_id } = key
      return { organization_id, project_id, environment_id, ...(tenant_id === undefined ? {} : { tenant_id }) }
    },
  )
  app.get(
    '/v2/api-key/:p/:e',
    describe({ operation: 'key.reveal', tag: 'API keys' }, 'Read the API key of an environment', {
      response: { 200: ApiKeyRead },
    }),
    async (request) => {
      const { environment } = request.scope
      const view = gate.control(request.caller)
      const [config] = view.by('pdp_configs_of_environment', environment.id, { limit: 1 })
      const key = config && view.find('api_key', config.api_key_id)
      if (key === undefined) throw missing('API key of environment', environment.environment)
      return print(management, request, key, await reveal(management, request, key))
    },
  )
  listRoute(app, management, {
    path: '/v2/api-key',
    tag: 'API keys',
    summary: 'List API keys',
    operation: 'key.read',
    query: ApiKeyQuery,
    form: 'page',
    rows: async ({ request: { caller }, query }, page) => {
      const level = readLevel(query)
      const ref = readText(query, 'proj_id')
      const project = ref === undefined ? undefined : (gate.control(caller).find('project', ref)?.id ?? '')
      const fits = (key: ApiKey): boolean =>
        key.secret_of === undefined &&
        !isSession(key) &&
        reachesKey(caller.key, key) &&
        (level === undefined || key.level === level) &&
        (project === undefined || key.project_id === project)
      const source = everyObject(() => gate.control(caller), 'api_key')
      return searched(source, page, (key) => (fits(key) ? key : undefined), true)
    },
    answer: ApiKeyRead,
    print: ({ request }, keys) => keys.map((key) => print(management, request, key, null)),
  })
  app.get<Named>(
    KEY,
    describe({ operation: 'key.read', tag: 'API keys' }, 'Read an API key', { response: { 200: ApiKeyRead } }),
    async (request, reply) => {
      const key = requireNamedKey(management, request)
      sendEtag(reply, key)
      const secret = hasAccess(request.caller.key, 'key.reveal') ? await reveal(management, request, key) : null
      return print(management, request, key, secret)
    },
  )
  const change = { operation: 'key.write', tag: 'API keys' } as const
  const tagged = (request: FastifyRequest): Tagged => {
    const object = requireNamedKey(management, request as FastifyRequest<Named>)
    return { kind: 'api_key', object, show: () => print(management, request, object, null) }
  }
  app.post<{ Body: ApiKeyCreate }>(
    '/v2/api-key',
    describe(change, 'Create an API key', { body: ApiKeyCreate, response: { 200: ApiKeyRead } }),
    async (request) => {
      const by = findParty(management.gate.control(request.caller), requestActor(request, 'createApiKey'))
      const input = { ...makeNewKey(management, request, request.body), ...listMakers(by) }
      const { key, secret } = await writeControl(management, request, 'createApiKey', input)
      return print(management, request, key, secret)
    },
  )
  app.post<Named & { Body: KeyRotation }>(
    `${KEY}/rotate-secret`,
    {
      ...describe(rotation, 'Replace the secret of an API key', { body: KeyRotation, response: { 200: ApiKeyRead } }),
      preValidation: withoutBody,
    },
    async (request) => {
      const named = () => ({ ref: requireNamedKey(management, request).id, ...toRotation(request.body) })
      const { key, secret } = await writeNamed(management, request, 'rotateApiKey', named)
      return print(management, request, key, secret)
    },
  )
  app.delete<Named>(
    `${KEY}/old-secret`,
    describe({ ...change, tagged }, 'End the old secret of a rotated API key', { response: { 204: NoBody } }),
    async (request, reply) => {
      await writeNamed(management, request, 'endOldSecret', () => ({ ref: requireNamedKey(management, request).id }))
      return reply.code(204).send()
    },
  )
  const deletion = describe({ ...change, tagged }, 'Delete an API key', { response: { 204: NoBody } })
  app.delete<Named>(KEY, deletion, async (request, reply) => {
    await writeNamed(management, request, 'deleteApiKey', () => ({ ref: requireNamedKey(management, request).id }))
    return reply.code(204).send()
  })
  configRoutes(app, management)
}

/** Without a body the old secret is kept for no time. */
const toRotation = ({ keep_old_seconds }: KeyRotation) => ({ keepOldSeconds: keep_old_seconds ?? 0 })

function requireNamedKey({ gate }: RouteContext, request: FastifyRequest<Named>): ApiKey {
  const ref = request.params.key
  const id = parseId(ref)
  const key = id === undefined ? undefined : gate.control(request.caller).find('api_key', id)
  if (key === undefined || key.secret_of !== undefined || isSession(key) || !reachesKey(request.caller.key, key))
    throw missing('API key', ref)
  return key
}

/** The secret of a key, noted in the log before it is shown; null when it cannot be read back. */
async function reveal(management: RouteContext, request: FastifyRequest, key: ApiKey): Promise<string | null> {
  const secret = management.store.readSecret(key.id)
  if (secret === undefined) return null
  await noteSecretRead(management, request)
  return secret
}

function configRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate } = management
  type One = { Params: { config: string } }
  const requireConfig = (request: FastifyRequest<One>): PdpConfig => {
    const { params, scope, caller } = request
    const config = gate.control(caller).find('pdp_config', params.config)
    if (config?.environment_id !== scope.environment.id) throw missing('PDP config', params.config)
    return config
  }
  listRoute(app, management, {
    path: CONFIGS,
    ...readConfigs,
    summary: 'List PDP configs',
    query: PageQuery,
    form: 'array',
    rows: async ({ request: { caller, scope } }, page) =>
      paged(
        indexed(() => gate.control(caller), 'pdp_configs_of_environment', scope.environment.id),
        page,
      ),
    answer: PdpConfigRead,
    beforeShown: async ({ request }, configs) => {
      if (readSecrets(management, request, configs).some((secret) => secret !== undefined))
        await noteSecretRead(management, request)
    },
    print: ({ request }, configs) => printSecrets(management, request, configs),
  })
  app.get<One>(
    `${CONFIGS}/:config/values`,
    describe(readConfigs, 'Read the settings of a PDP config', { response: { 200: RemoteConfig } }),
    (request) => {
      const config = requireConfig(request)
      return remoteConfig(request, config)
    },
  )
  app.post<One & { Body: KeyRotation }>(
    `${CONFIGS}/:config/rotate-api-key`,
    {
      ...describe({ ...rotation, tag: 'PDPs' }, 'Replace the API key of a PDP config', {
        body: KeyRotation,
        response: { 200: PdpConfigRead },
      }),
      preValidation: withoutBody,
    },
    async (request) => {
      const { id } = requireConfig(request)
      const { config, secret } = await writeControl(management, request, 'rotatePdpKey', {
        ref: id,
        ...toRotation(request.body),
      })
      return pdpConfigRead(request.scope, config, secret)
    },
  )
}

/** The PDP configs of the environment of the request; with their secrets for who may see them. */
export async function printConfigs(management: RouteContext, request: FastifyRequest) {
  const { gate } = management
  const { scope, caller } = request
  const configs = [...gate.control(caller).by('pdp_configs_of_environment', scope.environment.id)]
  const secrets = readSecrets(management, request, configs)
  if (secrets.some((secret) => secret !== undefined)) await noteSecretRead(management, request)
  return printSecrets(management, request, configs)
}

/** The secrets of configs that the caller may see, and can be read back. */
function readSecrets({ store }: RouteContext, { caller }: FastifyRequest, configs: readonly PdpConfig[]) {
  const shown = hasAccess(caller.key, 'key.reveal')
  return configs.map((config) => (shown ? store.readSecret(config.api_key_id) : undefined))
}

function printSecrets(management: RouteContext, request: FastifyRequest, configs: readonly PdpConfig[]) {
  const secrets = readSecrets(management, request, configs)
  return configs.map((config, at) => pdpConfigRead(request.scope, config, secrets[at] ?? ''))
}

function makeNewKey({ gate }: RouteContext, request: FastifyRequest, body: ApiKeyCreate) {
  const { caller } = request
  const level = body.object_type ?? 'env'
  const { organization_id, project_id, environment_id, tenant_id, owner_type, name, expires_at, form, user_key } = body
  const path = ['body', 'organization_id']
  const own = gate.control(caller).require('organization', caller.organization)
  if (parseId(organization_id) !== own.id && organization_id !== own.key)
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'organization', ref: organization_id }, { path })
  if (KEY_LEVELS.indexOf(level) < KEY_LEVELS.indexOf(caller.key.level))
    throw new ZerohopError('KEY_TOO_NARROW', { what: `make keys of level ${level}` })
  // An id names an environment without its project; what the caller does not reach is missing for it.
  const project = project_id == null ? undefined : gate.project(caller, project_id)
  if (level !== 'org' && level !== 'project' && environment_id != null)
    requireReached({ gate }, request, project?.key, environment_id)
  return {
    level,
    access: body.access_level ?? 'admin',
    project: project?.id ?? null,
    environment: environment_id ?? null,
    tenant: tenant_id ?? null,
    owner: owner_type ?? 'member',
    name: name ?? null,
    expires_at,
    form,
    userKey: user_key,
  }
}

/** @throws OBJECT_NOT_FOUND */
function requireReached(
  { gate }: Pick<RouteContext, 'gate'>,
  { caller }: FastifyRequest,
  projectKey: string | undefined,
  ref: string,
): void {
  const id = parseId(ref)
  const named = id === undefined ? undefined : gate.control(caller).find('environment', id)
  const project = projectKey ?? named?.project
  if (project === undefined) throw missing('environment', ref)
  gate.scope(caller, project, ref)
}

function print({ gate, store }: RouteContext, { caller }: FastifyRequest, key: ApiKey, secret: string | null) {
  const view = gate.control(caller)
  const project = key.project_id === null ? undefined : view.find('project', key.project_id)
  const environment = key.environment_id === null ? undefined : view.find('environment', key.environment_id)
  const tenant =
    key.tenant_id === undefined ? undefined : store.view(environment?.id ?? '').find('tenant', key.tenant_id)
  return apiKeyRead(key, { project, environment, tenant }, secret)
}

function readLevel(query: Query): KeyLevel | undefined {
  const sent = readText(query, 'object_type')
  const level = KEY_LEVELS.find((one) => one === sent)
  if (sent === undefined || level !== undefined) return level
  throw new ZerohopError(
    'INPUT_INVALID',
    { reason: `permitted: ${KEY_LEVELS.join(', ')}` },
    { path: ['query', 'object_type'] },
  )
}

/** What a PDP of the contract asks for at its start. Ours follow the feed and need none of it; no secret is in it. */
function remoteConfig({ scope, protocol, host }: FastifyRequest, config: PdpConfig): RemoteConfig {
  const url = `${protocol}://${host}`
  const { organization: org_id, project, environment } = scope
  return {
    opal_common: { FETCHING_CALLBACK_TIMEOUT: 60, AUTH_PUBLIC_KEY: '' },
    opal_client: {
      DATA_TOPICS: [`${org_id}/${project.id}/${environment.id}`],
      CLIENT_TOKEN: '',
      SERVER_URL: url,
      SERVER_WS_URL: url.replace(/^http/, 'ws'),
      SERVER_PUBSUB_URL: url.replace(/^http/, 'ws'),
      DEFAULT_DATA_SOURCES_CONFIG_URL: url,
    },
    pdp: {
      BACKEND_SERVICE_URL: url,
      OPA_DECISION_LOG_INGRESS_ROUTE: '/v2/decision-logs/ingress',
      OPA_DECISION_LOG_INGRESS_BACKEND_TIER_URL: url,
      CONTROL_PLANE_RELAY_JWT_TIER: url,
      CONTROL_PLANE_RELAY_API: url,
      CONTROL_PLANE_PDP_DELTAS_API: url,
      FACTDB_ENABLED: false,
      FACTDB_BACKUP_SERVER_URL: url,
    },
    context: {
      customer_id: org_id,
      client_id: config.id,
      backend_tier: url,
      component: 'sidecar',
      org_id,
      project_id: project.id,
      env_id: environment.id,
    },
  }
}

function missing(kind: string, ref: string): ZerohopError {
  return new ZerohopError('OBJECT_NOT_FOUND', { kind, ref })
}
