// Proxy configs: /v2/facts/{p}/{e}/proxy_configs. Their secret is shown to whoever may see secrets, each time with an
// entry in the log.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasAccess } from '../../../management/rules/access.ts'
import {
  ProxyConfigCreate,
  ProxyConfigRead,
  ProxyConfigReplace,
  ProxyConfigUpdate,
} from '../../../management/schemas/proxy-configs.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import type { Json } from '../../../model/objects.ts'
import { everyObject, paged } from '../collection-pages.ts'
import { collectionRoutes, FACTS } from '../collection-routes.ts'
import { proxyConfigRead } from '../render/facts.ts'
import { noteSecretRead, type RouteContext } from '../route-context.ts'

export function proxyConfigRoutes(app: FastifyInstance, management: RouteContext): void {
  const maySee = ({ caller }: FastifyRequest): boolean => hasAccess(caller.key, 'secret.read')
  collectionRoutes(app, management, {
    path: '/v2/facts/:p/:e/proxy_configs/:ref',
    tag: 'proxy_configs',
    noun: 'proxy config',
    operations: FACTS,
    tagged: 'proxy_config',
    find: ({ view, ref }) => view().require('proxy_config', ref),
    answer: ProxyConfigRead,
    beforeShown: async ({ request }, configs) => {
      if (maySee(request) && configs.length > 0) await noteSecretRead(management, request)
    },
    print: ({ request, scope }, configs) =>
      configs.map((config) => {
        const sealed = maySee(request) ? management.store.readSecret(config.id) : undefined
        return proxyConfigRead(scope, config, sealed === undefined ? null : (JSON.parse(sealed) as Json))
      }),
    list: {
      query: PageQuery,
      form: 'array',
      rows: async ({ view }, page) => paged(everyObject(view, 'proxy_config'), page),
    },
    create: {
      body: ProxyConfigCreate,
      useCase: 'createProxyConfig',
      print: ({ scope }, config, { secret }) => proxyConfigRead(scope, config, secret),
    },
    update: { body: ProxyConfigUpdate, useCase: 'updateProxyConfig' },
    replace: { body: ProxyConfigReplace, useCase: 'replaceProxyConfig' },
    remove: 'deleteProxyConfig',
  })
}
