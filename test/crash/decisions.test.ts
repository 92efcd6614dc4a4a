// Decisions are not lost: the management API is killed, the PDP is killed in the middle of its answers, both come back,
// and every decision that was answered is in the audit log (`block`), or is missing by exactly the number that the log
// says (`drop`).
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, startApi, url } from '../support/server.ts'

const CLIENTS = 8

interface Kept {
  readonly context: { readonly request_id: string; readonly seq: number; readonly instance: string }
}

/** API and PDP as two processes over one folder, with the decision log between them. */
class Pair {
  readonly data = temporaryFolder('decisions')
  readonly answered: string[] = []
  #api!: Server
  #pdp!: Server
  #ports!: readonly [api: number, pdp: number]
  #asked = 0
  readonly #variables: Record<string, string>

  constructor(variables: Record<string, string>) {
    this.#variables = variables
  }

  async start(): Promise<void> {
    this.#ports = [await freePort(), await freePort()]
    await this.startApi()
    await this.startPdp()
  }

  async startApi(): Promise<void> {
    this.#api = await startApi(this.data, this.#ports[0])
  }

  async startPdp(): Promise<void> {
    const [api, pdp] = this.#ports
    this.#pdp = new Server('pdp', {
      ZEROHOP_DATA: join(this.data, 'pdp-side'),
      PDP_PORT: String(pdp),
      PDP_API_KEY: this.key,
      PDP_CONTROL_PLANE: url(api),
      PDP_DECISION_LOG: 'api',
      ...this.#variables,
    })
    await this.#pdp.until(async () => (await fetch(`${url(pdp)}/ready`)).ok)
  }

  killApi = () => this.#api.end('SIGKILL')
  killPdp = () => this.#pdp.end('SIGKILL')
  endPdp = () => this.#pdp.end('SIGTERM')

  /** What the PDP logs. */
  get pdpOutput(): string {
    return this.#pdp.output
  }

  get key(): string {
    return readKeys(this.data).environments.development
  }

  /** One check; true when it was answered. Its request id says which it was. */
  async ask(): Promise<boolean> {
    const id = `check-${this.#asked++}`
    try {
      const answer = await fetch(`${url(this.#ports[1])}/allowed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', 'x-request-id': id },
        body: JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }),
      })
      await answer.arrayBuffer()
      if (answer.status === 200) this.answered.push(id)
      return answer.status === 200
    } catch {
      return false
    }
  }

  /** Several clients that ask until `stop` answers true. */
  async load(stop: () => boolean): Promise<void> {
    const client = async (): Promise<void> => {
      while (!stop()) await this.ask()
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
  }

  /** Everything that the management API keeps; what the last answer left is sent within a moment. */
  async kept(): Promise<Kept[]> {
    const all: Kept[] = []
    for (let page = 1; ; page++) {
      const query = `per_page=100&page=${page}`
      const answer = await fetch(`${url(this.#ports[0])}/v2/pdps/default/development/audit_logs?${query}`, {
        headers: { authorization: `Bearer ${this.key}` },
      })
      const { data } = (await answer.json()) as { data: Kept[] }
      all.push(...data)
      if (data.length < 100) return all
    }
  }

  async metrics(): Promise<string> {
    const answer = await fetch(`${url(this.#ports[1])}/metrics`, { headers: { authorization: `Bearer ${this.key}` } })
    return answer.text()
  }

  /** True when the management API has a record of one of these. */
  async keeps(ids: readonly string[]): Promise<boolean> {
    return (await this.kept()).some(({ context }) => ids.includes(context.request_id))
  }

  /** Answered decisions without a record. */
  async missing(): Promise<number> {
    const ids = new Set((await this.kept()).map(({ context }) => context.request_id))
    return this.answered.filter((id) => !ids.has(id)).length
  }
}

describe('a PDP that is killed while its sink is away', () => {
  afterEach(endServers)

  it('loses no decision that it answered under `block`', async () => {
    const pair = new Pair({ PDP_DECISION_LOG_POLICY: 'block' })
    await pair.start()
    await pair.load(() => pair.answered.length >= 200)
    await pair.killApi()
    await pair.load(() => pair.answered.length >= 600)
    // in the middle of its answers
    let isDead = false
    const dying = pair.load(() => isDead)
    await eventually(() => pair.answered.length >= 800, true)
    await pair.killPdp()
    isDead = true
    await dying
    await pair.startApi()
    await pair.startPdp()
    await pair.load(() => pair.answered.length >= 1_000)
    await eventually(() => pair.missing(), 0)
    const seqs = (await pair.kept()).map(({ context }) => context.seq).sort((one, other) => one - other)
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => at + 1))
    expect(seqs.length - pair.answered.length).toBeLessThanOrEqual(CLIENTS) // on their way when it died
  })

  it('answers under `drop`, and what is missing is exactly what it counted', async () => {
    const pair = new Pair({ PDP_DECISION_LOG_POLICY: 'drop', PDP_DECISION_LOG_BUFFER: '50k' })
    await pair.start()
    await pair.load(() => pair.answered.length >= 100)
    await pair.killApi()
    await pair.load(() => pair.answered.length >= 600)
    await pair.killPdp()
    await pair.startApi()
    await pair.startPdp()
    // until the buffer has room again, what is asked is lost and counted too
    const before = pair.answered.length
    await eventually(async () => {
      await pair.ask()
      return pair.keeps(pair.answered.slice(before))
    }, true)
    await pair.ask()
    await eventually(() => pair.keeps(pair.answered.slice(-1)), true)
    const seqs = (await pair.kept()).map(({ context }) => context.seq)
    const lost = Math.max(...seqs) - seqs.length
    expect(lost).toBeGreaterThan(100)
    expect(await pair.missing()).toBe(lost)
    const metrics = await pair.metrics()
    expect(metrics).toContain(`zerohop_decision_log_dropped_total ${lost}\n`)
  })

  it('sends what waits before it ends on SIGTERM, or after the next start', async () => {
    const pair = new Pair({ PDP_DECISION_LOG_POLICY: 'block' })
    await pair.start()
    await pair.load(() => pair.answered.length >= 50)
    expect(await pair.endPdp()).toBe(0)
    expect(await pair.missing()).toBe(0)
    await pair.startPdp()
    await pair.killApi()
    await pair.load(() => pair.answered.length >= 100)
    await eventually(() => pair.pdpOutput.includes('"sink":"api","code":"FEED_UNREACHABLE"'), true)
    expect(pair.pdpOutput).toContain('decisions wait on disk, they are not sent: ')
    expect(pair.pdpOutput).not.toContain('not recorded')
    expect(await pair.endPdp()).toBe(0)
    await pair.startApi()
    expect(await pair.missing()).toBeGreaterThanOrEqual(50)
    await pair.startPdp()
    await eventually(() => pair.missing(), 0)
  })
})
