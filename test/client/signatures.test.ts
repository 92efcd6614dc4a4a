// Signed images and deltas, from a management side that signs to a PDP that believes nothing else: over HTTP, from its
// own disk, with a wrong key, without any, and changed on the way. docs/feed.md.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { Image } from '../../src/image/image.ts'
import { encodeFrame, FrameDecoder, packDelta } from '../../src/log/codec.ts'
import { Signer, TAIL_BYTES, Trust } from '../../src/log/signature.ts'
import type { ErrorCode } from '../../src/model/errors.ts'
import { SNAPSHOT_IN_TURN_MAX } from '../../src/model/limits.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import {
  type ConnectEvent,
  type ConnectOptions,
  connect,
  type Management,
  managementServer,
  openManagement,
  type Pdp,
  readKeys,
} from '../../src/server.ts'
import { deltaTo } from '../support/deltas.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
function pair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { publicKey: publicPem, signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
const ours = pair()
const theirs = pair()

/** A management side whose keys change over restarts, at one address. */
class Side {
  readonly data = temporaryFolder('signed')
  #management: Management | undefined
  #app: ReturnType<typeof managementServer> | undefined
  port = 0

  async start(signingKey?: string): Promise<void> {
    this.#management = await openManagement({ data: this.data, signingKey })
    this.#app = managementServer(this.#management)
    this.port = Number(new URL(await this.#app.listen({ host: '127.0.0.1', port: this.port })).port)
  }

  async stop(): Promise<void> {
    await this.#app?.close()
    await this.#management?.store.close()
    this.#management = undefined
    this.#app = undefined
  }

  get remote() {
    return { url: `http://127.0.0.1:${this.port}`, apiKey: readKeys(this.data)?.environments.development ?? '' }
  }

  get log(): string {
    const { store, organization } = this.#management!
    return store.view(organization).require('environment', 'default/development').id
  }

  async commit(name: 'createUsers' | 'assign', input: unknown): Promise<number> {
    return (await this.#management!.store.commit(this.log, name, input as never, TESTER)).revision
  }

  /** Makes ben an admin, who may then say hello. */
  promote(): Promise<number> {
    return this.commit('assign', { user: 'ben', role: 'admin', tenant: 'default' })
  }
}

const sides: Side[] = []
const open: Pdp[] = []
afterEach(async () => {
  for (const pdp of open.splice(0)) await pdp.close()
  for (const side of sides.splice(0)) await side.stop()
})

async function start(signingKey?: string): Promise<Side> {
  const side = new Side()
  sides.push(side)
  await side.start(signingKey)
  return side
}

async function follow(side: Side, options: Partial<ConnectOptions>) {
  const events: ConnectEvent[] = []
  const pdp = await connect({ ...side.remote, onEvent: (event) => events.push(event), ...options })
  open.push(pdp)
  const refused = () => events.some((each) => 'error' in each && each.error.code === 'SIGNATURE_INVALID')
  return { pdp, refused, mayBen: () => pdp.check('ben', 'say', 'hello') }
}

describe('a PDP with a public key', () => {
  it('follows a management side that signs, and starts from what it kept: the signed image and the signed deltas', async () => {
    const side = await start(ours.signingKey)
    const cacheFile = join(temporaryFolder('signed-cache'), 'last')
    const options = { publicKey: ours.publicKey, cacheFile }
    const { pdp, mayBen } = await follow(side, options)
    await eventually(() => existsSync(cacheFile), true)
    expect(mayBen()).toBe(false)
    const revision = await side.promote()
    await pdp.atLeast(revision)
    expect(mayBen()).toBe(true)
    await pdp.close()
    expect(existsSync(`${cacheFile}.deltas`)).toBe(true)
    const { remote } = side
    await side.stop()
    const offline = await follow(side, { ...options, ...remote })
    expect(offline.pdp.state).toMatchObject({ source: 'file', revision })
    expect(offline.mayBen()).toBe(true)
    await offline.pdp.close()
    // without the deltas it is the image that came, and nothing else: not to answer by where more is remembered
    writeFileSync(`${cacheFile}.deltas`, readFileSync(`${cacheFile}.deltas`).subarray(0, -1))
    await expect(follow(side, { ...options, ...remote, timeoutMs: 300 })).rejects.toThrow()
    rmSync(`${cacheFile}.pin`)
    const older = await follow(side, { ...options, ...remote })
    expect([older.pdp.state.source, older.mayBen()]).toEqual(['file', false])
    await older.pdp.close()
    await expect(follow(side, { ...options, ...remote, publicKey: theirs.publicKey, timeoutMs: 300 })).rejects.toThrow()
  })

  it.each([
    ['does not sign', undefined],
    ['signs with another key', theirs.signingKey],
  ])('takes nothing from a side that %s', async (_, signingKey) => {
    const side = await start(signingKey)
    const { pdp, refused } = await follow(side, { publicKey: ours.publicKey, timeoutMs: 0 })
    await eventually(refused, true)
    expect(pdp.refusal).toEqual(code('NOT_READY'))
    expect((await follow(side, {})).mayBen()).toBe(false)
  })

  it('keeps its image when deltas are not signed any more, and goes on when they are again', async () => {
    const side = await start(ours.signingKey)
    const { pdp, refused, mayBen } = await follow(side, { publicKey: ours.publicKey })
    await side.stop()
    await side.start(theirs.signingKey)
    const revision = await side.promote()
    await eventually(refused, true)
    expect(mayBen()).toBe(false)
    await side.stop()
    await side.start(ours.signingKey)
    await pdp.atLeast(revision, { timeoutMs: 10_000 })
    expect(mayBen()).toBe(true)
  })

  it('takes the file of a large environment, which is signed anew with a new key', async () => {
    const side = await start(theirs.signingKey)
    for (let at = 0; at <= SNAPSHOT_IN_TURN_MAX; at += 1_000)
      await side.commit('createUsers', { operations: Array.from({ length: 1_000 }, (_, n) => ({ key: `u${at + n}` })) })
    const file = join(side.data, 'snapshots', `${side.log}.image`)
    await new RemoteFeed(side.remote).image()
    const before = readFileSync(file)
    expect(() => loadImage(file, { publicKey: ours.publicKey })).toThrow(code('SIGNATURE_INVALID'))
    await side.stop()
    await side.start(ours.signingKey)
    const { pdp } = await follow(side, { publicKey: ours.publicKey })
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    expect(loadImage(file, { publicKey: ours.publicKey }).check('ana', 'say', 'hello')).toBe(true)
    expect(readFileSync(file).subarray(0, -TAIL_BYTES).equals(before.subarray(0, -TAIL_BYTES))).toBe(true)
  })
})

describe('a signature', () => {
  const trust = new Trust(ours.publicKey)
  const signer = new Signer(ours.signingKey)

  it('is broken by any change of an image, and by its loss', async () => {
    const side = await start(ours.signingKey)
    const bytes = await new RemoteFeed(side.remote).image()
    const image = Image.load(bytes, { trust })
    expect(Image.load(bytes).position).toEqual(image.position)
    expect(() => Image.load(bytes.subarray(0, -TAIL_BYTES), { trust })).toThrow(code('SIGNATURE_INVALID'))
    // a whole image, made by somebody else
    const other = Buffer.concat([image.compact().save(), bytes.subarray(-TAIL_BYTES)])
    other[other.length - 1]! ^= 1
    expect(() => Image.load(other, { trust })).toThrow(code('SIGNATURE_INVALID'))
    const step = Math.max(1, Math.floor(bytes.length / 97))
    const places = Array.from({ length: Math.ceil(bytes.length / step) }, (_, number) => number * step)
    for (const at of [...places, bytes.length - 1]) {
      const changed = Uint8Array.from(bytes)
      changed[at]! ^= 0x10
      const isOfTail = at >= bytes.length - TAIL_BYTES
      const refusal = isOfTail ? code('SIGNATURE_INVALID') : /damaged|not for this kernel|believed/
      expect(() => Image.load(changed, { trust }), `byte ${at}`).toThrow(refusal)
    }
  })

  it('is of one delta: of its place, its count and its changes', () => {
    const delta = packDelta(deltaTo(7, [{ op: 'put', kind: 'user', key: 'zoe', value: {} }]))
    const signed = { ...delta, signature: signer.delta(delta) }
    const read = (packed: typeof signed) => new FrameDecoder(trust).push(encodeFrame({ type: 'packed', delta: packed }))
    expect(read(signed)).toMatchObject([{ type: 'delta', delta: { to: 7 }, signed: { to: 7 } }])
    const changed = Uint8Array.from(delta.packed)
    changed[changed.length - 2]! ^= 1
    for (const part of [
      { to: 8 },
      { from: 5 },
      { chain: 'f'.repeat(64) },
      { environment: 'e'.repeat(32) },
      { packed: changed },
    ])
      expect(() => read({ ...signed, ...part })).toThrow(code('SIGNATURE_INVALID'))
    expect(() => new FrameDecoder(trust).push(encodeFrame({ type: 'packed', delta }))).toThrow(
      code('SIGNATURE_INVALID'),
    )
  })

  it('is made and tried with Ed25519 keys only', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    for (const key of [pem, 'nothing', ours.publicKey.slice(0, 40)])
      expect(() => new Trust(key)).toThrow(code('CONFIG_INVALID'))
    expect(() => new Signer(ours.publicKey)).toThrow(code('CONFIG_INVALID'))
  })
})
