// The sync file: where rows are read, which of them are facts, and what may be deleted. One description, from which
// types, validation, the JSON Schema for editors and the table of docs/sync.md are made.
import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import type { Path } from '../../management/rules/fields.ts'
import { misfits } from '../../management/rules/shape.ts'
import * as t from '../../model/json-schema.ts'
import { KEY_PATTERN } from '../../model/keys.ts'
import { KEY_BYTES_MAX, SYNC_COMMAND_WORDS_MAX } from '../../model/limits.ts'
import { COLUMN_TYPES, SECTIONS, type SectionName } from './sections.ts'

/** The version of the form. */
const VERSION = 1

const Database = t.closed({
  url_env: t.described(t.Text, 'name of the environment variable that has the URL; the URL itself never stands here'),
})
const Nothing = t.closed({})

const SOURCES = {
  postgres: t.maybe(t.described(Database, 'PostgreSQL; all queries read one snapshot')),
  mysql: t.maybe(t.described(Database, 'MySQL or MariaDB; all queries read one snapshot; needs the package `mysql2`')),
  sqlite: t.maybe(
    t.described(
      t.closed({ file: t.described(t.Text, 'the database file') }),
      'SQLite; all queries read one snapshot; needs Node 22.16 or newer, or the package `better-sqlite3`',
    ),
  ),
  ndjson: t.maybe(t.described(Nothing, 'files with a JSON object on each line')),
  csv: t.maybe(t.described(Nothing, 'files as RFC 4180 has them, with the names of the columns on the first line')),
  command: t.maybe(t.described(Nothing, 'programs that print a JSON object on each line')),
}
export type SourceName = keyof typeof SOURCES

const ON_GONE = ['keep', 'suspend', 'delete'] as const

const Section = t.closed({
  query: t.maybe(t.described(t.Text, 'of a database: the query; its column names are the fields')),
  file: t.maybe(t.described(t.Text, 'of `ndjson` and `csv`: the file')),
  command: t.maybe(
    t.described(
      t.listOf(t.Text, SYNC_COMMAND_WORDS_MAX),
      'of `command`: the program and its arguments; no shell reads them',
    ),
  ),
  types: t.maybe(
    t.described(
      t.mapOf(t.enumOf(...COLUMN_TYPES)),
      'types of columns whose values have another type in the source, such as texts of a CSV file',
    ),
  ),
  on_gone: t.maybe(
    t.described(
      t.enumOf(...ON_GONE),
      'what becomes of a user, tenant or instance without a row, on which facts of others depend; default: keep',
    ),
  ),
  may_be_empty: t.maybe(t.described(t.Flag, 'take a result without rows; default: false, then it is refused')),
})
export type Section = t.Static<typeof Section>

const sections = Object.fromEntries(
  Object.entries(SECTIONS).map(([name, { about }]) => [name, t.maybe(t.described(Section, about))]),
) as { readonly [N in SectionName]: ReturnType<typeof t.maybe<typeof Section>> }

export const SyncFile = t.named(
  'SyncFile',
  t.closed({
    sync: t.described(t.schemaOf<1>({ type: 'integer', enum: [VERSION] }), 'version of the form: 1'),
    source: t.described(t.closed(SOURCES), 'where the rows are; exactly one'),
    owner: t.described(t.Text, 'name of this sync, whose claim its facts have; it changes no others', {
      pattern: KEY_PATTERN,
      maxLength: KEY_BYTES_MAX,
    }),
    source_id: t.maybe(
      t.described(
        t.Text,
        '32 hex digits that only this sync has; without it they are in the file `NAME.id` in the same folder',
      ),
    ),
    max_deletes: t.maybe(
      t.described(
        t.closed({
          percent: t.maybe(
            t.described(t.schemaOf<number>({ type: 'integer', minimum: 0, maximum: 100 }), 'default: 5'),
          ),
          count: t.maybe(t.described(t.schemaOf<number>({ type: 'integer', minimum: 0 }), 'default: 1000')),
        }),
        'how much of what the sync holds of one kind one run may delete',
      ),
    ),
    ...sections,
  }),
)
export type SyncFile = t.Static<typeof SyncFile>

