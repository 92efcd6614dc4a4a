// GET /v2/openapi.json and /docs: the reference of the management API. Open to everybody, and the same for all. What is
// answered are files of the build: the document that src/http/openapi.ts made from the routes, and a page that shows it
// (docs/adr/0017-scalar-reference.md).
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { describe } from '../description.ts'

const FOLDER = 'dist/reference'

/**
 * Nothing is loaded from elsewhere and nothing is sent elsewhere. Scalar writes its styles into the page, so these may
 * be inline; scripts may not.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function referenceRoutes(app: FastifyInstance): void {
  const [document, page, script] = [builtFile('openapi.json'), builtFile('index.html'), builtFile('scalar.js.gz')]
  const open = (summary: string, description: string) => describe({ tag: 'server' }, summary, { description })
  app.get(
    '/v2/openapi.json',
    open('Read the OpenAPI document', 'This reference as an OpenAPI document.'),
    async (_request, reply) => reply.header('content-type', 'application/json').send(await document()),
  )
  app.get('/docs', open('Read this reference', 'This reference as a page for a browser.'), async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .send(await page()),
  )
  app.get(
    '/docs/scalar.js',
    open('Read the script of this reference', 'The script of that page, always packed.'),
    async (_request, reply) =>
      reply
        .header('content-type', 'text/javascript; charset=utf-8')
        .header('content-encoding', 'gzip')
        .header('cache-control', 'public, max-age=3600')
        .header('x-content-type-options', 'nosniff')
        .send(await script()),
  )
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
