// Images for a fleet: the file of a large environment, compressed when that pays, rebuilt beside the downloads, kept
// over a restart; the log that goes on after it; and a thousand followers on one process. docs/feed.md.
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { Image } from '../../src/image/image.ts'
import { FrameDecoder } from '../../src/log/codec.ts'
import { applyRetention } from '../../src/management/host/retention.ts'
import { IMAGE_OPENINGS_MAX, SNAPSHOT_AGE_MS, SNAPSHOT_IN_TURN_MAX } from '../../src/model/limits.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const USERS = 3 * SNAPSHOT_IN_TURN_MAX
const data = temporaryFolder('download')
let management: Management
let app: ReturnType<typeof managementServer>
let url: string
let log: string
const file = () => join(data, 'snapshots', `${log}.image`)
const key = () => readKeys(data)?.environments.production ?? ''
const feed = () => new RemoteFeed({ url, apiKey: key() })
const createUser = (name: string) => management.store.commit(log, 'createUser', { key: name }, TESTER)

async function open(): Promise<void> {
  management = await openManagement({ data })
  app = managementServer(management)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

async function close(): Promise<void> {
  await app.close()
  await management.store.close()
}

/** The answer as it is on the wire: fetch would decompress it. */
async function download(encoding: string) {
  const headers = { authorization: `Bearer ${key()}`, 'accept-encoding': encoding }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/v2/feed/default/production/image`, { headers }, resolve).on('error', reject)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }
}

beforeAll(async () => {
  await open()
  const environments = [...management.store.view(management.organization).list('environment')]
  log = environments.find(({ environment }) => environment === 'production')!.id
  const users = Array.from({ length: USERS }, (_, at) => ({ key: `somebody-with-a-rather-long-key-${at}` }))
  for (let at = 0; at < USERS; at += 1_000)
    await management.store.commit(log, 'createUsers', { operations: users.slice(at, at + 1_000) }, TESTER)
})
afterAll(close)

describe('the image of a large environment', () => {
  it('is a file that is sent as it is, and compressed once a client asked for that', async () => {
    const plain = await download('identity')
    expect(plain.headers['content-encoding']).toBe(undefined)
    expect(plain.bytes.equals(readFileSync(file()))).toBe(true)
    expect(Image.load(plain.bytes).stats().users).toBe(USERS)
    await eventually(async () => (await download('gzip')).headers['content-encoding'], 'gzip')
    const small = await download('gzip, deflate')
    expect(small.bytes.length).toBeLessThan(plain.bytes.length * 0.8)
    expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true)
    expect(small.headers['x-image-bytes']).toBe(String(plain.bytes.length))
    expect((await download('identity')).headers['content-encoding']).toBe(undefined)
    expect(Buffer.from(await feed().image()).equals(plain.bytes)).toBe(true)
  })

  it('is looked for anew when another file took its place before it was opened, a bounded number of times', async () => {
    const { snapshots } = management
    const real = snapshots.download.bind(snapshots)
    type Arguments = Parameters<typeof real>
    const replaced = async (...of: Arguments) => ({ ...(await real(...of)), encoded: 1 })
    const removed = async (...of: Arguments) => ({ ...(await real(...of)), content: { path: `${file()}.gone` } })
    const announce = vi.spyOn(snapshots, 'download')
    announce.mockImplementationOnce(replaced).mockImplementationOnce(removed)
    expect((await download('identity')).bytes.equals(readFileSync(file()))).toBe(true)
    announce.mockClear().mockImplementation(replaced)
    expect((await download('identity')).status).toBe(503)
    expect(announce).toHaveBeenCalledTimes(IMAGE_OPENINGS_MAX)
    announce.mockRestore()
  })

  it('is for the owner of the folder only', () => {
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('outlives the process, as long as it is whole', async () => {
    const before = readFileSync(file())
    const { mtimeMs } = statSync(file())
    await close()
    await open()
    await createUser('later')
    expect(Buffer.from(await feed().image()).equals(before)).toBe(true)
    expect(statSync(file()).mtimeMs).toBe(mtimeMs)
    await close()
    writeFileSync(file(), before.subarray(0, -1))
    await open()
    expect(Image.load(await feed().image()).position).toEqual(management.store.head(log))
  })

  it('is built anew during the downloads when it is old, and before them when it is very old', async () => {
    const age = async (ms: number) => {
      await close()
      utimesSync(file(), new Date(), new Date(Date.now() - ms))
      await open()
    }
    const { revision } = management.store.head(log)
    await age(1.5 * SNAPSHOT_AGE_MS)
    await createUser('much-later')
    expect(Image.load(await feed().image()).revision).toBe(revision)
    await eventually(async () => Image.load(await feed().image()).revision, revision + 1)
    await age(3 * SNAPSHOT_AGE_MS)
    await createUser('even-later')
    expect(Image.load(await feed().image()).revision).toBe(revision + 2)
  })

  it('is followed by the log, whatever else that forgets', async () => {
    const image = Image.load(await feed().image())
    for (let at = 0; at < 5; at++) await createUser(`more-${at}`)
    await applyRetention(management.store, { deltaRevisions: 1, images: management.snapshots }, Date.now())
    const deltas = feed().deltas(image.position)[Symbol.asyncIterator]()
    for (let at = 0; at < 5; at++) {
      const { value } = await deltas.next()
      image.apply(value.delta)
    }
    await deltas.return?.()
    expect(image.position).toEqual(management.store.head(log))
  })

  it('goes with its environment', async () => {
    await management.store.commit(management.organization, 'deleteEnvironment', { ref: 'default/production' }, TESTER)
    await applyRetention(management.store, { images: management.snapshots }, Date.now())
    expect([existsSync(file()), existsSync(`${file()}.gz`)]).toEqual([false, false])
  })
})

describe('a thousand followers', () => {
  const FOLLOWERS = 1_000

  it('of one process all hear of a write', async () => {
    const development = management.store.view(management.organization).require('environment', 'default/development').id
    const { revision, chain } = management.store.head(development)
    const headers = { authorization: `Bearer ${readKeys(data)?.environments.development}` }
    const agent = new Agent({ maxSockets: FOLLOWERS })
    const seen = new Array<number>(FOLLOWERS).fill(0)
    const answers = await Promise.all(
      seen.map(
        (_, at) =>
          new Promise<IncomingMessage>((resolve, reject) => {
            const path = `${url}/v2/feed/default/development/deltas?after=${revision}&chain=${chain}`
            get(path, { agent, headers }, (answer) => {
              const decoder = new FrameDecoder()
              answer.on('data', (chunk: Buffer) => {
                for (const frame of decoder.push(chunk)) if (frame.type === 'delta') seen[at] = frame.delta.to
              })
              answer.on('error', () => undefined)
              resolve(answer)
            }).on('error', reject)
          }),
      ),
    )
    const written = await management.store.commit(development, 'createUser', { key: 'news' }, TESTER)
    await eventually(() => seen.filter((each) => each === written.revision).length, FOLLOWERS)
    for (const answer of answers) answer.destroy()
    agent.destroy()
  })
})
