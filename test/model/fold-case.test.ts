// Texts that a search takes for the same: by Unicode's default case folding, composed.
import { describe, expect, it } from 'vitest'
import { foldCase } from '../../src/model/fold-case.ts'

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
