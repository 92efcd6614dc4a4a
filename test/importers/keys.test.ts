// Names of other engines as keys: the laws of the encoding, in the importer and in the module for the application.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeKey, encodeKey, encodePrefix, KEY_FUNCTIONS, type KeyForm } from '../../src/importers/frame/keys.ts'
import { requireKey } from '../../src/model/keys.ts'
import { temporaryFolder } from '../support/folders.ts'

const RUNS = { seed: 54, numRuns: 400 }
const FORMS: readonly KeyForm[] = ['ordinary', 'user']
/** Short texts of what matters to the encoding, and any others. */
const near = fc.string({
  unit: fc.constantFrom('-', '--', '2', 'd', 'f', '/', '*', 'a', 'A', 'é', '.', '_', '@'),
  minLength: 1,
  maxLength: 8,
})
const names = fc.oneof(
  near,
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => text.isWellFormed()),
)
const form = fc.constantFrom(...FORMS)

describe('the key of a name', () => {
  it('is a valid key, and the name is read out of it', () => {
    fc.assert(
      fc.property(names, form, (name, of) => {
        const key = encodeKey(name, of)
        expect(requireKey(of, key)).toBe(key)
        expect(decodeKey(key, of)).toBe(name)
      }),
      RUNS,
    )
  })

  it('is the name where that is a key already and does not look encoded', () => {
    for (const key of ['data1', 'Data_2', 'a-b', '-', '--', 'x--', '--zz', '--2F']) expect(encodeKey(key)).toBe(key)
    expect(encodeKey('ana@example.org|x+y.z', 'user')).toBe('ana@example.org|x+y.z')
    expect(['repo:a/b', '/data/*', 'a b', 'é', '--2f', '--'.repeat(2)].map((name) => encodeKey(name))).toEqual([
      'repo--3aa--2fb',
      '--2fdata--2f--2a',
      'a--20b',
      '--c3--a9',
      '--2d-2f',
      '----',
    ])
    expect([encodeKey('*', 'user'), encodeKey('.', 'user'), encodeKey('..', 'user')]).toEqual([
      '--2a',
      '--2e',
      '--2e--2e',
    ])
  })

  it('is another one for each name', () => {
    fc.assert(
      fc.property(near, near, form, (one, other, of) => {
        expect(encodeKey(one, of) === encodeKey(other, of)).toBe(one === other)
      }),
      RUNS,
    )
  })

  it('begins with the key of what the name begins with, and with no other', () => {
    fc.assert(
      fc.property(near, near, (prefix, name) => {
        const start = encodePrefix(prefix)
        if (start === undefined) expect(prefix).toMatch(/-/)
        else
          for (const each of [name, prefix + name])
            expect(encodeKey(each).startsWith(start)).toBe(each.startsWith(prefix))
      }),
      RUNS,
    )
  })

  it('is refused for what can be no name', () => {
    expect(() => encodeKey('')).toThrow(/a name is empty/)
    expect(() => encodeKey('a\ud800')).toThrow(/unpaired surrogate/)
    expect(encodeKey('é'.repeat(32)).length).toBe(256)
    expect(() => encodeKey('é'.repeat(33))).toThrow(/264 bytes long, the limit is 256/)
    for (const key of ['', '--2g/', '--41', '--ff', '--2d--2d']) expect(decodeKey(key)).toBe(undefined)
  })

  it('is the same in the module for the application', async () => {
    const file = join(temporaryFolder('keys'), 'keys.mjs')
    writeFileSync(file, KEY_FUNCTIONS)
    const made = (await import(/* @vite-ignore */ String(pathToFileURL(file)))) as Record<
      'key' | 'userKey',
      (name: string) => string
    >
    fc.assert(
      fc.property(names, (name) => {
        expect([made.key(name), made.userKey(name)]).toEqual([encodeKey(name), encodeKey(name, 'user')])
      }),
      RUNS,
    )
    expect([made.userKey('.'), made.userKey('..')]).toEqual(['--2e', '--2e--2e'])
  })
})
