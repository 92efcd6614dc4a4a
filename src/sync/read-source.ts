// Reads the rows of all sections from one snapshot of a source, sorted by what names each fact. A row that is there
// twice is one fact; two rows that say different things of one fact are a problem. The digest is that of all facts: two
// readings with the same digest read the same.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ZerohopError } from '../model/errors.ts'
import { SYNC_ROWS_MAX } from '../model/limits.ts'
import type { SectionName } from './file/sections.ts'
import { listSections, type SyncFile } from './file/sync-file.ts'
import { type RowProblem, RowReader } from './read-rows.ts'
import { LineFile, RunMemory, Sorter } from './sorter.ts'
import { openSource, type SourceOptions } from './sources/open-source.ts'

/** Facts of one section, sorted, in a file. */
export interface SectionRows {
  readonly name: SectionName
  /** rows of the source */
  readonly rows: number
  /** facts: rows that are there twice count once */
  readonly facts: number
  lines(): Generator<SortedFact, void, undefined>
}
export interface SortedFact {
  readonly identity: string
  readonly content: string
}

export interface ReadRows {
  readonly sections: readonly SectionRows[]
  /** with problems, nothing else is whole */
  readonly problems: readonly RowProblem[]
  readonly digest: string
}

export interface ReadOptions extends SourceOptions {
  /** for files of rows; whoever made it removes it */
  readonly temporary: string
  readonly runBytes?: number | undefined
  readonly onRows?: (count: number) => void
}

/** Separates identity, number and content in a line; no JSON text and no key has it. */
const FIELD = '\u0001'

/** @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING, CONFIG_INVALID, LIMIT_EXCEEDED */
export async function readSource(file: SyncFile, options: ReadOptions): Promise<ReadRows> {
  const snapshot = await openSource(file, options)
  const problems: RowProblem[] = []
  const sections: SectionRows[] = []
  const hash = createHash('sha256')
  const run = new RunMemory(options.runBytes)
  try {
    for (const name of listSections(file)) {
      const reader = new RowReader(name, file[name]!)
      const sorter = new Sorter(options.temporary, `rows-${name}`, run)
      let rows = 0
      for await (const batch of snapshot.read(name, file[name]!)) {
        for (const { number, identity, content } of reader.read(batch))
          sorter.add(`${identity}${FIELD}${number}${FIELD}${content}`)
        rows += batch.rows.length
        options.onRows?.(batch.rows.length)
        if (rows > SYNC_ROWS_MAX)
          throw new ZerohopError('LIMIT_EXCEEDED', { what: `the rows of \`${name}\``, limit: SYNC_ROWS_MAX })
        if (reader.isFull) break
      }
      const facts = reader.problems.length > 0 ? undefined : keepFacts(sorter, reader, join(options.temporary, name))
      problems.push(...reader.problems)
      if (facts === undefined) continue
      /* canary: empty-results */ if (rows === 0 && !file[name]!.may_be_empty)
        problems.push({
          section: name,
          rows: [],
          message: 'there are no rows: if that is right, add `may_be_empty: true`',
        })
      hash.update(`${name}\n`)
      for (const line of facts.lines()) hash.update(`${line}\n`)
      sections.push({ name, rows, facts: facts.count, lines: () => parseLines(facts) })
    }
  } finally {
    await snapshot.close()
  }
  return { sections, problems, digest: hash.digest('hex') }
}

/** One line for each fact; what differs is said to the reader. */
function keepFacts(sorter: Sorter, reader: RowReader, path: string): LineFile {
  const facts = new LineFile(path)
  let before: { readonly identity: string; readonly number: number; readonly content: string } | undefined
  for (const line of sorter.sorted()) {
    const [identity, number, content] = line.split(FIELD) as [string, string, string]
    if (identity === before?.identity) {
      if (content !== before.content && !reader.isFull) reader.addTwice(before.number, Number(number), identity)
      continue
    }
    facts.add(`${identity}${FIELD}${content}`)
    before = { identity, number: Number(number), content }
  }
  facts.end()
  return facts
}

function* parseLines(facts: LineFile): Generator<SortedFact, void, undefined> {
  for (const line of facts.lines()) {
    const end = line.indexOf(FIELD)
    yield { identity: line.slice(0, end), content: line.slice(end + 1) }
  }
}
