// GET /docs/migration: the guide to which every answer of /v1 links, from the repository or the package. No
// authentication.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { describe } from '../../http/description.ts'
import { ZerohopError } from '../../model/errors.ts'

const FILE = 'docs/migration.md'

export function guideRoute(app: FastifyInstance): void {
  const description = 'How to move from the first API version to this one, in Markdown.'
  const options = describe({ tag: 'server' }, 'Read the migration guide for the first API version', { description })
  app.get('/docs/migration', options, async (_request, reply) => {
    const text = await readFile(locate(), 'utf8').catch(() => {
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'file', ref: FILE })
    })
    return reply
      .header('content-type', 'text/markdown; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .send(text)
  })
}

/** Its path from the sources, or from the compiled files, which are one folder deeper. */
function locate(): URL {
  const here = new URL(`../../../${FILE}`, import.meta.url)
  return existsSync(here) ? here : new URL(`../../../../${FILE}`, import.meta.url)
}
