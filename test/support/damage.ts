// Damages the data file of a folder, as a disk would: in place, so that a process which has it open sees the change.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Writes other bytes of the same length over each place where `from` stands. Returns how many there were. */
export function overwrite(data: string, from: string | Buffer, to: string | Buffer): number {
  const path = join(data, 'data.mdb')
  const bytes = readFileSync(path)
  const file = openSync(path, 'r+')
  const bytesTo = Buffer.from(to)
  let count = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
    writeSync(file, bytesTo, 0, bytesTo.length, at)
    count++
  }
  closeSync(file)
  return count
}

/**
 * Changes one byte of an entry of the log, in its chain: what comes after it may be compressed in the file. Returns how
 * many copies of the entry there were. `chain` is that of the entry, in hex.
 */
export function damageEntry(data: string, chain: string): number {
  const from = Buffer.from(chain, 'hex')
  const to = Buffer.from(from)
  to[0]! ^= 1
  return overwrite(data, from, to)
}
