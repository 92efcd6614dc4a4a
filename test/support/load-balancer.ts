// A load balancer in front of several servers: each request goes to the next of them. When a connection breaks, reads
// and writes with an idempotency key are sent to another one; every other request fails with 502.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { freePort, url } from './server.ts'

export class LoadBalancer {
  /** requests that were sent again */
  repeated = 0
  /** how many of the next answers to writes get lost, as if the connection broke after the write */
  losing = 0
  /** downloads of images that were asked for */
  images = 0
  readonly #ports: readonly number[]
  readonly #agent = new Agent({ keepAlive: true })
  /** how many answers of unknown length each server is sending: feeds */
  readonly #streams = new Map<number, number>()
  readonly #server = createServer((asked, answered) => void this.#serve(asked, answered))
  #turn = 0
  #port = 0

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return url(this.#port)
  }

  /** How many feeds go through to that server. */
  streams(port: number): number {
    return this.#streams.get(port) ?? 0
  }

  async listen(): Promise<this> {
    this.#port = await freePort()
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    return this
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
  }

  async #serve(asked: IncomingMessage, answered: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = asked
    const isRepeatable = method === 'GET' || method === 'HEAD' || headers['idempotency-key'] !== undefined
    const body = await buffer(asked)
    if (asked.url?.includes('/image')) this.images++
    const first = this.#turn++
    for (let tried = 0; tried < (isRepeatable ? 2 * this.#ports.length : 1); tried++) {
      if (tried > 0) this.repeated++
      try {
        const port = this.#ports[(first + tried) % this.#ports.length]!
        return await this.#pass(port, asked, body, answered, tried === 0)
      } catch {
        if (answered.headersSent || answered.destroyed) return void answered.destroy()
      }
    }
    answered.writeHead(502).end()
  }

  async #pass(
    port: number,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    to: ServerResponse,
    isFirst: boolean,
  ): Promise<void> {
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers, agent: this.#agent })
    const gone = () => sent.destroy()
    to.once('close', gone)
    try {
      const from = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).on('error', reject).end(body)
      })
      const { connection: _own, 'keep-alive': _too, ...passed } = from.headers
      const status = from.statusCode ?? 502
      if (passed['content-length'] !== undefined || status === 204) {
        // only when it is complete: until then it can still come from another server
        const whole = await buffer(from)
        if (method !== 'GET' && isFirst && this.losing > 0) {
          this.losing--
          throw new Error('the answer is lost')
        }
        to.writeHead(status, passed).end(whole)
        return
      }
      this.#count(port, 1)
      to.writeHead(status, passed)
      await pipeline(from, to).finally(() => this.#count(port, -1))
    } finally {
      to.off('close', gone)
    }
  }

  #count(port: number, by: number): void {
    this.#streams.set(port, this.streams(port) + by)
  }
}
