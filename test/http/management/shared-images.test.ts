// Image files that several PDPs ask for at once are read once, within a bound, and never taken for another one.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { SharedImages } from '../../../src/http/management/shared-images.ts'
import { IMAGE_SHARED_BYTES_MAX } from '../../../src/model/limits.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folders.ts'

function writeImage(bytes: Buffer, chain: string) {
  const path = join(temporaryFolder('image'), 'image')
  writeFileSync(path, bytes)
  return { position: { revision: 1, chain }, length: bytes.length, content: { path }, encoded: bytes.length }
}

it('those who ask within a moment get the same bytes, those after it read again', async () => {
  const images = new SharedImages(50)
  const download = writeImage(Buffer.from('an image'), 'one')
  const [first, second] = await Promise.all([images.open(download), images.open(download)])
  expect(String(first)).toBe('an image')
  expect(second).toBe(first)
  await eventually(async () => (await images.open(download)) === first, false)
})

it('a file of another revision, or of another length than was announced, is another one', async () => {
  const images = new SharedImages()
  const download = writeImage(Buffer.from('an image'), 'one')
  await images.open(download)
  writeFileSync(download.content.path, 'its image')
  const later = { ...download, position: { revision: 2, chain: 'two' } }
  expect(await images.open(later)).toBeUndefined()
  expect(String(await images.open({ ...later, encoded: 9 }))).toBe('its image')
  rmSync(download.content.path)
  expect(await images.open({ ...later, position: { revision: 3, chain: 'three' } })).toBeUndefined()
})

it('what would be too much in memory is read in pieces', async () => {
  const images = new SharedImages()
  const half = Buffer.alloc(IMAGE_SHARED_BYTES_MAX / 2)
  const downloads = [writeImage(half, 'one'), writeImage(half, 'two'), writeImage(Buffer.from('more'), 'three')]
  const bodies = await Promise.all(downloads.map((each) => images.open(each)))
  expect(bodies.map((body) => body instanceof Readable)).toEqual([false, false, true])
  const pieces = await (bodies[2] as Readable).toArray()
  expect(Buffer.concat(pieces).toString()).toBe('more')
})
