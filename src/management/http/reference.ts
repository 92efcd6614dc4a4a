// GET /v2/openapi.json and /docs: the reference of the management API, made from its routes. Open to everybody, and the same for all.
import type { FastifyInstance } from 'fastify'
import { DOCS_POLICY, docsPage } from '../../http/docs-page.ts'
import { openApiOf, RouteList } from '../../http/openapi.ts'

const ABOUT = {
  title: 'Zerohop management API',
  description:
    'Policy and facts of environments. In a path `{p}` is a project and `{e}` an environment; every name is an id or a key. ' +
    'A write answers `x-revision`, the revision of the environment that has it.',
  version: '2',
}

/** Registers the reference of everything that is registered from now on. */
export function referenceRoutes(app: FastifyInstance): void {
  const { routes, add } = new RouteList()
  app.addHook('onRoute', add)
  let made: { readonly json: string; readonly page: string } | undefined
  const make = () => {
    const document = openApiOf(routes, ABOUT)
    return { json: JSON.stringify(document), page: docsPage(document) }
  }
  app.get(
    '/v2/openapi.json',
    { schema: { description: 'This reference as an OpenAPI document.' } },
    (_request, reply) => {
      made ??= make()
      return reply.header('content-type', 'application/json').send(made.json)
    },
  )
  app.get('/docs', { schema: { description: 'This reference as a page for a browser.' } }, (_request, reply) => {
    made ??= make()
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY())
      .header('x-content-type-options', 'nosniff')
      .send(made.page)
  })
}
