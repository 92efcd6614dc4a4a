// Servers on loopback that answer by whichever image is shown to them: the PDP over HTTP, its OPA-shaped API, and a PDP
// for clients of the first API version. Started once, asked about the images of every way.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Image } from '../../../src/image/image.ts'
import type { Feed } from '../../../src/log/feed.ts'
import { ZerohopError } from '../../../src/model/errors.ts'
import type { FollowerState } from '../../../src/pdp/answering.ts'
import { Pdp } from '../../../src/pdp/pdp.ts'
import type { PdpSource } from '../../../src/pdp/pdp-source.ts'
import { Taking } from '../../../src/pdp/taking.ts'
import { pdpServer } from '../../../src/server.ts'
import { GlobalObjects } from '../../../src/v1/pdp/v1-global-objects.ts'
import { eventually } from '../eventually.ts'
import type { Instant } from '../instants.ts'

export type ServerName = 'pdp' | 'opa' | 'v1'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers, which doors compare as it is
  readonly json: any
  readonly etag: string | undefined
}

export interface Ask {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const KEY = 'key-of-the-desk'

/** As `text` of `node:stream/consumers`, at a third of its cost for a short body. */
async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await once(response, 'end')
  return text
}

/** An environment without global objects of the first API version. */
const noGlobalObjects: Feed = {
  image: () => Promise.reject(new ZerohopError('ENVIRONMENT_DELETED')),
  // biome-ignore lint/correctness/useYield: nothing can be followed
  async *deltas() {
    throw new ZerohopError('ENVIRONMENT_DELETED')
  },
}

/** Whichever image is shown. */
class Shown extends Taking implements PdpSource {
  image: Image
  /** of every request; undefined: that of the clock */
  at: Instant
  readonly ended = undefined

  constructor(image: Image) {
    super()
    this.image = this.timed(image)
  }

  /** As every source of a PDP does: the image reads the clock for questions that have no time. */
  timed(image: Image): Image {
    image.useClock(this.clock)
    return image
  }

  override get now(): number {
    return this.at ?? super.now
  }

  override get nowRead(): number | undefined {
    return this.at ?? super.nowRead
  }

  get state(): FollowerState {
    return { revision: this.image.revision, ageMs: undefined, source: 'file', stale: false }
  }

  get illTyped(): number {
    return this.image.illTyped
  }

  peek(): Image {
    return this.image
  }

  async ready(): Promise<void> {}

  async atLeast(): Promise<void> {}
  hold(): () => void {
    return () => undefined
  }

  async close(): Promise<void> {}

  protected reason(): undefined {}

  /** A follower that the image comes from may have given it its own clock again. */
  protected answering(): Image {
    return this.timed(this.image)
  }
}

export class Desk {
  readonly #source: Shown
  readonly #agent = new Agent({ keepAlive: true })
  readonly #addresses: Readonly<Record<ServerName, string>>
  readonly #end: () => Promise<void>
  /** the library, by the image that is shown */
  readonly pdp: Pdp

  private constructor(
    source: Shown,
    pdp: Pdp,
    addresses: Readonly<Record<ServerName, string>>,
    end: () => Promise<void>,
  ) {
    this.#source = source
    this.pdp = pdp
    this.#addresses = addresses
    this.#end = end
  }

  static async open(image: Image): Promise<Desk> {
    const source = new Shown(image)
    const pdp = new Pdp(source)
    const app = pdpServer(pdp, KEY, { acceptNow: true })
    const globalObjects = new GlobalObjects({ feed: noGlobalObjects })
    await eventually(() => globalObjects.refusal, undefined)
    const old = pdpServer(pdp, KEY, { v1: { globalObjects, keyless: false } })
    const apps = { pdp: app, opa: app.opa(), v1: old }
    const names = Object.keys(apps) as ServerName[]
    const listening = names.map(
      async (name) => [name, await apps[name].listen({ host: '127.0.0.1', port: 0 })] as const,
    )
    const addresses = Object.fromEntries(await Promise.all(listening)) as Record<ServerName, string>
    const end = async () => {
      for (const name of names) await apps[name].close()
    }
    return new Desk(source, pdp, addresses, end)
  }

  /** From now on everything is answered by this image. */
  show(image: Image): void {
    this.#source.image = this.#source.timed(image)
  }

  /** From now on everything is asked at this instant; undefined: at that of the clock. */
  setClock(t: Instant): void {
    this.#source.at = t
  }

  async ask(server: ServerName, path: string, { method = 'POST', body, headers = {} }: Ask = {}): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const all = { authorization: `Bearer ${KEY}`, ...type, ...headers }
    const sent = request(`${this.#addresses[server]}${path}`, { method, agent: this.#agent, headers: all })
    sent.end(json)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const answer = await readText(response)
    const { etag } = response.headers
    return { status: response.statusCode ?? 0, json: answer === '' ? undefined : JSON.parse(answer), etag }
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.#end()
  }
}
