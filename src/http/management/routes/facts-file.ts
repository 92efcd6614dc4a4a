// The facts of an environment as lines of JSON: GET /v2/facts/{p}/{e}/export writes all of them, and
// POST /v2/facts/{p}/{e}/import applies a part of such a file as one revision. docs/facts-file.md.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { exportFacts } from '../../../management/past/export-facts.ts'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import { readAt } from '../../../management/past/read-at.ts'
import { FactsReader } from '../../../management/policy-file/facts-reader.ts'
import { FactsExportQuery, FactsImported } from '../../../management/schemas/facts-file.ts'
import { inBackground } from '../../../model/contained.ts'
import { ZerohopError } from '../../../model/errors.ts'
import {
  BULK_BODY_BYTES_MAX,
  FACTS_EXPORTS_MAX,
  FACTS_PARSED_PER_TURN,
  FACTS_PER_CALL_MAX,
  FACTS_TAKEN_MS,
} from '../../../model/limits.ts'
import { makeTemporaryFolder } from '../../../store/temporary-folder.ts'
import { describe } from '../../description.ts'
import { cutOffIdle, takesGzip } from '../../download.ts'
import { whenWritten } from '../../hooks.ts'
import { parseJsonLine } from '../../json.ts'
import { type Query, readText, readWhole } from '../../page.ts'
import { type RouteContext, requestActor, write } from '../route-context.ts'

const FACTS = '/v2/facts/:p/:e'
const LINES = 'application/x-ndjson'
const LINE_END = 0x0a

/** @param past undefined where past revisions cannot be read */
export function factsFileRoutes(app: FastifyInstance, management: RouteContext, past: PastRevisions | undefined): void {
  const { store } = management
  let running = 0

  app.get<{ Querystring: Query }>(
    `${FACTS}/export`,
    describe({ operation: 'facts.read', tag: 'environments' }, 'Export the facts of an environment as lines', {
      querystring: FactsExportQuery,
    }),
    async (request, reply) => {
      const environment = request.scope.environment.id
      const at = readAt(readText(request.query, 'at'), ['query', 'at'])
      const skip = readWhole(request.query, 'skip', { absent: 0, min: 0, max: Number.MAX_SAFE_INTEGER })
      if (at !== undefined && past === undefined) throw new ZerohopError('NOT_SUPPORTED', { what: 'at' })
      if (running >= FACTS_EXPORTS_MAX) throw new ZerohopError('EXPORT_BUSY', { running })
      const found = at && past?.find(environment, at)
      running++
      const answered = new Promise<void>((resolve) => whenWritten(reply, resolve))
      const write = async (): Promise<string> => {
        const folder = await makeTemporaryFolder()
        const file = join(folder.path, 'facts.ndjson')
        const note = store.commit(request.caller.organization, 'noteRead', null, requestActor(request, 'export'))
        const written = note.then(() =>
          exportFacts({ data: store.folder, past }, environment, { file, skip, revision: found?.revision }),
        )
        const removed = Promise.allSettled([written, answered]).then(() => folder.remove())
        inBackground('the removal of an export', removed)
        await written
        return file
      }
      const written = write()
      const isOver = Promise.allSettled([written, answered]).then(() => void running--)
      inBackground('the count of exports', isOver)
      return sendLines(reply, await written, takesGzip(request))
    },
  )

  app.register(async (lines) => {
    lines.addContentTypeParser(LINES, (request, _payload, done) => lines.readBytes(request, done))
    lines.post<{ Body: Buffer | undefined }>(
      `${FACTS}/import`,
      {
        ...describe({ operation: 'facts.write', tag: 'environments', bodyType: LINES }, 'Import facts as lines', {
          response: { 200: FactsImported },
        }),
        bodyLimit: BULK_BODY_BYTES_MAX,
      },
      async (request, reply): Promise<FactsImported> => {
        const { body, headers } = request
        if (!Buffer.isBuffer(body)) throw invalid(`the body must be ${LINES}`)
        const bytes = headers['content-encoding'] === 'gzip' ? await unpack(body) : body
        const reader = await readLines(bytes)
        try {
          const imported = await write(management, request, reply, 'importFacts', reader.lists)
          return { ...imported, facts: reader.facts }
        } catch (error) {
          throw reader.located(error)
        }
      },
    )
  })
}

const invalid = (reason: string): ZerohopError => new ZerohopError('INPUT_INVALID', { reason }, { path: ['body'] })

function sendLines(reply: FastifyReply, file: string, isPacked: boolean): FastifyReply {
  cutOffIdle(reply, FACTS_TAKEN_MS)
  const lines = createReadStream(file)
  reply.header('content-type', LINES).header('cache-control', 'no-store').header('vary', 'accept-encoding')
  if (!isPacked) return reply.send(lines)
  // an error of the first stream ends the second one, and with it the connection; a reader that goes closes both
  return reply.header('content-encoding', 'gzip').send(pipeline(lines, createGzip({ level: 1 }), () => undefined))
}

const unpackBytes = promisify(gunzip)

/** @throws INPUT_INVALID when it is damaged, or longer than a body that is not packed may be */
async function unpack(body: Buffer): Promise<Buffer> {
  try {
    return await unpackBytes(body, { maxOutputLength: BULK_BODY_BYTES_MAX })
  } catch (error) {
    const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw invalid(isLong ? `it unpacks to more than ${BULK_BODY_BYTES_MAX} bytes` : 'it cannot be unpacked')
  }
}

/** Parses in slices, between which other requests are served. @throws as `parseJsonLine` and `FactsReader.add` */
async function readLines(bytes: Buffer): Promise<FactsReader> {
  const reader = new FactsReader()
  let line = 0
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(LINE_END, start)
    const end = found < 0 ? bytes.length : found
    const value = parseJsonLine(bytes.subarray(start, end), line)
    if (value !== undefined) reader.add(value, line)
    if (reader.facts > FACTS_PER_CALL_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the facts of one call', limit: FACTS_PER_CALL_MAX })
    if (line % FACTS_PARSED_PER_TURN === FACTS_PARSED_PER_TURN - 1) await nextTurn()
    start = end + 1
  }
  return reader
}
