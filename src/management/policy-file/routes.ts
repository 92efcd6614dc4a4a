// An environment as a policy file: GET /v2/projects/{p}/envs/{e}/export. The facts of a large environment are written by a
// thread to a private file first, because reading them would hold up every other request.
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Query, readFlag } from '../../http/page.ts'
import { actorOf, type RouteContext, viewOf } from '../http/route-context.ts'
import { flagParameter, query } from '../query-parameters.ts'
import { exportSchema } from './export.ts'
import { exportInThread } from './export-task.ts'
import { PolicyFile } from './schema.ts'

const ExportQuery = query({ facts: flagParameter('also users, tenants, role assignments, instances and tuples') })

export function exportRoutes(app: FastifyInstance, management: RouteContext): void {
  const { store } = management
  app.get<{ Querystring: Query }>(
    '/v2/projects/:p/envs/:e/export',
    { config: { operation: 'schema.read' }, schema: { querystring: ExportQuery, response: { 200: PolicyFile } } },
    async (request, reply) => {
      await store.commit(request.caller.organization, 'noteRead', null, actorOf(request, 'export'))
      if (!readFlag(request.query, 'facts')) return exportSchema(viewOf(management, request))
      const text = await everything(store.folder, request.scope.environment.id)
      return reply.type('application/json').send(text)
    },
  )
}

/** Schema and facts as JSON. */
async function everything(data: string, environment: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-export-'))
  try {
    const file = join(folder, 'policy.json')
    await exportInThread({ data, environment, file })
    return await readFile(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
