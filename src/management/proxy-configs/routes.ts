// Proxy configs: /v2/facts/{p}/{e}/proxy_configs. Their secret is shown to whoever may see secrets, each time with an entry in the log.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Query, readPage } from '../../http/page.ts'
import { listOf } from '../../model/json-schema.ts'
import type { Json, ProxyConfig } from '../../model/objects.ts'
import { hasAccess } from '../access.ts'
import { everyObject, paged } from '../http/collection-pages.ts'
import { proxyConfigRead } from '../http/render-facts.ts'
import { noteSecretRead, type RouteContext, viewOf, write } from '../http/route-context.ts'
import { PageQuery } from '../query-parameters.ts'
import { NoBody } from '../schema-parts.ts'
import { ProxyConfigCreate, ProxyConfigRead, ProxyConfigUpdate } from './schema.ts'

const CONFIGS = '/v2/facts/:p/:e/proxy_configs'
const CONFIG = `${CONFIGS}/:ref`
const read = { operation: 'facts.read' } as const
const change = { operation: 'facts.write' } as const
interface Named {
  Params: { ref: string }
}

export function proxyConfigRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    CONFIGS,
    { config: read, schema: { querystring: PageQuery, response: { 200: listOf(ProxyConfigRead) } } },
    (request) => {
      const source = everyObject(() => viewOf(management, request), 'proxy_config')
      return reveal(management, request, paged(source, readPage(request.query)).rows)
    },
  )
  app.post<{ Body: ProxyConfigCreate }>(
    CONFIGS,
    { config: change, schema: { body: ProxyConfigCreate, response: { 200: ProxyConfigRead } } },
    async (request, reply) => {
      const config = await write(management, request, reply, 'createProxyConfig', request.body)
      return proxyConfigRead(request.scope, config, request.body.secret)
    },
  )
  app.get<Named>(CONFIG, { config: read, schema: { response: { 200: ProxyConfigRead } } }, async (request) => {
    const config = viewOf(management, request).require('proxy_config', request.params.ref)
    return (await reveal(management, request, [config]))[0]
  })
  app.patch<Named & { Body: ProxyConfigUpdate }>(
    CONFIG,
    { config: change, schema: { body: ProxyConfigUpdate, response: { 200: ProxyConfigRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      const config = await write(management, request, reply, 'updateProxyConfig', input)
      return (await reveal(management, request, [config]))[0]
    },
  )
  app.delete<Named>(CONFIG, { config: change, schema: { response: { 204: NoBody } } }, async (request, reply) => {
    await write(management, request, reply, 'deleteProxyConfig', { ref: request.params.ref })
    return reply.code(204).send()
  })
}

/** The configs with their secrets, when the key may see them. */
async function reveal(management: RouteContext, request: FastifyRequest, configs: readonly ProxyConfig[]) {
  const mayRead = hasAccess(request.caller.key, 'secret.read')
  if (mayRead && configs.length > 0) await noteSecretRead(management, request)
  return configs.map((config) => {
    const sealed = mayRead ? management.store.readSecret(config.id) : undefined
    return proxyConfigRead(request.scope, config, sealed === undefined ? null : (JSON.parse(sealed) as Json))
  })
}
