// The headers that say why a write is made: what is sent is what is read, whatever the text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readReasons, reasonHeaders } from '../../src/model/reason-headers.ts'

const raw = (headers: Record<string, string>) => Object.entries(headers).flat()

describe('the headers of a reason', () => {
  it('say the text that was given, in printable ASCII that a header may hold', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }).filter((one) => one.trim() !== '')
    fc.assert(
      fc.property(text, text, (reason, ticket) => {
        const headers = reasonHeaders({ reason, ticket })
        for (const value of Object.values(headers)) expect(value).toMatch(/^[!-~]([ -~]*[!-~])?$/)
        expect(readReasons(raw(headers))).toEqual({ reason: reason.trim(), ticket: ticket.trim() })
      }),
    )
  })

  it('are left out for an empty text, found in any case, and told from others of the same length', () => {
    expect(reasonHeaders({ reason: '', ticket: undefined })).toEqual({})
    expect(reasonHeaders({ reason: ' \t', ticket: '' })).toEqual({})
    expect(readReasons(['X-Other1', 'no', 'X-Reason', 'why'])).toEqual({ reason: 'why' })
  })

  it('are refused when one came twice', () => {
    for (const name of ['x-reason', 'X-Ticket'])
      expect(() => readReasons([name, 'one', name.toLowerCase(), 'two'])).toThrow(/sent twice/)
  })

  it('hold half a character as the mark of one that is lost', () => {
    expect(readReasons(raw(reasonHeaders({ reason: 'a\ud800b' })))).toEqual({ reason: 'a\ufffdb' })
  })
})
