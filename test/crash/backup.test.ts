// A backup that is taken while many write is one moment of the data: what was acknowledged before is in it, nothing is
// half in it, and a folder restored from it stands at the revision and holds the image that the backup reported.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { type PolicyChange, toDelta } from '../../src/log/delta.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import type { BackupManifest } from '../../src/store/backup.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { threadUrl } from '../../src/threads/thread-url.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, startApi, url } from '../support/server.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
const WRITER = new URL('../../src/management/host/registry.ts', import.meta.url).href
const WRITERS = 16
const BACKUPS = 3

async function zerohop(...args: string[]): Promise<BackupManifest> {
  const { stdout } = await promisify(execFile)(process.execPath, [...SHORT_LIVED, COMMAND, ...args, '--json'])
  return JSON.parse(stdout)
}

/** A write that the server acknowledged, with its revision. */
interface Acknowledged {
  readonly user: string
  readonly revision: number
}

/** Many who create a user with a role each, and delete every third again, until they are told to stop. */
class Writers {
  readonly acknowledged: Acknowledged[] = []
  readonly #ask: (method: string, path: string, body?: unknown) => Promise<Response>
  #stopped = false
  #count = 0
  readonly #running: Promise<void>[]

  constructor(ask: (method: string, path: string, body?: unknown) => Promise<Response>) {
    this.#ask = ask
    this.#running = Array.from({ length: WRITERS }, () => this.#write())
  }

  async #write(): Promise<void> {
    while (!this.#stopped) {
      const user = `user-${this.#count++}`
      const made = await this.#ask('POST', 'users', { key: user, role_assignments: [{ role: 'admin' }] })
      if (made.status !== 200) throw new Error(`a write was answered ${made.status}`)
      this.acknowledged.push({ user, revision: Number(made.headers.get('x-revision')) })
      if (this.#count % 3 === 0) await this.#ask('DELETE', 'role_assignments', { user, role: 'admin' })
    }
  }

  /** The last revision that was acknowledged so far. */
  get revision(): number {
    return Math.max(0, ...this.acknowledged.map(({ revision }) => revision))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }
}

describe('a backup taken under load', () => {
  const data = temporaryFolder('backed-up')
  const taken: { manifest: BackupManifest; folder: string; before: number; after: number }[] = []
  let acknowledged: readonly Acknowledged[]
  let last: number

  beforeAll(async () => {
    const port = await freePort()
    const server = await startApi(data, port)
    const key = readKeys(data).environments.development
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const ask = async (method: string, path: string, body?: unknown) => {
      const where = path === 'roles' ? 'schema' : 'facts'
      const address = `${url(port)}/v2/${where}/default/development/${path}`
      const answer = await fetch(address, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      await answer.arrayBuffer()
      return answer
    }
    expect((await ask('POST', 'roles', { key: 'admin' })).status).toBe(200)
    const writers = new Writers(ask)
    for (let round = 0; round < BACKUPS; round++) {
      const folder = join(temporaryFolder('backup'), 'copy')
      const before = writers.revision
      const manifest = await zerohop('backup', folder, '--data', data)
      taken.push({ manifest, folder, before, after: writers.revision })
    }
    await writers.stop()
    acknowledged = writers.acknowledged
    last = writers.revision
    await server.end()
  })
  afterAll(endServers)

  const requireEnvironment = ({ logs }: BackupManifest) =>
    logs.find(({ name }) => name.endsWith('/default/development'))!

  it('is of one moment between its begin and its end, while writes went on', () => {
    for (const { manifest, before, after } of taken) {
      const { revision } = requireEnvironment(manifest)
      expect(revision).toBeGreaterThanOrEqual(before)
      expect(revision).toBeLessThanOrEqual(after + 2 * WRITERS)
    }
    const revisions = taken.map(({ manifest }) => requireEnvironment(manifest).revision)
    expect(revisions[0]).toBeLessThan(revisions[1]!)
    expect(revisions[2]).toBeLessThan(last)
    expect(taken.some(({ before, after }) => after > before)).toBe(true)
  })

  it.each(Array.from({ length: BACKUPS }, (_, at) => at))('number %i restores to what it reported', async (at) => {
    const { manifest, folder } = taken[at]!
    const restored = join(temporaryFolder('restored'), 'data')
    expect(await zerohop('restore', folder, '--data', restored)).toEqual(manifest)
    const store = await openStore<ManagementUseCases>({
      data: restored,
      writerThread: threadUrl(WRITER, './writer-thread.ts'),
    })
    try {
      for (const { log, revision, chain, image_sha256 } of manifest.logs) {
        expect(store.head(log).revision).toBe(revision)
        expect(store.head(log).chain, 'another history begins').not.toBe(chain)
        if (image_sha256 === undefined) continue
        expect(Image.load(buildSnapshot(store.view(log)).bytes).hash()).toBe(image_sha256)
      }
      const { log, revision } = requireEnvironment(manifest)
      expectWhole(store, log, revision)
      await expectFollowed(store, log)
    } finally {
      await store.close()
    }
  })

  it('reports the image that the log says for its revision', async () => {
    const store = await openStore<ManagementUseCases>({ data, writerThread: threadUrl(WRITER, './writer-thread.ts') })
    try {
      for (const { manifest } of taken) {
        const { log, revision, image_sha256 } = requireEnvironment(manifest)
        const policy = policyAt(store, log, revision)
        expect(Image.build(log, store.head(log), policy).hash()).toBe(image_sha256)
      }
    } finally {
      await store.close()
    }
  })

  /** What the log's deltas up to the revision leave. */
  function policyAt(store: Store<ManagementUseCases>, log: string, revision: number): PolicyChange[] {
    const objects = new Map<string, PolicyChange>()
    let at = 0
    while (at < revision) {
      for (const entry of store.entries(log, at)) {
        at = entry.revision
        if (at > revision) break
        for (const change of toDelta(entry).changes) {
          if (change.op === 'put') objects.set(`${change.kind} ${change.key}`, change)
          else objects.delete(`${change.kind} ${change.key}`)
        }
      }
    }
    return [...objects.values()]
  }

  /** A write after the restore is a delta that continues the restored history. */
  async function expectFollowed(store: Store<ManagementUseCases>, log: string): Promise<void> {
    const follower = Image.load(buildSnapshot(store.view(log)).bytes)
    await store.commit(log, 'createUser', { key: 'after', role_assignments: [{ role: 'admin' }] }, TESTER)
    for (const entry of store.entries(log, follower.revision)) follower.apply(toDelta(entry))
    expect(follower.hash()).toBe(Image.load(buildSnapshot(store.view(log)).bytes).hash())
  }

  /** Every write up to the revision is there with all its parts, and none after it. */
  function expectWhole(store: Store<ManagementUseCases>, log: string, at: number): void {
    const view = store.view(log)
    for (const { user, revision } of acknowledged) {
      expect(view.get('user', user) !== undefined, `${user} of revision ${revision} at ${at}`).toBe(revision <= at)
    }
    for (const { user } of view.list('role_assignment')) {
      expect(view.get('user', user)).toBeDefined()
      expect(view.get('membership', `default/${user}`)).toBeDefined()
    }
  }
})
