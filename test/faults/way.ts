// A way to a management API on which a test decides what goes wrong: it passes requests on, or stalls, lies and answers
// garbage instead.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Fault =
  | 'none'
  /** the connection is cut without an answer */
  | 'cut'
  /** the answer begins, then nothing comes */
  | 'stall'
  /** as many bytes as there should be, of something else */
  | 'garbage'
  /** a page of somebody in between, with status 200 */
  | 'page'
  | 401
  /** by something on the way */
  | 403
  | 503

export class Way {
  fault: Fault = 'none'
  /** what the fault is about: everything, or paths that end so */
  about = ''
  /** requests that met the fault */
  met = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(target: string) {
    this.#server = createServer((from, to) => this.#answer(target, from, to))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async to(target: string): Promise<Way> {
    const way = new Way(target)
    await new Promise<void>((resolve) => way.#server.listen(0, '127.0.0.1', resolve))
    return way
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on; what is open is cut. */
  become(fault: Fault, about = ''): void {
    this.fault = fault
    this.about = about
    this.met = 0
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.become('cut')
    this.#server.close()
  }

  #answer(target: string, from: IncomingMessage, to: ServerResponse): void {
    const { pathname } = new URL(from.url ?? '/', target)
    const fault = pathname.endsWith(this.about) ? this.fault : 'none'
    if (fault !== 'none') this.met++
    if (fault === 'cut') return void to.socket?.destroy()
    if (fault === 401) return void to.writeHead(401).end('{"error_code":"UNAUTHORIZED"}')
    if (fault === 403) return void to.writeHead(403).end('{"message":"a gateway refuses it"}')
    if (fault === 503) return void to.writeHead(503).end('{}')
    if (fault === 'page') return void to.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please sign in</h1>')
    const headers = { ...from.headers, 'accept-encoding': 'identity' }
    const onward = request(target + from.url, { method: from.method, headers, agent: false }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      let sent = 0
      answer.on('data', (chunk: Buffer) => {
        if (fault === 'none') to.write(chunk)
        if (fault === 'garbage') to.write(Buffer.alloc(chunk.length, 0x5a))
        if (fault === 'stall' && sent === 0) to.write(chunk.subarray(0, Math.floor(chunk.length / 2)))
        sent += chunk.length
      })
      answer.on('end', () => fault !== 'stall' && to.end())
      answer.on('error', () => to.destroy())
    })
    onward.on('error', () => to.destroy())
    to.on('close', () => onward.destroy())
    from.pipe(onward)
  }
}
