// A PDP whose kernel is of another ABI: it gets the state as changes, builds its own image in a thread, and follows the
// same deltas. Here only the number of the ABI differs, so both must get the same canonical image.
// docs/feed.md.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ABI_VERSION } from '../../assembly/limits.ts'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { Image } from '../../src/image/image.ts'
import { encodeFrame, FrameDecoder } from '../../src/log/codec.ts'
import { Signer, TAIL_BYTES, Trust } from '../../src/log/signature.ts'
import { encodeState, isState, readState } from '../../src/log/state-file.ts'
import { applyRetention } from '../../src/management/host/retention.ts'
import { policyOf } from '../../src/management/snapshot/snapshot.ts'
import { type ErrorCode, isZerohopError } from '../../src/model/errors.ts'
import { STATE_FRAME_BYTES } from '../../src/model/limits.ts'
import { Follower } from '../../src/pdp/follower.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { listOperations, POOLS, untimedHistories } from '../property/histories.ts'
import { commitsFor } from '../support/commits.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { World } from '../support/world.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
const OTHER = ABI_VERSION + 1
const keys = generateKeyPairSync('ed25519')
const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const data = temporaryFolder('other-abi')
let management: Management
let app: ReturnType<typeof managementServer>
let url: string
let log: string
const open: Pdp[] = []

beforeAll(async () => {
  await begin()
  const environments = [...management.store.view(management.organization).list('environment')]
  log = environments.find(({ environment }) => environment === 'production')!.id
  const world = new World()
  const { pool, revisions } = fc.sample(untimedHistories, { seed: 7, numRuns: 1 })[0]!
  for (const edit of revisions.flat()) {
    for (const operation of listOperations(world, POOLS[pool], edit)) {
      try {
        for (const [name, input] of commitsFor(world, operation)) await write(name, input)
        world.run(operation)
      } catch (error) {
        if (!isZerohopError(error)) throw error // management refuses some of them
      }
    }
  }
  await write('createUser', { key: 'zoe', email: 'zoe@example.org', attributes: { level: 3 } })
})
afterEach(async () => {
  for (const pdp of open.splice(0)) await pdp.close()
})
afterAll(end)

async function begin(signing?: string): Promise<void> {
  management = await openManagement({ data, signingKey: signing })
  app = managementServer(management)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

async function end(): Promise<void> {
  await app.close()
  await management.store.close()
}

async function write(name: string, input: unknown): Promise<number> {
  return (await management.store.commit(log, name as never, input as never, TESTER)).revision
}

const apiKey = () => readKeys(data)?.environments.production ?? ''

function follow(abi: number, { file, trust }: { file?: string; trust?: Trust } = {}) {
  const lastImage = file === undefined ? {} : { lastImage: new LastImage(file, apiKey()) }
  const follower = new Follower({ feed: new RemoteFeed({ url, apiKey: apiKey(), abi, trust }), trust, ...lastImage })
  const pdp = new Pdp(follower)
  open.push(pdp)
  return { pdp, follower, hash: () => follower.peek()?.hash() }
}

describe('a PDP of another ABI', () => {
  it('builds its own image from the state and follows: it holds what the others hold, bit for bit', async () => {
    const [ours, other] = [follow(ABI_VERSION), follow(OTHER)]
    await Promise.all([ours.pdp.ready(), other.pdp.ready()])
    expect(other.hash()).toBe(ours.hash())
    expect(other.follower.peek()?.position).toEqual(management.store.head(log))
    await write('createUser', { key: 'yan' })
    const revision = await write('deleteUser', { ref: 'zoe' })
    for (const { pdp } of [ours, other]) await pdp.atLeast(revision)
    expect([other.pdp.knows('yan'), other.pdp.knows('zoe')]).toEqual([true, false])
    expect(other.hash()).toBe(ours.hash())
    expect(other.hash()).toBe(Image.build(log, management.store.head(log), policyOf(management.store.view(log))).hash())
  })

  it('is given what was written before, and the log after it, whatever else that forgets', async () => {
    const before = readState(await new RemoteFeed({ url, apiKey: apiKey(), abi: OTHER }).image()).position
    for (let at = 0; at < 3; at++) await write('createUser', { key: `later-${at}` })
    await applyRetention(management.store, { deltaRevisions: 1, images: management.snapshots }, Date.now())
    expect(readState(await new RemoteFeed({ url, apiKey: apiKey(), abi: OTHER }).image()).position).toEqual(before)
    const { pdp } = follow(OTHER)
    await pdp.ready()
    expect(pdp.knows('later-2')).toBe(true)
    expect(statSync(join(data, 'snapshots', `${log}.state`)).mode & 0o777).toBe(0o600)
  })

  it('starts offline from the image that it built', async () => {
    const file = join(temporaryFolder('other-abi-last'), 'last')
    const { pdp } = follow(OTHER, { file })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    await pdp.close()
    const before = url
    url = 'http://127.0.0.1:9'
    const offline = follow(OTHER, { file })
    await offline.pdp.ready()
    url = before
    expect(offline.pdp.state.source).toBe('file')
    expect(offline.pdp.knows('yan')).toBe(true)
  })

  it('believes a state only when it is signed as one, also the one that it kept', async () => {
    const trust = new Trust(publicKey)
    await end()
    await begin(signingKey)
    const bytes = await new RemoteFeed({ url, apiKey: apiKey(), abi: OTHER }).image()
    expect(readState(bytes, trust).environment).toBe(log)
    const changed = Uint8Array.from(bytes)
    changed[bytes.length - TAIL_BYTES - 1]! ^= 1
    const tailOfAnImage = new Signer(signingKey).tail(new Uint8Array(32))
    for (const wrong of [
      changed,
      bytes.subarray(0, -TAIL_BYTES),
      Buffer.concat([bytes.subarray(0, -TAIL_BYTES), tailOfAnImage]),
    ])
      expect(() => readState(wrong, trust)).toThrow(code('SIGNATURE_INVALID'))

    const file = join(temporaryFolder('other-abi-signed'), 'last')
    const { pdp } = follow(OTHER, { file, trust })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    const revision = await write('createUser', { key: 'signed' })
    await pdp.atLeast(revision)
    await pdp.close()
    await end()
    const offline = follow(OTHER, { file, trust })
    await offline.pdp.ready()
    expect(offline.pdp.state).toMatchObject({ source: 'file', revision })
    expect(offline.pdp.knows('signed')).toBe(true)
    await offline.pdp.close()
    await begin()
    const unsigned = follow(OTHER, { trust })
    await expect(unsigned.pdp.atLeast(1, { timeoutMs: 300 })).rejects.toEqual(code('REVISION_TIMEOUT'))
    expect(unsigned.pdp.refusal).toEqual(code('NOT_READY'))
  })

  it('says its ABI as a number', async () => {
    const ask = async (abi: string) => {
      const headers = { authorization: `Bearer ${apiKey()}` }
      const answer = await fetch(`${url}/v2/feed/default/production/image?abi=${abi}`, { headers })
      const bytes = new Uint8Array(await answer.arrayBuffer())
      return [answer.status, answer.status === 200 && isState(bytes), answer.headers.get('x-revision')]
    }
    const { revision } = management.store.head(log)
    expect(await ask(String(ABI_VERSION))).toEqual([200, false, String(revision)])
    expect(await ask('0')).toEqual([200, true, String(revision)])
    for (const wrong of ['', 'five', '-1', '1e3', '12345678901']) expect((await ask(wrong))[0]).toBe(422)
  })

  it('is given the state also when the disk of the other side takes no file', async () => {
    const folder = join(data, 'snapshots')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'no folder')
    await end()
    await begin()
    const { pdp } = follow(OTHER)
    await pdp.ready()
    expect(pdp.knows('signed')).toBe(true)
    rmSync(folder)
  })
})

