// A way to a management API that a test can hold: what the other side sends then waits, as in the socket of a process
// that is frozen, and comes when it is let go. It can also answer a path by itself.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The answer to a request, instead of that of the other side. */
export type Answer = (to: ServerResponse, from: IncomingMessage) => unknown

export class HeldWay {
  /** where requests go; may be changed */
  target: string
  /** by the end of a path */
  readonly answers = new Map<string, Answer>()
  /** bodies of the answers to questions for the head, as they came */
  readonly heads: string[] = []
  /** asks the other side with this key instead of the one that came */
  apiKey: string | undefined
  /** questions for the head so far */
  asked = 0
  #held: (() => void)[] | undefined
  readonly #server = createServer((from, to) => this.#pass(from, to))

  private constructor(target: string) {
    this.target = target
  }

  static async to(target: string): Promise<HeldWay> {
    const way = new HeldWay(target)
    await new Promise<void>((resolve) => way.#server.listen(0, '127.0.0.1', resolve))
    return way
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Holds what comes from the other side, and the ends of its connections, until `letGo`. */
  hold(): void {
    this.#held ??= []
  }

  letGo(): void {
    for (const send of this.#held?.splice(0) ?? []) send()
    this.#held = undefined
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #later(send: () => void): void {
    if (this.#held === undefined) send()
    else this.#held.push(send)
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const path = new URL(from.url ?? '/', this.target).pathname
    const isHead = path.endsWith('/head')
    if (isHead) this.asked++
    const own = [...this.answers].find(([end]) => path.endsWith(end))?.[1]
    if (own !== undefined) {
      void own(to, from)
      return
    }
    const key = this.apiKey === undefined ? {} : { authorization: `Bearer ${this.apiKey}` }
    const headers = { ...from.headers, ...key, 'accept-encoding': 'identity' }
    const onward = request(this.target + from.url, { method: from.method, headers, agent: false }, (answer) => {
      this.#later(() => {
        to.writeHead(answer.statusCode ?? 502, answer.headers)
        to.flushHeaders()
      })
      let body = ''
      answer.on('data', (chunk: Buffer) => {
        if (isHead) body += chunk.toString()
        this.#later(() => to.write(chunk))
      })
      answer.on('end', () => {
        if (isHead) this.heads.push(body)
        this.#later(() => to.end())
      })
      answer.on('error', () => this.#later(() => to.destroy()))
    })
    onward.on('error', () => this.#later(() => to.destroy()))
    to.on('close', () => onward.destroy())
    from.pipe(onward)
  }
}
