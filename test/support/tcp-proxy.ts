// A TCP proxy on loopback on which a test decides what the network does: it cuts, refuses, delays, or lets the bytes of
// one or both directions wait while the connections stay.
import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './server.ts'

/** `request`: from client to server, `reply`: from server to client. */
export type Direction = 'request' | 'reply'

/** Connections go on to `target`, a port on loopback. */
export async function startProxy(target: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(target, await freePort())
  await proxy.accept()
  return proxy
}

export class TcpProxy {
  readonly port: number
  readonly #pairs = new Set<Pair>()
  readonly #network: Network = { delayMs: 0, blocked: new Set(), cut: undefined, cutAt: undefined }
  #target: number
  #server: Server | undefined

  constructor(target: number, port: number) {
    this.#target = target
    this.port = port
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#pairs.size
  }

  /** The same URL by way of the proxy. */
  through(url: string): string {
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(this.port) }).href
  }

  /** Destroys all connections. */
  cut(): void {
    for (const pair of this.#pairs) pair.destroy()
  }

  /** No byte passes from now on, nor the end of a connection; new connections are accepted and hear nothing. */
  pause(): void {
    this.#block(['request', 'reply'])
  }

  /** Everything passes again, and first what waited. */
  resume(): void {
    this.#block([])
  }

  /** What clients send waits. */
  replyOnly(): void {
    this.#block(['request'])
  }

  /** What servers send waits. */
  requestOnly(): void {
    this.#block(['reply'])
  }

  /** How long each byte is on its way, in each direction. */
  latency(ms: number): void {
    this.#network.delayMs = ms
  }

  /** Lets `bytes` more of that direction pass, of all connections together, and destroys the one with the next byte. */
  cutAfterBytes(bytes: number, direction: Direction): void {
    this.#network.cut = { bytes, direction }
  }

  /**
   * Destroys the next connection on which the request `asked` passes: in its place, or with the `answer` that follows
   * it, which does not pass either. Resolves when that has happened.
   */
  cutAt(asked: string, answer?: string): Promise<void> {
    return new Promise((resolve) => {
      this.#network.cutAt = { asked, answer, done: resolve }
    })
  }

  /** New connections are refused; those that are open stay. */
  refuse(): void {
    this.#server?.close()
    this.#server = undefined
  }

  /** Ends what `refuse` began. */
  async accept(): Promise<void> {
    if (this.#server !== undefined) return
    this.#server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
      const pair = new Pair(client, this.#target, this.#network, () => this.#pairs.delete(pair))
      this.#pairs.add(pair)
    })
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening')
  }

  /** Where new connections go. */
  setTarget(target: number): void {
    this.#target = target
  }

  close(): void {
    this.refuse()
    this.cut()
  }

  #block(directions: readonly Direction[]): void {
    this.#network.blocked = new Set(directions)
    for (const pair of this.#pairs) pair.look()
  }
}

interface Network {
  delayMs: number
  blocked: ReadonlySet<Direction>
  cut: { bytes: number; readonly direction: Direction } | undefined
  cutAt: CutAt | undefined
}

/** `asked` and `answer` are each looked for in one chunk of bytes, as the socket gives it. */
interface CutAt {
  readonly asked: string
  readonly answer: string | undefined
  readonly done: () => void
  /** the flow of the answers on the connection that asked; undefined before */
  answers?: Flow | undefined
}

/** The connection of a client and the one to the server that belongs to it. */
class Pair {
  readonly #sockets: readonly [Socket, Socket]
  readonly #flows: readonly [Flow, Flow]

