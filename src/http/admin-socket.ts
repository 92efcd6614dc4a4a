// The socket `<data>/admin.sock` of a server: POST /<command> with a JSON body answers `{result}` or `{error}`. Only
// users who may write the data folder can connect (mode 0600); there are no API keys. Meaning of the commands:
// src/management/host/admin.ts.
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { ADMIN_BODY_BYTES_MAX, ADMIN_CONNECTIONS_MAX, BODY_KEY_SHARE } from '../model/limits.ts'
import type { Failure, Reply } from './admin-client.ts'
import { BodyBudget } from './intake/body-budget.ts'
import { readBody } from './intake/body-reader.ts'
import { makeTimeouts } from './intake/intake.ts'
import { parseJson, UNLIMITED } from './json.ts'
import { refuseRepeatedHeaders } from './repeated-headers.ts'

export type RunCommand = (command: string, input: unknown) => Promise<unknown>

/**
 * Serves commands on a socket until the returned function is called. Called by the process that has locked the data
 * folder: an existing socket at the path belongs to a dead process.
 */
export async function serveAdmin(path: string, run: RunCommand): Promise<() => Promise<void>> {
  rmSync(path, { force: true })
  const server = createServer(makeTimeouts(), (message, response) => {
    answer(message, run)
      .then((reply) => send(response, reply))
      .catch(() => response.destroy())
  })
  server.maxConnections = ADMIN_CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const mask = process.umask(0o177) // the socket must never be there with another mode; listen makes it at once
    server.listen(path, resolve)
    process.umask(mask)
  })
  server.unref()
  return async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
    })
    rmSync(path, { force: true })
  }
}

async function answer(message: IncomingMessage, run: RunCommand): Promise<Reply> {
  try {
    refuseRepeatedHeaders(message)
    const command = decodeURIComponent(message.url?.slice(1) ?? '')
    const { bytes, release } = await receiveBody(message)
    try {
      return { result: await run(command, parseJson(bytes, 'refuse', UNLIMITED)) }
    } finally {
      release()
    }
  } catch (error) {
    return { error: toFailure(error) }
  }
}

/** One budget of bytes for all commands together, because all of them come from the operator. */
const commands = new BodyBudget(ADMIN_BODY_BYTES_MAX * BODY_KEY_SHARE)

/** The body of a command. @throws LIMIT_EXCEEDED, BODY_MEMORY_FULL */
function receiveBody(stream: IncomingMessage): Promise<{ bytes: Buffer; release: () => void }> {
  const source = { stream, announced: undefined, limit: ADMIN_BODY_BYTES_MAX, budget: commands, keyOf: () => '' }
  return new Promise((resolve, reject) => {
    readBody(source, (error, bytes, hold) => {
      if (error === undefined) resolve({ bytes, release: () => hold?.release() })
      else if ((error as { statusCode?: number }).statusCode === 413)
        reject(new ZerohopError('LIMIT_EXCEEDED', { what: 'the file in bytes', limit: ADMIN_BODY_BYTES_MAX }))
      else reject(error)
    })
  })
}

function send(response: ServerResponse, reply: Reply): void {
  const body = JSON.stringify(reply)
  response
    .writeHead('error' in reply ? 400 : 200, { 'content-type': 'application/json', connection: 'close' })
    .end(body)
}

function toFailure(error: unknown): Failure {
  if (!isZerohopError(error)) return { code: 'INTERNAL', details: {} }
  return { code: error.code, details: error.details, ...(error.path === undefined ? {} : { path: error.path }) }
}
