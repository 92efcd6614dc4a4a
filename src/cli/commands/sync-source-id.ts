// The id of a source, to which the name of a sync is bound: what the sync file says, else what stands in a file beside
// it, which the first run writes. Two copies of a database that both write to one environment would undo each other.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { ZerohopError } from '../../model/errors.ts'
import type { SyncFile } from '../../sync/file/sync-file.ts'

/** 32 hex digits. */
export const makeRandomId = (): string => randomBytes(16).toString('hex')

/** @throws CONFIG_INVALID when the file beside the sync file cannot be read or written */
export function findSourceId(path: string, { source_id: named }: SyncFile): string {
  if (named) return named
  const file = `${path}.id`
  const fail = (error: unknown, what: string) => {
    const reason = `\`${file}\` cannot be ${what} (${(error as NodeJS.ErrnoException).code}): set \`source_id\` in the sync file`
    return new ZerohopError('CONFIG_INVALID', { reason })
  }
  let text: string | undefined
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fail(error, 'read')
  }
  if (text === undefined) {
    const made = makeRandomId()
    try {
      writeFileSync(file, `${made}\n`, { flag: 'wx' })
    } catch (error) {
      throw fail(error, 'written')
    }
    return made
  }
  if (/^[0-9a-f]{32}$/.test(text)) return text
  throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` has no id of a source: 32 hex digits` })
}
