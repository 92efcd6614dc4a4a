// The words for changes, as the command line and the console show them.
import { describe, expect, it } from 'vitest'
import { fieldTexts, objectText, policyLines, renamedTexts } from '../../src/model/change-words.ts'
import { plain, plainLines } from '../../src/model/plain-text.ts'

describe('policyLines', () => {
  const source = { kind: 'resource_role', role: 'folder#owner' } as const
  const pair = (through: readonly string[]) => ({ source, permission: 'document:read', through })

  it('tells two ways to one permission apart, and says nothing of the way where there is one', () => {
    const gained = [pair(['document#editor over parent']), pair(['document#editor over shelf'])]
    const lines = policyLines({ gained, lost: [pair(['document#editor over parent'])], changed: [], complete: true })
    expect(lines).toEqual([
      { is: 'lost', text: 'folder#owner can document:read' },
      { is: 'gained', text: 'folder#owner can document:read, through document#editor over parent' },
      { is: 'gained', text: 'folder#owner can document:read, through document#editor over shelf' },
    ])
  })
})

describe('renamedTexts', () => {
  it('says that checks by the old key are denied, of what checks name', () => {
    const moved = (kind: string, from: string, to: string) =>
      ({ op: 'move', kind, key: to, fields: { key: [from, to] } }) as const
    const created = { op: 'create', kind: 'action', fields: {} } as const
    expect(renamedTexts([moved('action', 'doc/read', 'doc/view'), moved('role', 'a', 'b'), created])).toEqual([
      'Renamed: action doc/read to doc/view. Checks that use the old name will be denied.',
    ])
    expect(renamedTexts([moved('user', 'ana', 'anna')])).toHaveLength(1)
    expect(renamedTexts([moved('user', 'ana', 'anna')], { names: false })).toEqual([])
  })
})

describe('text that others wrote', () => {
  it('is shown without what acts on a terminal, reorders text or cannot be seen', () => {
    const text = 'a\u202eb\u2066c\u200bd\u00ade\u2028f\ud800g\u001b[2J\u0085\n\th'
    expect(plain(text)).toBe('a\\u{202e}b\\u{2066}c\\u{200b}d\\u{ad}e\\u{2028}f\\u{d800}g\ufffd[2J\ufffd\ufffd\ufffdh')
    expect(plainLines(text)).toBe('a\\u{202e}b\\u{2066}c\\u{200b}d\\u{ad}e\\u{2028}f\\u{d800}g\ufffd[2J\ufffd\n\th')
    expect(plain('äß漢字 😀 עברית')).toBe('äß漢字 😀 עברית')
  })

  it('is so in the names and values of a change', () => {
    const change = { op: 'update', kind: 'role', key: 'a\u202eb', fields: { name: ['x', 'y\u2067'] } } as const
    expect(objectText(change)).toBe('role a\\u{202e}b')
    expect(fieldTexts(change)).toEqual([['name', 'x → y\\u{2067}']])
  })
})
