// Addresses of the page History, and of reverts: what they say, and what the API is asked for it.
import { describe, expect, it } from 'vitest'
import { isFiltered, parseHistorySearch, toHistoryQuery } from '../../../console/src/pages/history/history-search.ts'
import { makeRevertBody, parseRevertSearch } from '../../../console/src/pages/history/revert-search.ts'

describe('the address of the history', () => {
  it('the address holds the filters, and nothing else', () => {
    const search = { who: 'ci', what: 118, from: '2026-11-20', until: '2026-11-21', page: 3 }
    expect(parseHistorySearch(search)).toEqual({ ...search, what: '118' })
    const wrong = { who: '', what: {}, from: 'yesterday', until: '2026-1-2', page: -1, more: 'x' }
    expect(parseHistorySearch(wrong)).toEqual({})
    expect(parseHistorySearch({ page: 1 })).toEqual({})
    expect([isFiltered({ page: 3 }), isFiltered({ until: '2026-11-21' })]).toEqual([false, true])
  })

  it('names whole days where the reader is, both included', () => {
    const { timestamp_from, timestamp_until } = toHistoryQuery('e', { from: '2026-02-28', until: '2026-02-28' })
    expect(new Date(timestamp_from! * 1000)).toEqual(new Date(2026, 1, 28))
    expect(new Date((timestamp_until! + 1) * 1000)).toEqual(new Date(2026, 2, 1))
    expect(toHistoryQuery('e', {})).toEqual({ env_id: ['e'], changed: true, page: 1, per_page: 50 })
  })
})

describe('the address of a revert', () => {
  const changes = [
    { kind: 'role', key: 'editor' },
    { kind: 'user', key: 'ana' },
  ]

  it('leaves objects out, and names the others only then', () => {
    expect(makeRevertBody(changes, {})).toEqual({})
    expect(makeRevertBody(changes, { without: ['role:editor'], cascade: true })).toEqual({
      only: ['user:ana'],
      cascade: true,
    })
  })

  it('has nothing but names', () => {
    expect(parseRevertSearch({ without: ['role:editor', 3], cascade: 'yes' })).toEqual({ without: ['role:editor'] })
    expect(parseRevertSearch({ without: 'role:editor', cascade: true })).toEqual({ cascade: true })
  })
})
