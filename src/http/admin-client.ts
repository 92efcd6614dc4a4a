// Asks the server behind the socket `<data>/admin.sock` (admin-socket.ts). A file of its own, so that an operator's
// command does not load the server.
import { type IncomingMessage, request } from 'node:http'
import { contained } from '../model/contained.ts'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from '../model/errors.ts'
import { SOCKET_PATH_BYTES_MAX } from '../model/limits.ts'

/** An error in the form in which it crosses the socket. */
export interface Failure {
  readonly code: string
  readonly details: ErrorDetails
  readonly path?: readonly (string | number)[]
}
export type Reply = { readonly result: unknown } | { readonly error: Failure }

/** True when the path fits into a socket address. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX

/**
 * Sends a command to the server behind the socket. Undefined when none listens there. @throws what the command throws
 */
export async function callAdmin(
  path: string,
  command: string,
  input: unknown,
): Promise<{ result: unknown } | undefined> {
  const reply = await ask(path, command, JSON.stringify(input))
  if (reply === undefined || 'result' in reply) return reply
  const { code, details, path: where } = reply.error
  throw new ZerohopError(code as ErrorCode, details, where === undefined ? {} : { path: where })
}

function ask(path: string, command: string, body: string): Promise<Reply | undefined> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: path, method: 'POST', path: `/${encodeURIComponent(command)}`, headers })
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else
        reject(
          new ZerohopError('CONFIG_INVALID', { reason: `the server behind ${path} does not answer: ${error.code}` }),
        )
    })
    const answered = (response: IncomingMessage): void => {
      readBytes(response)
        .then((bytes) => resolve(readReply(bytes)))
        .catch(reject)
    }
    sent.once('response', contained('the answer to a command', answered, reject))
    sent.end(body)
  })
}

function readReply(bytes: Buffer): Reply {
  const reply = JSON.parse(bytes.toString('utf8')) as Reply
  if ('error' in reply && !Object.hasOwn(ERRORS, reply.error.code)) return { error: { code: 'INTERNAL', details: {} } }
  return reply
}

/** The whole answer of our own server. */
async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
