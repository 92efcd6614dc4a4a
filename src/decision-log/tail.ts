// Finds the last complete record of a file and truncates the file behind it. Only the end of the file is read, because
// its size is up to the operator. Nothing is lost by that: an incomplete line belongs to a decision that was never
// answered, or is left over from a power cut.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'

/** Room for a few records of maximal length. */
const WINDOW_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Truncates the file after its last record. Returns the new length, and the number of that record; undefined without a
 * record.
 */
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
      if (start === 0 && from > 0) break // the record may begin before the window
      const seq = findSeq(text.toString('utf8', start, end))
      if (seq !== undefined) return { bytes: from + end, seq }
      end = start
    }
    if (from === 0) return { bytes: 0, seq: undefined }
  }
}

function findSeq(line: string): number | undefined {
  try {
    const seq = (JSON.parse(line) as { seq?: unknown } | null)?.seq
    return Number.isSafeInteger(seq) ? (seq as number) : undefined
  } catch {
    return undefined
  }
}
