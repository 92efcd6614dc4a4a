// The series of a journal, on disk: `<folder>/instance` with its id, its owner, and the position in the journal after
// which its numbers begin. One file, replaced as a whole: an id with the base of another series would use numbers
// twice.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Series {
  /** 32 hex digits */
  readonly id: string
  /** one word; undefined without an owner, as in a folder of an older version */
  readonly owner: string | undefined
  /** position after which it begins: a record's number is its position minus `base` */
  readonly base: number
}

const FORM = /^([0-9a-f]{32})(?: (\S+) (\d{1,15}))?$/
const NOBODY = '-'

/**
 * The series of a folder, also in the form of an older version (the id alone); undefined when the file is missing or
 * unreadable.
 */
export function readSeries(folder: string): Series | undefined {
  const path = join(folder, 'instance')
  const text = existsSync(path) ? readFileSync(path, 'latin1').trim() : ''
  const [, id, owner = NOBODY, base = '0'] = FORM.exec(text) ?? []
  return id === undefined ? undefined : { id, owner: owner === NOBODY ? undefined : owner, base: Number(base) }
}

/** @throws what the file system throws */
export function writeSeries(folder: string, { id, owner = NOBODY, base }: Series): void {
  const path = join(folder, 'instance')
  writeFileSync(`${path}.new`, `${id} ${owner} ${base}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
