// The address of the page Access review, what the API is asked for it, and its rows; without a browser.
import { describe, expect, it } from 'vitest'
import {
  isOverview,
  narrowed,
  toAccessQuery,
  toCsvQuery,
  toMoments,
} from '../../../console/src/pages/access-review/review-query.ts'
import {
  type AccessLine,
  findLastUse,
  sourceText,
  toRows,
} from '../../../console/src/pages/access-review/review-rows.ts'
import { parseReviewSearch } from '../../../console/src/pages/access-review/review-search.ts'

describe('the address of an access review', () => {
  it('keeps what belongs there', () => {
    expect(parseReviewSearch({ tab: 'role', user: 7, at: 118, since: '2026-11-20', changed: true, page: 2 })).toEqual({
      ...{ tab: 'role', user: '7', at: '118', since: '2026-11-20', changed: true },
    })
    expect(parseReviewSearch({ tab: 'user', changed: true, role: '' })).toEqual({})
  })

  it('begins at the first page when something is filled in, and only changes need something to compare with', () => {
    const search = { since: '3', changed: true, after: 'x' } as const
    expect(narrowed(search, { user: 'ana' })).toEqual({ since: '3', changed: true, user: 'ana' })
    expect(narrowed(search, { since: '' })).toEqual({})
  })

  it('takes revisions, instants and days: as of the end of a day, compared with its beginning', () => {
    expect(toMoments({ at: '118', since: '2026-11-20T08:30:00Z' })).toEqual({
      at: '118',
      since: '2026-11-20T08:30:00Z',
    })
    const { at, since } = toMoments({ at: '2026-11-20', since: '2026-11-20' })
    expect(since).toBe(new Date(2026, 10, 20).toISOString())
    expect(at).toBe(new Date(new Date(2026, 10, 21).getTime() - 1).toISOString())
  })

  it('asks for the same lines as a file, whatever page is open', () => {
    const search = { tab: 'role', role: 'doc#owner', since: '3', after: 'x' } as const
    expect(toAccessQuery(search)).toEqual({ role: 'doc#owner', since: '3', after: 'x' })
    expect(toCsvQuery(search)).toBe('format=csv&role=doc%23owner&since=3')
    expect(toCsvQuery({ unused: '90d' })).toBe('format=csv&unused_for=90d')
    expect(parseReviewSearch({ unused: '7d' })).toEqual({})
    expect([isOverview(search), isOverview({ tab: 'role' }), isOverview({})]).toEqual([false, true, false])
  })
})

describe('its rows', () => {
  const line: AccessLine = {
    ...{ user: 'ana', tenant: 'acme', resource: 'doc', resource_instance: null, action: 'read', access: 'allowed' },
    ...{ source: { kind: 'role', role: 'editor' }, derived: false, when: null, change: null },
  }
  it('are one for each place and source', () => {
    const lines = [
      line,
      { ...line, action: 'write' },
      { ...line, resource: 'folder' },
      { ...line, resource_instance: 'one' },
      { ...line, resource: 'folder', resource_instance: 'one' },
      { ...line, change: 'added' as const },
    ]
    expect(toRows(lines).map((row) => row.lines.length)).toEqual([3, 1, 1, 1])
    expect(new Set(toRows(lines).map(({ key }) => key)).size).toBe(4)
  })

  it('say by what', () => {
    expect(sourceText(line)).toBe('editor')
    expect(sourceText({ source: { kind: 'resource_role', role: 'doc#owner' }, derived: true })).toBe(
      'doc#owner, via relations',
    )
    expect(sourceText({ source: { kind: 'set_rule', user_set: 'staff', resource_set: 'open' }, derived: false })).toBe(
      'staff × open',
    )
  })

  it('are one whatever of it was used, and say the newest use', () => {
    const used = (last_used: string | null) => ({ ...line, last_used, unused: true, unknown: null })
    const lines = [used(null), used('2026-11-02T00:00:00.000+00:00'), used('2026-11-01T00:00:00.000+00:00')]
    expect(toRows(lines).map((row) => findLastUse(row.lines))).toEqual(['2026-11-02T00:00:00.000+00:00'])
    expect(findLastUse([used(null)])).toBeUndefined()
  })
})