describe('a state', () => {
  const position = { revision: 3, chain: 'c'.repeat(64) }
  const environment = 'e'.repeat(32)
  const user = (key: string, note = '') => ({
    op: 'put' as const,
    kind: 'user' as const,
    key,
    value: { attributes: { note } },
  })
  const whole = (changes: readonly ReturnType<typeof user>[]) =>
    Buffer.concat([...encodeState({ environment, position, changes })])

  it('is in pieces, so that neither side holds it whole unpacked', () => {
    const changes = Array.from({ length: 50 }, (_, at) => user(`u${at}`, 'x'.repeat(STATE_FRAME_BYTES / 20)))
    const frames = [...encodeState({ environment, position, changes })]
    expect(frames.length).toBe(4)
    expect(Buffer.concat(frames).length).toBeLessThan(STATE_FRAME_BYTES / 20)
    expect([...readState(Buffer.concat(frames)).changes]).toEqual(changes)
  })

  it('of nothing is one frame', () => {
    expect(readState(whole([]))).toMatchObject({ environment, position })
    expect([...readState(whole([])).changes]).toEqual([])
  })

  it('is refused when it is cut, goes on, or is of two revisions', () => {
    const first = whole([user('ana')])
    const end = whole([])
    const otherEnd = Buffer.concat([
      ...encodeState({ environment, position: { ...position, revision: 4 }, changes: [] }),
    ])
    const [part] = [...encodeState({ environment, position, changes: [user('ana')] })]
    const delta = encodeFrame({ type: 'heartbeat', revision: 3 })
    const broken = Uint8Array.from(first)
    broken[40]! ^= 1
    for (const wrong of [
      part!,
      first.subarray(0, -1),
      Buffer.concat([first, end]),
      Buffer.concat([end, first]),
      Buffer.concat([part!, otherEnd]),
      Buffer.concat([first, delta]),
      broken,
      new Uint8Array(),
    ])
      expect(() => readState(wrong)).toThrow(code('FRAME_INVALID'))
    const bomb = { environment, position, count: 1, packed: Uint8Array.from([1, 2, 3]) }
    const invalid = Buffer.concat([encodeFrame({ type: 'state', part: bomb }), end])
    expect(() => [...readState(invalid).changes]).toThrow(code('FRAME_INVALID'))
  })

  it('is not a part of a stream of deltas', () => {
    expect(new FrameDecoder().push(whole([])).map(({ type }) => type)).toEqual(['state'])
    expect(isState(readFileSync(new URL('../../build/debug.wasm', import.meta.url)))).toBe(false)
  })
})
