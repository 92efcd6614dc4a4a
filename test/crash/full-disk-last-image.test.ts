// The disk of the last image is full, or becomes read-only: the PDP says so and goes on answering, what lay there
// before stays whole, and the next write finds its room. Needs the right to mount; elsewhere
// test/pdp/last-image.test.ts has a folder that refuses every write.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { Follower, type FollowerEvent } from '../../src/pdp/follower.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { give, HELLO, putUser } from '../pdp/policies.ts'
import { ScriptedFeed } from '../pdp/scripted-feed.ts'
import { eventually } from '../support/eventually.ts'
import { remount, temporaryMount, unmount } from '../support/mount.ts'

const mountPoint = temporaryMount('size=1m')
const folder = mountPoint ?? ''
const file = join(folder, 'last')
const pdps: Pdp[] = []
afterEach(async () => {
  for (const pdp of pdps.splice(0)) await pdp.close()
})
afterAll(() => unmount(mountPoint))

function follow(feed: ScriptedFeed) {
  const failures: string[] = []
  const onEvent = (event: FollowerEvent) => {
    if (event.event === 'last image not written') failures.push(event.error.message)
  }
  const times = { saveMs: 5, offlineStartMs: 5, retryFirstMs: 1 }
  const pdp = new Pdp(new Follower({ feed, onEvent, lastImage: new LastImage(file, 'key'), times }))
  pdps.push(pdp)
  return { pdp, failures, mayZoeWave: () => pdp.check('zoe', 'wave', 'hello') }
}

/** So many bytes of an image. */
const ballast = (bytes: number): PolicyChange[] =>
  Array.from({ length: Math.ceil(bytes / 40_000) }, (_, at) => ({
    op: 'put',
    kind: 'user',
    key: `ballast-${at}`,
    value: { attributes: { note: randomBytes(20_000).toString('hex') } },
  }))

const kept = async () => Image.load((await new LastImage(file, 'key').read())!.bytes).revision

// skipped where this user may not mount a file system
describe.skipIf(mountPoint === undefined)('a full disk under the last image', () => {
  it('costs nothing but the newest image there, and the next write finds its room', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, failures, mayZoeWave } = follow(feed)
    await pdp.ready()
    await eventually(() => readdirSync(folder), ['last'])
    const before = await kept()
    await pdp.atLeast(feed.commit([...ballast(2_000_000), putUser('zoe'), give('zoe', 'viewer')]))
    await eventually(() => failures.length > 0, true)
    expect(failures[0]).toMatch(/ENOSPC/)
    expect(mayZoeWave()).toBe(true)
    expect([readdirSync(folder), await kept()]).toEqual([['last'], before])
    expect(remount(folder, 'size=16m')).toBe(true)
    const revision = feed.commit([give('zoe', 'admin')])
    await eventually(kept, revision)
    expect(readdirSync(folder)).toEqual(['last'])
  })

  it('cuts a signed delta that the next one is written over, and none before it', async () => {
    const last = new LastImage(file, 'key')
    await last.write(new ScriptedFeed(HELLO).imageAt(1), 0)
    expect(remount(folder, 'size=512k')).toBe(true)
    const [small, other] = [randomBytes(1_000), randomBytes(1_000)]
    await last.append(small, 0)
    await expect(last.append(randomBytes(1_000_000), 0)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await all(new LastImage(file, 'key'))).toEqual([small])
    expect(remount(folder, 'size=16m')).toBe(true)
    await last.append(other, 0)
    expect(await all(new LastImage(file, 'key'))).toEqual([small, other])
  })

  it('that became read-only is reported, and the PDP goes on', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, failures, mayZoeWave } = follow(feed)
    await pdp.ready()
    expect(remount(folder, 'ro')).toBe(true)
    await pdp.atLeast(feed.commit([putUser('zoe'), give('zoe', 'viewer')]))
    await eventually(() => failures.length > 0, true)
    expect(failures[0]).toMatch(/EROFS|read-only/)
    expect(mayZoeWave()).toBe(true)
  })
})

async function all(last: LastImage): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of last.appended()) pieces.push(piece)
  return pieces
}
