// The last image on disk: starting from it, its age, its owner, what makes it useless and what erases it.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { ZerohopError } from '../../src/model/errors.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { code, follow, refusal, unreachable } from './following.ts'
import { give, HELLO, putUser } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('the last image on disk', () => {
  const path = () => join(temporaryFolder('last-image'), 'pdp', 'last.image')

  it('lets a follower start while the management side cannot be reached', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.streamTrouble = feed.imageTrouble = unreachable
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect(again.pdp.check('ana', 'say', 'hello')).toBe(true)
    expect(again.pdp.state).toMatchObject({ source: 'file', revision: 1 })
    feed.streamTrouble = feed.imageTrouble = undefined
    await eventually(() => again.pdp.state.source, 'feed')
    expect(feed.images).toBe(1)
  })

  it('answers when the management side does not: not at once, but soon', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.heartbeats = false // it takes the connection and then says nothing
    const patient = follow(feed, { lastImage: new LastImage(file, 'key'), times: { offlineStartMs: 600_000 } })
    const again = follow(feed, { lastImage: new LastImage(file, 'key'), times: { offlineStartMs: 50 } })
    await again.pdp.ready()
    expect([again.pdp.check('ana', 'say', 'hello'), again.pdp.state.source]).toEqual([true, 'file'])
    expect(() => patient.pdp.check('ana', 'say', 'hello')).toThrow(code('NOT_READY'))
  })

  it('is for its owner only, and opens with no other key', async () => {
    const file = path()
    const { pdp } = follow(new ScriptedFeed(HELLO), { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes('hello')).toBe(false)
    await expect(new LastImage(file, 'another key').read()).rejects.toEqual(code('IMAGE_DAMAGED'))
    expect((await new LastImage(file, 'key').read())?.bytes.length).toBeGreaterThan(0)
  })

  it('is written while the follower runs, not only when it is closed', async () => {
    const file = path()
    const { pdp } = follow(new ScriptedFeed(HELLO), { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
  })

  it('is as old as what it says: ending and starting again makes nothing current that was not', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key'), times: { saveMs: 1 } })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    feed.streamTrouble = feed.imageTrouble = unreachable
    feed.break(unreachable)
    await eventually(() => (pdp.state.ageMs ?? 0) > 250, true)
    await pdp.close()
    const again = follow(feed, { lastImage: new LastImage(file, 'key'), maxStalenessMs: 200 })
    await eventually(() => refusal(again.pdp), 'STALE')
    expect(again.pdp.state.ageMs).toBeGreaterThan(250)
  })

  it('answers no longer than it is young enough, its time on disk included', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key'), times: { saveMs: 1 } })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    await pdp.close()
    feed.streamTrouble = feed.imageTrouble = unreachable
    const anHourAgo = new Date(Date.now() - 3_600_000)
    utimesSync(file, anHourAgo, anHourAgo)
    const maxStalenessMs = 3_603_000
    const again = follow(feed, { lastImage: new LastImage(file, 'key'), maxStalenessMs, times: { offlineStartMs: 1 } })
    await eventually(() => refusal(again.pdp), 'none')
    await eventually(() => refusal(again.pdp), 'STALE')
  })

  it('that is refused is tried again in a while, not with every write', async () => {
    const file = join(temporaryFolder('last-image'), 'no-folder')
    writeFileSync(file, '')
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events } = follow(feed, { lastImage: new LastImage(join(file, 'last'), 'key') })
    const refused = () => events.filter(({ event }) => event === 'last image not written').length
    await pdp.ready()
    await eventually(refused, 1)
    for (let writes = 0; writes < 5; writes++) await pdp.atLeast(feed.commit([putUser(`u${writes}`)]))
    await pdp.close() // which tries once more, after all that was tried before
    expect(refused()).toBe(2)
  })

  it('is not written after the key died, also when it was being copied', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const copied = gate()
    const begun = gate()
    const copy = vi.spyOn(Image.prototype, 'saveSlowly').mockImplementationOnce(async function (this: Image) {
      begun.open()
      await copied.opened
      return this.save()
    })
    const lastImage = new LastImage(file, 'key')
    const { pdp } = follow(feed, { lastImage })
    await begun.opened
    feed.break(new ZerohopError('KEY_UNKNOWN'))
    await eventually(() => pdp.ended?.code, 'KEY_UNKNOWN')
    copied.open()
    await copy.mock.results[0]?.value
    await lastImage.erase() // after all that was to be written
    copy.mockRestore()
    expect(existsSync(file)).toBe(false)
  })

  it('holds back no write for longer than its copy takes', async () => {
    const feed = new ScriptedFeed(HELLO)
    const copied = gate()
    const copy = vi.spyOn(Image.prototype, 'saveSlowly').mockImplementationOnce(async function (this: Image) {
      await copied.opened
      return this.save()
    })
    const file = path()
    const { pdp, mayZoeWave } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await eventually(() => copy.mock.calls.length, 1)
    const revision = feed.commit([give('zoe', 'viewer')])
    await expect(pdp.atLeast(revision, { timeoutMs: 50 })).rejects.toEqual(code('REVISION_TIMEOUT'))
    expect(mayZoeWave()).toBe(false)
    copied.open()
    await pdp.atLeast(revision)
    copy.mockRestore()
    expect(mayZoeWave()).toBe(true)
    await eventually(() => existsSync(file), true)
  })

  it('leaves nothing of a process that was killed while it wrote', async () => {
    const folder = temporaryFolder('last-image')
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const names = [`last.${pid}.tmp`, `last.${process.pid}.tmp`, `last.image.${pid}.tmp`, 'last.tmp', 'other']
    for (const name of names) writeFileSync(join(folder, name), '')
    await new LastImage(join(folder, 'last'), 'key', { readOnly: true }).read()
    expect(readdirSync(folder).length).toBe(names.length)
    await new LastImage(join(folder, 'last'), 'key').read()
    expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort())
  })

  it('costs only a fresh image when it is damaged', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] = bytes[bytes.length - 1]! ^ 1
    writeFileSync(file, bytes)
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect([again.pdp.check('ana', 'say', 'hello'), feed.images]).toEqual([true, 2])
  })

  it('of another history is replaced', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.fork()
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect([again.pdp.state.source, feed.images]).toEqual(['feed', 2])
  })

  it.each(['KEY_UNKNOWN', 'ENVIRONMENT_DELETED'] as const)('is erased after %s', async (reason) => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    feed.break(new ZerohopError(reason))
    await eventually(() => existsSync(file), false)
    await pdp.close()
    expect(existsSync(file)).toBe(false)
  })
})
