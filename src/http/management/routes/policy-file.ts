// An environment as a policy file: GET /v2/projects/{p}/envs/{e}/export. The facts of a large environment are written
// by a thread to a private file first, because reading them would hold up every other request. Past revisions are read
// by a thread too.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import { readAt } from '../../../management/past/read-at.ts'
import { exportSchema } from '../../../management/policy-file/export.ts'
import { exportInThread } from '../../../management/policy-file/export-task.ts'
import { PolicyFile } from '../../../management/schemas/policy-file.ts'
import { flagParameter, query, textParameter } from '../../../management/schemas/query-parameters.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { makeTemporaryFolder } from '../../../store/temporary-folder.ts'
import { describe } from '../../description.ts'
import { type Query, readFlag, readText } from '../../page.ts'
import { type RouteContext, requestActor, requestView } from '../route-context.ts'

const ExportQuery = query({
  facts: flagParameter('also users, tenants, role assignments, instances and tuples'),
  at: textParameter('at a revision, or at an instant in ISO 8601'),
})

/** @param past undefined where past revisions cannot be read */
export function exportRoutes(app: FastifyInstance, management: RouteContext, past: PastRevisions | undefined): void {
  const { store } = management
  app.get<{ Querystring: Query }>(
    '/v2/projects/:p/envs/:e/export',
    describe({ operation: 'schema.read', tag: 'environments' }, 'Read the policy of an environment as a file', {
      querystring: ExportQuery,
      response: { 200: PolicyFile },
    }),
    async (request, reply) => {
      const environment = request.scope.environment.id
      const at = readAt(readText(request.query, 'at'), ['query', 'at'])
      const facts = readFlag(request.query, 'facts')
      if (at !== undefined && past === undefined) throw new ZerohopError('NOT_SUPPORTED', { what: 'at' })
      const found = at && past?.find(environment, at)
      await store.commit(request.caller.organization, 'noteRead', null, requestActor(request, 'export'))
      if (found !== undefined && past !== undefined) {
        reply.header('x-revision', String(found.revision))
        return reply.type('application/json').send(Buffer.from(await past.export(environment, found.revision, facts)))
      }
      if (!facts) return exportSchema(requestView(management, request))
      const text = await everything(store.folder, environment)
      return reply.type('application/json').send(text)
    },
  )
}

/** Schema and facts as JSON. */
async function everything(data: string, environment: string): Promise<string> {
  const folder = await makeTemporaryFolder()
  try {
    const file = join(folder.path, 'policy.json')
    await exportInThread({ data, environment, file })
    return await readFile(file, 'utf8')
  } finally {
    await folder.remove()
  }
}
