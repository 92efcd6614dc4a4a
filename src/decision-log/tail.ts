// Where the whole records of a file end. Only the end of the file is read: it may be as long as the operator likes. What stands after the last
// record goes: a line that was cut off was never answered, and what a power cut left is no record.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'

/** A few records of the longest sort. */
const WINDOW_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** Cuts off what stands after the last record. Returns the length, and the number of that record; undefined when there is none. */
export function endRecords(path: string): { bytes: number; seq: number | undefined } {
  const file = openSync(path, 'r+')
  try {
    const { size } = fstatSync(file)
    const end = lastRecord(file, size)
    if (end.bytes < size) ftruncateSync(file, end.bytes)
    return end
  } finally {
    closeSync(file)
  }
}

function lastRecord(file: number, size: number): { bytes: number; seq: number | undefined } {
  for (let window = WINDOW_BYTES; ; window *= 4) {
    const from = Math.max(0, size - window)
    const text = Buffer.alloc(size - from)
    readSync(file, text, 0, text.length, from)
    let end = text.lastIndexOf(NEWLINE) + 1
    while (end > 0) {
      const start = end < 2 ? 0 : text.lastIndexOf(NEWLINE, end - 2) + 1
      if (start === 0 && from > 0) break // it may begin before the window
      const seq = seqOf(text.toString('utf8', start, end))
      if (seq !== undefined) return { bytes: from + end, seq }
      end = start
    }
    if (from === 0) return { bytes: 0, seq: undefined }
  }
}

function seqOf(line: string): number | undefined {
  try {
    const seq = (JSON.parse(line) as { seq?: unknown } | null)?.seq
    return Number.isSafeInteger(seq) ? (seq as number) : undefined
  } catch {
    return undefined
  }
}