/** What a section of the file must have, by its source. */
const READS: { readonly [S in SourceName]: 'query' | 'file' | 'command' } = {
  postgres: 'query',
  mysql: 'query',
  sqlite: 'query',
  ndjson: 'file',
  csv: 'file',
  command: 'command',
}

export interface ReadSync {
  /** undefined when there are problems */
  readonly file: SyncFile | undefined
  readonly problems: readonly Problem[]
}

/** Reads a sync file; nothing that it names is opened. */
export function readSyncFile(source: Source): ReadSync {
  const document = new YamlDocument(source)
  const problems: Problem[] = [...document.problems]
  const wrong = (message: string, path: Path, which?: 'key' | 'value') =>
    problems.push({ severity: 'error', message, place: document.place(path, which) })
  if (document.value !== undefined) {
    for (const misfit of misfits(SyncFile, document.value, []))
      wrong(formSentence(misfit), misfit.path, misfit.kind === 'unknown' ? 'key' : 'value')
    if (problems.length === 0) checkMeaning(document.value as SyncFile, wrong)
  }
  return { file: problems.length === 0 ? (document.value as SyncFile) : undefined, problems }
}

type Wrong = (message: string, path: Path, which?: 'key' | 'value') => void

function checkMeaning(file: SyncFile, wrong: Wrong): void {
  if (!new RegExp(KEY_PATTERN).test(file.owner) || file.owner.length > KEY_BYTES_MAX)
    wrong('a name has the characters a-z, A-Z, 0-9, _ and -', ['owner'])
  if (['hand', 'directory'].includes(file.owner)) wrong(`\`${file.owner}\` is the name of another writer`, ['owner'])
  if (file.source_id && !/^[0-9a-f]{32}$/.test(file.source_id)) wrong('expected 32 hex digits', ['source_id'])
  const { percent, count } = file.max_deletes ?? {}
  if (percent != null && (percent < 0 || percent > 100)) wrong('expected 0 to 100', ['max_deletes', 'percent'])
  if (count != null && count < 0) wrong('expected 0 or more', ['max_deletes', 'count'])
  const sources = Object.entries(file.source).filter(([, value]) => value !== null && value !== undefined)
  if (sources.length !== 1) {
    wrong('exactly one source is needed', ['source'], 'key')
    return
  }
  const names = listSections(file)
  if (names.length === 0) wrong(`nothing to read: add ${Object.keys(SECTIONS).join(', ')}`, ['owner'], 'key')
  for (const name of names) checkSection(file, name, sourceName(file), wrong)
}

/** Sections of objects on which other facts hang. */
const KEPT: readonly SectionName[] = ['users', 'tenants', 'resource_instances']

function checkSection(file: SyncFile, name: SectionName, source: SourceName, wrong: Wrong): void {
  const section = file[name]!
  const wanted = READS[source]
  for (const word of ['query', 'file', 'command'] as const) {
    const value = section[word]
    if (word !== wanted && value !== undefined && value !== null)
      wrong(`a section of the source \`${source}\` has \`${wanted}\`, and no \`${word}\``, [name, word], 'key')
  }
  const value = section[wanted]
  if (value === undefined || value === null || value.length === 0) wrong(`\`${wanted}\` is missing`, [name], 'key')
  if (section.on_gone && !KEPT.includes(name)) wrong('only users, tenants and instances have it', [name, 'on_gone'])
  if (section.on_gone === 'suspend' && name !== 'users') wrong('only users can be suspended', [name, 'on_gone'])
}

/** The sections that a file has, in the order in which they are written. */
export const listSections = (file: SyncFile): SectionName[] =>
  (Object.keys(SECTIONS) as SectionName[]).filter((name) => file[name] !== undefined && file[name] !== null)

export const sourceName = ({ source }: SyncFile): SourceName =>
  Object.entries(source).find(([, value]) => value !== null && value !== undefined)![0] as SourceName
