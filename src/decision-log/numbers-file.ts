// A few numbers in a file of fixed length, written over in place: once the file is there, it needs no room on a full disk, and a process that is
// killed leaves the old numbers or the new ones.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'

const DIGITS = 16

export class NumbersFile {
  /** what the file held; undefined when it held nothing readable */
  readonly found: readonly number[] | undefined
  readonly #fd: number

  /** Opens the file, and makes it with these numbers when nothing readable is there. */
  constructor(path: string, initial: readonly number[]) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const text = Buffer.alloc(initial.length * (DIGITS + 1))
    readSync(this.#fd, text, 0, text.length, 0)
    this.found = new RegExp(`^(\\d{${DIGITS}}[ \\n]){${initial.length}}$`).test(text.toString('latin1'))
      ? text.toString('latin1').trim().split(' ').map(Number)
      : undefined
    if (this.found === undefined) this.write(initial)
  }

  /** A disk that takes nothing keeps the numbers before: the next call writes them all again. */
  write(numbers: readonly number[]): void {
    try {
      writeSync(this.#fd, `${numbers.map((number) => String(number).padStart(DIGITS, '0')).join(' ')}\n`, 0)
    } catch {
      // whoever writes records to the same disk is told
    }
  }

  close(): void {
    closeSync(this.#fd)
  }
}