  constructor(client: Socket, target: number, network: Network, closed: () => void) {
    const server = createConnection({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    this.#sockets = [client, server]
    const destroy = () => this.destroy()
    const reply = new Flow('reply', server, client, network, destroy)
    this.#flows = [new Flow('request', client, server, network, destroy, reply), reply]
    const open = new Set<Socket>(this.#sockets)
    for (const socket of this.#sockets)
      socket.on('close', () => {
        open.delete(socket)
        if (open.size === 0) closed()
      })
  }

  destroy(): void {
    for (const flow of this.#flows) flow.stop()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** What is blocked has changed. */
  look(): void {
    for (const flow of this.#flows) flow.look()
  }
}

/** `end`: nothing more will be sent. `gone`: the connection is closed. */
type Item = { readonly due: number; readonly what: Buffer | 'end' | 'gone' }

/** As much waits in the proxy; the rest waits with its sender. */
const WAITING_BYTES_MAX = 1024 * 1024

/** One direction of one connection. */
class Flow {
  readonly #direction: Direction
  readonly #from: Socket
  readonly #to: Socket
  readonly #network: Network
  readonly #destroy: () => void
  /** the other direction, for requests */
  readonly #answers: Flow | undefined
  readonly #waiting: Item[] = []
  #bytes = 0
  #full = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(direction: Direction, from: Socket, to: Socket, network: Network, destroy: () => void, answers?: Flow) {
    this.#direction = direction
    this.#answers = answers
    this.#from = from
    this.#to = to
    this.#network = network
    this.#destroy = destroy
    from.on('data', (chunk: Buffer) => this.#take(chunk))
    from.on('end', () => this.#take('end'))
    from.on('close', () => this.#take('gone'))
    from.on('error', () => undefined) // `close` follows
    to.on('drain', () => {
      this.#full = false
      this.look()
    })
    this.look()
  }

  /** Passes on what may pass now. */
  look(): void {
    clearTimeout(this.#timer)
    while (!this.#stopped && !this.#full && !this.#blocked) {
      const [next] = this.#waiting
      if (next === undefined) break
      const left = next.due - performance.now()
      if (left > 0) {
        this.#timer = setTimeout(() => this.look(), left)
        break
      }
      this.#waiting.shift()
      this.#pass(next.what)
    }
    // A blocked sender is not read: what it sends, and that it goes away, stays on its own machine.
    if (this.#stopped || this.#blocked || this.#full || this.#bytes > WAITING_BYTES_MAX) this.#from.pause()
    else this.#from.resume()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  get #blocked(): boolean {
    return this.#network.blocked.has(this.#direction)
  }

  #take(what: Item['what']): void {
    if (this.#stopped) return
    if (typeof what === 'object') this.#bytes += what.length
    this.#waiting.push({ due: performance.now() + this.#network.delayMs, what })
    this.look()
  }

  #pass(what: Item['what']): void {
    if (what === 'gone') this.#passGone()
    else if (what === 'end') this.#to.end()
    else this.#passBytes(what)
  }

  #passGone(): void {
    // after an end in both directions the other socket closes by itself, when it has sent everything
    if (!this.#from.readableEnded || !this.#from.writableFinished) this.#destroy()
  }

  #passBytes(chunk: Buffer): void {
    this.#bytes -= chunk.length
    if (this.#isCutAt(chunk)) {
      this.#network.cutAt?.done()
      this.#network.cutAt = undefined
      this.#destroy()
      return
    }
    const cut = this.#network.cut?.direction === this.#direction ? this.#network.cut : undefined
    if (cut !== undefined && chunk.length > cut.bytes) {
      this.#network.cut = undefined
      this.stop()
      // what may still pass arrives before the connection ends
      this.#to.write(chunk.subarray(0, cut.bytes), this.#destroy)
      return
    }
    if (cut !== undefined) cut.bytes -= chunk.length
    this.#full = !this.#to.write(chunk)
  }

  /** True for the bytes that do not pass any more. */
  #isCutAt(chunk: Buffer): boolean {
    const { cutAt } = this.#network
    if (cutAt === undefined) return false
    if (cutAt.answers === this) return chunk.includes(cutAt.answer ?? '')
    if (this.#answers === undefined || cutAt.answers !== undefined || !chunk.includes(cutAt.asked)) return false
    if (cutAt.answer === undefined) return true
    cutAt.answers = this.#answers
    return false
  }
}
