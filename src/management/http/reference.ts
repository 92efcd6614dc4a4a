// GET /v2/openapi.json and /docs: the reference of the management API. Open to everybody, and the same for all. The document is made from the
// routes when the project is built (src/http/openapi.ts).
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { DOCS_POLICY, docsPage } from '../../http/docs-page.ts'
import type { OpenApiDocument } from '../../http/openapi.ts'
import { ZerohopError } from '../../model/errors.ts'

const FOLDER = 'dist/reference'

export function referenceRoutes(app: FastifyInstance): void {
  const document = builtFile('openapi.json')
  let page: string | undefined
  const described = (description: string) => ({ schema: { description } })
  app.get('/v2/openapi.json', described('This reference as an OpenAPI document.'), async (_request, reply) =>
    reply.header('content-type', 'application/json').send(await document()),
  )
  app.get('/docs', described('This reference as a page for a browser.'), async (_request, reply) => {
    page ??= docsPage(JSON.parse(String(await document())) as OpenApiDocument)
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY())
      .header('x-content-type-options', 'nosniff')
      .send(page)
  })
}

/** A file of the build, read when it is first asked for. */
function builtFile(name: string): () => Promise<Buffer> {
  let content: Buffer | undefined
  return async () => {
    content ??= await readFile(locate(name)).catch(() => {
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'file', ref: `${FOLDER}/${name}` })
    })
    return content
  }
}

/** Seen from the sources, or from the compiled files, which lie in `dist` themselves. */
function locate(name: string): URL {
  const here = new URL(`../../../${FOLDER}/${name}`, import.meta.url)
  return existsSync(here) ? here : new URL(`../../../../${FOLDER}/${name}`, import.meta.url)
}
