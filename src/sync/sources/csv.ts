// CSV as RFC 4180 has it: commas, quotes that are doubled inside of quotes, lines that end with LF or CRLF. A field
// without quotes that is empty is NULL; an empty text is `""`. Anything else is an error with its line.
import { ZerohopError } from '../../model/errors.ts'
import { SYNC_ROW_BYTES_MAX } from '../../model/limits.ts'

/** The fields of one record after the other, of a text that comes in pieces. */
export class CsvReader {
  readonly #file: string
  #line = 1
  #text = ''
  #row: (string | null)[] = []
  #field = ''
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  #bytes = 0

  constructor(file: string) {
    this.#file = file
  }

  /** @throws SYNC_SOURCE_FAILED */
  *add(text: string): Generator<(string | null)[], void, undefined> {
    // a CR at the end may begin a CRLF
    this.#text += text
    const end = this.#text.endsWith('\r') ? this.#text.length - 1 : this.#text.length
    const part = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    for (let at = 0; at < part.length; at++) {
      const row = this.#take(part[at]!, part[at + 1])
      if (row !== undefined) yield row
    }
  }

  /** What follows the last end of a line. @throws SYNC_SOURCE_FAILED */
  *end(): Generator<(string | null)[], void, undefined> {
    if (this.#text === '\r') this.#text = ''
    if (this.#state === 'quoted') throw this.#wrong('a quote is not closed')
    if (this.#state === 'start' && this.#row.length === 0) return
    yield this.#endRow()
  }

  #take(char: string, next: string | undefined): (string | null)[] | undefined {
    if (++this.#bytes > SYNC_ROW_BYTES_MAX)
      throw this.#wrong(`a record is longer than ${SYNC_ROW_BYTES_MAX} characters`)
    if (this.#state === 'quoted') {
      if (char === '\n') this.#line++
      if (char === '"') this.#state = 'closed'
      else this.#field += char
      return undefined
    }
    if (char === '"' && this.#state === 'closed') {
      this.#field += char
      this.#state = 'quoted'
    } else if (char === '"' && this.#state === 'start') this.#state = 'quoted'
    else if (char === '"') throw this.#wrong('a quote in a field without quotes')
    else if (char === ',') this.#endField()
    else if (char === '\n') return this.#endRow()
    else if (char === '\r' && next === '\n') return undefined
    else if (this.#state === 'closed') throw this.#wrong('a character after a closing quote')
    else {
      this.#field += char
      this.#state = 'plain'
    }
    return undefined
  }

  #endField(): void {
    this.#row.push(this.#state === 'start' ? null : this.#field)
    this.#field = ''
    this.#state = 'start'
  }

  #endRow(): (string | null)[] {
    this.#endField()
    const row = this.#row
    this.#row = []
    this.#line++
    this.#bytes = 0
    return row
  }

  #wrong(reason: string): ZerohopError {
    return new ZerohopError('SYNC_SOURCE_FAILED', { where: this.#file, reason: `line ${this.#line}: ${reason}` })
  }
}
