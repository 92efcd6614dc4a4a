// Damages the data file of a folder, as a disk would: in place, so that a process which has it open sees the change.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Writes other bytes of the same length over each place where `from` stands. Returns how many there were. */
export function overwrite(data: string, from: string, to: string): number {
  const path = join(data, 'data.mdb')
  const bytes = readFileSync(path)
  const file = openSync(path, 'r+')
  let count = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
    writeSync(file, to, at)
    count++
  }
  closeSync(file)
  return count
}
