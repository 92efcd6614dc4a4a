// What a PDP for clients of the first API version knows of the objects outside of environments when it cannot ask: an
// image, that there was nothing, or neither. Only the second and the first are answers. D13.
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErrorCode, ZerohopError } from '../../src/model/errors.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { GlobalObjects, type GlobalObjectsOptions } from '../../src/v1/pdp/v1-global-objects.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { HELLO } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

const unreachable = new ZerohopError('FEED_UNREACHABLE', { reason: 'the cable is cut' })
const nothing = new ZerohopError('ENVIRONMENT_DELETED')
const TIMES = { offlineStartMs: 10, saveMs: 1, retryFirstMs: 1, retryLongestMs: 5 }
const open: GlobalObjects[] = []
afterEach(async () => {
  for (const outside of open.splice(0)) await outside.close()
})

function begin(
  feed: ScriptedFeed,
  file: string,
  { apiKey = 'key', ...options }: Partial<GlobalObjectsOptions> & { apiKey?: string } = {},
) {
  const outside = new GlobalObjects({
    feed,
    lastImage: new LastImage(file, apiKey),
    pollMs: 5,
    times: TIMES,
    ...options,
  })
  open.push(outside)
  return outside
}

/** `none`, `some`, or why it is not known. */
function knows(outside: GlobalObjects): string {
  try {
    return outside.pdp === undefined ? 'none' : 'some'
  } catch (error) {
    return (error as { code: ErrorCode }).code
  }
}

async function learnNothing(file: string): Promise<void> {
  const feed = new ScriptedFeed(HELLO)
  feed.imageTrouble = nothing
  const outside = begin(feed, file)
  await eventually(async () => (await new LastImage(file, 'key').read())?.bytes.length, 0)
  expect(knows(outside)).toBe('none')
  await outside.close()
}

const cutOff = () => {
  const feed = new ScriptedFeed(HELLO)
  feed.imageTrouble = unreachable
  return feed
}

describe('what is outside of environments, while nobody can be asked', () => {
  it('is empty at first, and is learned as soon as a server answers', async () => {
    const file = join(temporaryFolder('outside'), 'last')
    await learnNothing(file)
    const feed = cutOff()
    const outside = begin(feed, file)
    await eventually(() => knows(outside), 'none')
    await eventually(() => feed.images > 3, true)
    expect([knows(outside), outside.refusal]).toEqual(['none', undefined])
    feed.imageTrouble = undefined
    await eventually(() => knows(outside), 'some')
    await outside.close()
    const again = begin(cutOff(), file)
    await eventually(() => knows(again), 'some')
  })

  it('is not known when it was never asked, with another key, or when that is too long ago', async () => {
    const file = join(temporaryFolder('outside'), 'last')
    const never = cutOff()
    const unknown = begin(never, file)
    await eventually(() => never.images > 3, true)
    expect(knows(unknown)).toBe('NOT_READY')
    await unknown.close()
    await learnNothing(file)
    for (const options of [{ apiKey: 'another' }, { maxStalenessMs: 60_000 }]) {
      utimesSync(file, 0, 0)
      const feed = cutOff()
      const outside = begin(feed, file, options)
      await eventually(() => feed.images > 3, true)
      expect(knows(outside)).toBe('NOT_READY')
      await outside.close()
    }
  })

  it('is not nothing because an answer was damaged', async () => {
    const file = join(temporaryFolder('outside'), 'last')
    await learnNothing(file)
    const feed = cutOff()
    feed.imageTrouble = new ZerohopError('IMAGE_DAMAGED', { reason: 'somebody changed it' })
    const outside = begin(feed, file)
    await eventually(() => feed.images > 3, true)
    expect(knows(outside)).toBe('NOT_READY')
  })

  it('is forgotten with the key', async () => {
    const file = join(temporaryFolder('outside'), 'last')
    await learnNothing(file)
    const feed = cutOff()
    feed.imageTrouble = new ZerohopError('KEY_UNKNOWN')
    begin(feed, file)
    await eventually(async () => await new LastImage(file, 'key').read(), undefined)
  })
})
