// What `loadImage` takes: bytes in every form, paths and `file:` URLs; whatever else it is given, an error of this
// package says what to do.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { HELLO } from './policies.ts'

const bytes = Image.build(ENVIRONMENT, makePosition(1), HELLO).save()
const file = join(temporaryFolder('image-input'), 'hello image')
writeFileSync(file, bytes)

/** The bytes in the middle of a larger buffer. */
function inside<B extends ArrayBufferLike>(buffer: B): B {
  new Uint8Array(buffer, 8).set(bytes)
  return buffer
}

const larger = bytes.length + 16
const shared = new SharedArrayBuffer(bytes.length)
new Uint8Array(shared).set(bytes)
const arrayBuffer = bytes.slice().buffer

describe('an image is loaded', () => {
  it.each<[string, Parameters<typeof loadImage>[0]]>([
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(bytes)],
    ['an ArrayBuffer', arrayBuffer],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(from).buffer', { from: [...bytes] })],
    ['a SharedArrayBuffer', shared],
    ['a part of an ArrayBuffer', new Uint8Array(inside(new ArrayBuffer(larger)), 8, bytes.length)],
    ['a part of a SharedArrayBuffer', new Uint8Array(inside(new SharedArrayBuffer(larger)), 8, bytes.length)],
    ['a DataView', new DataView(inside(new ArrayBuffer(larger)), 8, bytes.length)],
    ['a path', file],
    ['a file: URL', pathToFileURL(file)],
    ['the text of a file: URL', pathToFileURL(file).href],
    ['a URL of another class', { href: pathToFileURL(file).href } as URL],
  ])('from %s', (_name, image) => {
    const pdp = loadImage(image)
    expect([pdp.check('ana', 'say', 'hello'), pdp.check('ben', 'say', 'hello')]).toEqual([true, false])
  })

  it('from shared bytes that are changed afterwards: they are copied', () => {
    const changing = new SharedArrayBuffer(bytes.length)
    new Uint8Array(changing).set(bytes)
    const pdp = loadImage(changing)
    new Uint8Array(changing).fill(0)
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
  })
})

describe('an error says what to do', () => {
  it.each<[string, unknown, string]>([
    ['an http URL', new URL('http://localhost/image'), 'fetch it, and then `loadImage(await it.arrayBuffer())`'],
    ['the text of an https URL', 'https://localhost/image', 'fetch it'],
    ['a data: URL', new URL('data:text/plain,x'), 'fetch it'],
    ['a URL of another machine', new URL('file://elsewhere/image'), 'its URL is no path'],
    ['a URL with an encoded slash', new URL('file:///a%2Fb'), 'its URL is no path'],
    ['a Blob', new Blob([bytes.slice()]), 'has to be read first: `loadImage(await it.arrayBuffer())`'],
    ['a Response', new Response('x'), 'has to be read first'],
    ['a promise', Promise.resolve(bytes), 'it is a Uint8Array or an ArrayBuffer'],
    ['an array', [...bytes], 'it is a Uint8Array or an ArrayBuffer'],
    ['nothing', undefined, 'it is a Uint8Array or an ArrayBuffer'],
    ['null', null, 'it is a Uint8Array or an ArrayBuffer'],
  ])('about %s', (_name, image, sentence) => {
    expect(() => loadImage(image as Uint8Array)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(sentence) }),
    )
  })
})
