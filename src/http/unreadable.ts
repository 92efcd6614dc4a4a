// Answers bytes that are not a request: invalid HTTP, headers that are too long, a request that did not arrive in time.
// The answer has the form of all other errors, so that clients can read it; then the connection is closed.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorForm } from './errors.ts'

const STATUS_OF: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
}

/** The handler of a server's `clientError`. */
export function answerUnreadable(form: ErrorForm): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, message] = STATUS_OF[error.code ?? ''] ?? [400, 'this is no HTTP request']
    const body = Buffer.from(JSON.stringify(form({ status, errorCode: 'INVALID_INPUT', message }).body))
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'connection: close',
    ]
    if (socket.writable) socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
    socket.destroy(error)
  }
}
