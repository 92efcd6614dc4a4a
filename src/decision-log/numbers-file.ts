// A few numbers in a file of fixed length, overwritten in place: once the file exists it needs no space on a full disk,
// and a killed process leaves either the old or the new numbers.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'

const DIGITS = 16

export class NumbersFile {
  /** what the file held; undefined when it held nothing readable */
  readonly found: readonly number[] | undefined
  readonly #fd: number

  /** Opens the file; when it is missing or unreadable, it is created with these numbers. */
  constructor(path: string, initial: readonly number[]) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const text = Buffer.alloc(initial.length * (DIGITS + 1))
    readSync(this.#fd, text, 0, text.length, 0)
    this.found = new RegExp(`^(\\d{${DIGITS}}[ \\n]){${initial.length}}$`).test(text.toString('latin1'))
      ? text.toString('latin1').trim().split(' ').map(Number)
      : undefined
    if (this.found === undefined) this.write(initial)
  }

  /** When the write fails the old numbers stay; the next call writes all of them again. */
  write(numbers: readonly number[]): void {
    try {
      writeSync(this.#fd, `${numbers.map((number) => String(number).padStart(DIGITS, '0')).join(' ')}\n`, 0)
    } catch {
      // ignored: writing records to the same disk fails too, and that is reported
    }
  }

  close(): void {
    closeSync(this.#fd)
  }
}
