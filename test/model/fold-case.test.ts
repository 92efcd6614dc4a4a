// Texts that a search takes for the same: by Unicode's default case folding, composed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listColumns } from '../../console/src/pages/policy/matrix-rows.ts'
import { foldCase } from '../../src/model/fold-case.ts'
import { ROOT } from '../tidy/source.ts'

describe('folded', () => {
  it.each([
    ['Ångström', 'A\u030angstro\u0308m'],
    ['ÅNGSTRÖM', 'a\u030angstro\u0308m'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['ς', 'Σ'],
    ['ﬁn', 'FIN'],
    ['\u212a', 'k'],
    ['İ', 'i\u0307'],
    ['Ǆ', 'ǅ'],
    ['𐐀', '𐐨'],
  ])('%j is %j', (one, other) => expect(foldCase(one)).toBe(foldCase(other)))

  it.each([
    ['ı', 'i'],
    ['ISTANBUL', 'ıstanbul'],
    ['İ', 'i'],
    ['Å', 'A'],
    ['a', 'b'],
  ])('%j is not %j', (one, other) => expect(foldCase(one)).not.toBe(foldCase(other)))

  it('twice is as once', () => {
    for (let code = 1; code < 0x1_20_00; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const once = foldCase(String.fromCodePoint(code))
      expect(foldCase(once)).toBe(once)
    }
  })
})

describe('searches', () => {
  /** A text in lower case that is looked through: a search that does not fold. */
  const UNFOLDED = /to(?:Locale)?(?:Lower|Upper)Case\(\)\s*\.(?:includes|indexOf|startsWith|search|match)\(/
  const listFiles = (folder: string): string[] =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name))

  it('of the API, the palette and the pages of the console go by it', () => {
    const unfolded = [...listFiles('console/src'), ...listFiles('src/http'), ...listFiles('src/store')].filter((name) =>
      UNFOLDED.test(readFileSync(join(ROOT, name), 'utf8')),
    )
    expect(unfolded).toEqual([])
  })

  it.each([
    ['A\u030angstro\u0308m', 'ÅNGSTRÖM'],
    ['straße', 'STRASSE'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ])('for an action by name: %j by %j', (name, search) => {
    const resource = { key: 'doc', name: 'Doc', actions: [{ key: 'read', name }] }
    const found = listColumns([resource] as never, undefined, { action: search })
    expect(found.map(({ permission }) => permission)).toEqual(['doc:read'])
  })
})
