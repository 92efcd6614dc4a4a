// Damages the data file of a closed folder, as a disk would.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes other bytes of the same length over each place where `from` stands. Returns how many there were. */
export function overwrite(data: string, from: string, to: string): number {
  const file = join(data, 'data.mdb')
  const bytes = readFileSync(file)
  let count = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
    bytes.write(to, at)
    count++
  }
  writeFileSync(file, bytes)
  return count
}
