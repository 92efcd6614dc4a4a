// The words for changes, as the command line and the console show them.
import { describe, expect, it } from 'vitest'
import {
  fieldTexts,
  flipText,
  groupText,
  keyText,
  noticeTexts,
  objectText,
  policyLines,
  renamedTexts,
  sideText,
  widenedTexts,
  widestFirst,
} from '../../src/model/change-words.ts'
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

describe('times of what is granted', () => {
  const [early, late] = ['2027-01-01T00:00:00.000+00:00', '2027-06-01T00:00:00.000+00:00']
  const change = (fields: object, op: 'create' | 'update' = 'update') =>
    ({ op, kind: 'role_assignment', key: 'ana/editor/acme', fields }) as const

  it.each([
    [{ valid_until: [early, null] }, `loses its end (${early})`, ['loses its end']],
    [{ valid_until: [early, late] }, `${early} → ${late} (later)`, ['ends later']],
    [{ valid_until: [late, early] }, `${late} → ${early} (earlier)`, []],
    [{ valid_until: [null, late] }, late, []],
    [{ valid_from: [late, null] }, `loses its beginning (${late})`, ['begins earlier']],
    [{ valid_from: [late, early] }, `${late} → ${early} (earlier)`, ['begins earlier']],
    [{ valid_from: [early, late] }, `${early} → ${late} (later)`, []],
    [{ valid_from: [null, late] }, late, []],
    [{ max_duration: [60, null] }, '60 → (none)', ['may be given without an end']],
    [{ max_duration: [60, 120] }, '60 → 120', ['may be given for longer']],
    [{ max_duration: [120, 60] }, '120 → 60', []],
    [{ max_duration: [null, 60] }, '60', []],
    [{ everybody: [null, true] }, 'true', ['may be given to everyone']],
    [{ everybody: [true, null] }, 'true → (none)', []],
  ])('%j', (fields, text, widened) => {
    expect(fieldTexts(change(fields)).map(([, shown]) => shown)).toEqual([text])
    const texts = widened.map((words) => `Widened: role assignment ana/editor/acme ${words}.`)
    expect(widenedTexts([change(fields)])).toEqual(texts)
    const hidden = widened.map(() => 'Widened: 1 object granted for longer or to more.')
    expect(widenedTexts([change(fields)], { names: false })).toEqual(hidden)
  })

  it('of something new are no change of what there was', () => {
    const made = change({ valid_from: [null, early], valid_until: [null, late] }, 'create')
    expect(fieldTexts(made)).toEqual([
      ['valid_from', early],
      ['valid_until', late],
    ])
    expect(widenedTexts([made])).toEqual([])
  })
})

describe('suspensions', () => {
  it('are said in words, with their times and why', () => {
    const texts = (before: object | null, after: object | null) =>
      fieldTexts({ op: 'update', fields: { suspension: [before, after] } })
    const until = '2027-01-01T00:00:00.000+00:00'
    expect(texts(null, { reason: 'left', valid_until: until })).toEqual([
      ['suspension', `suspended until ${until}: left`],
    ])
    expect(texts({ reason: 'left', valid_from: until }, null)).toEqual([
      ['suspension', `suspended from ${until}: left → not suspended`],
    ])
  })
})

describe('roles of everyone', () => {
  const change = (op: 'create' | 'update' | 'delete', key: string) =>
    ({ op, kind: 'role_assignment', key, fields: {} }) as const
  const changes = [
    change('create', '*/reader/acme'),
    change('create', '*/viewer/acme/doc:plan'),
    change('update', '*/editor/acme'),
    change('create', 'ana/reader/acme'),
    change('delete', '*/reader/other'),
  ]

  it('are said in words, with what they are or how many', () => {
    expect(noticeTexts(changes)).toEqual([
      'Everyone, also users who are not signed in, gets role reader in tenant acme.',
      'Everyone, also users who are not signed in, gets role viewer on doc:plan.',
      'Everyone loses role reader in tenant other.',
    ])
    expect(noticeTexts(changes, { names: false })).toEqual([
      'Everyone, also users who are not signed in, gets 2 roles.',
      'Everyone loses 1 role.',
    ])
    expect(changes.map(({ kind, key }) => keyText(kind, key))).toEqual([
      'Everyone: reader in tenant acme',
      'Everyone: viewer on doc:plan',
      'Everyone: editor in tenant acme',
      'ana/reader/acme',
      'Everyone: reader in tenant other',
    ])
  })

  it('are told from users who gain or lose access', () => {
    const source = { kind: 'role', role: 'reader' } as const
    const group = { source, resource: 'doc', action: 'read', tenant: 'acme', users: 0, decisions: 1 }
    expect(groupText({ ...group, everybody: true })).toBe('read doc in acme: everyone, as reader')
    expect(groupText({ ...group, users: 2, everybody: true })).toBe('read doc in acme: everyone and 2 users, as reader')
    const [few, all] = [
      { ...group, users: 9 },
      { ...group, everybody: true },
    ] as const
    expect(widestFirst([few, all])).toEqual([all, few])
    const flip = { user: '*', action: 'read', resource: { type: 'doc' }, tenant: 'acme', because: source }
    expect(flipText(flip)).toBe('Everyone: read doc in acme')
    const side = { ...group, complete: true, groups: [], more_groups: 0, first: [] }
    expect(sideText('gain', { ...side, everybody: true })).toBe('Everyone gains access (1 permission)')
    expect(sideText('lose', { ...side, users: 1, everybody: true })).toBe(
      'Everyone and 1 user lose access (1 permission)',
    )
    expect(sideText('lose', { ...side, users: 1 })).toBe('1 user loses access (1 permission)')
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
