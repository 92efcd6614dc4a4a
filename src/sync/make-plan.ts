// What a run of a sync would write: the differences of each section in files, in the order in which they are written,
// with their numbers. Nothing is written to the server.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { SYNCED_KINDS, type SyncedKind, type SyncItem } from '../management/schemas/syncs.ts'
import { SYNC_SLICE_CHARS, SYNC_SLICE_ITEMS } from '../model/limits.ts'
import type { Json, JsonObject } from '../model/objects.ts'
import { type Difference, findDifferences } from './differences.ts'
import { splitIdentity } from './fact-lines.ts'
import { SECTIONS, type SectionName } from './file/sections.ts'
import type { SyncFile } from './file/sync-file.ts'
import type { ReadRows } from './read-source.ts'
import { RoleGroups } from './role-groups.ts'
import type { SyncServer } from './server.ts'
import { LineFile } from './sorter.ts'

/** Differences of one section. */
export interface SectionPlan {
  readonly name: SectionName
  /** facts that the sync holds now */
  readonly held: number
  readonly creates: number
  readonly changes: number
  readonly drops: number
}

export interface DifferencePlan {
  /** of the environment that was compared */
  readonly revision: number
  /** how many runs had held the sync by then */
  readonly runs: number
  /** when a run had last begun, written or ended by then; undefined before the first one */
  readonly lastUsed: string | undefined
  readonly rowsDigest: string
  /** of everything that would be written */
  readonly digest: string
  readonly sections: readonly SectionPlan[]
  readonly groups: RoleGroups
  /** all of it, in parts; each is one revision */
  slices(): Generator<readonly SyncItem[], void, undefined>
  /** those that delete users, tenants and instances, on which others may hang */
  objectDrops(): Generator<readonly SyncItem[], void, undefined>
}

/** How many items there are. */
export const countItems = ({ sections }: Pick<DifferencePlan, 'sections'>): number =>
  sections.reduce((sum, { creates, changes, drops }) => sum + creates + changes + drops, 0)

/** Whether other facts hang on those of a section. */
const isOfObjects = (name: SectionName): boolean => ['users', 'tenants', 'resource_instances'].includes(name)

/** @throws API_REFUSED, FEED_UNREACHABLE, SERVICE_ANSWER_INVALID */
export async function planDifferences(
  file: SyncFile,
  { sections: rows, digest: rowsDigest }: ReadRows,
  server: SyncServer,
  temporary: string,
): Promise<DifferencePlan> {
  const sync = await server.find()
  const hash = createHash('sha256')
  const groups = new RoleGroups()
  const sections: SectionPlan[] = []
  const puts: LineFile[] = []
  const mixed: LineFile[] = []
  const drops: LineFile[] = []
  let revision: number | undefined
  for (const { name, lines } of rows) {
    const counts = { held: 0, creates: 0, changes: 0, drops: 0 }
    const written = new LineFile(join(temporary, `puts-${name}`))
    const dropped = isOfObjects(name) ? new LineFile(join(temporary, `drops-${name}`)) : written
    const stored = server.stored(SECTIONS[name].kind)
    for await (const difference of findDifferences(name, lines(), stored.facts(), () => counts.held++)) {
      const line = JSON.stringify(toItem(name, difference, file))
      hash.update(`${line}\n`)
      if (difference.op === 'drop') {
        counts.drops++
        dropped.add(line)
      } else {
        if (difference.isNew) counts.creates++
        else counts.changes++
        written.add(line)
      }
      if (name === 'role_assignments') groups.add(difference)
    }
    written.end()
    if (dropped !== written) dropped.end()
    if (isOfObjects(name)) puts.push(written)
    else mixed.push(written)
    if (dropped !== written) drops.unshift(dropped)
    revision ??= stored.revision
    sections.push({ name, ...counts })
  }
  const files = [...puts, ...mixed, ...drops]
  return {
    revision: revision ?? 0,
    runs: sync?.runs ?? 0,
    lastUsed: sync?.updated_at,
    rowsDigest,
    digest: hash.digest('hex'),
    sections,
    groups,
    slices: () => readSlices(files),
    objectDrops: () => readSlices(drops),
  }
}

/** A difference as the API takes it. */
function toItem(name: SectionName, difference: Difference, file: SyncFile): SyncItem {
  const { kind } = SECTIONS[name]
  if (difference.op === 'drop') {
    const onGone = file[name]?.on_gone
    return { op: 'drop', kind, key: difference.key, ...(onGone && onGone !== 'keep' ? { on_gone: onGone } : {}) }
  }
  const names = Object.keys(SECTIONS[name].identity)
  const parts = splitIdentity(difference.identity).map((part, at): [string, Json] => [names[at]!, part])
  const item: JsonObject = { ...Object.fromEntries(parts.filter(([, part]) => part !== '')), ...difference.content }
  return { op: 'put', kind, item }
}

/** Items in order; of one slice of facts on which nothing hangs, drops come first: a role gives way to another one. */
function* readSlices(files: readonly LineFile[]): Generator<readonly SyncItem[], void, undefined> {
  for (const file of files) {
    let items: SyncItem[] = []
    let chars = 0
    for (const line of file.lines()) {
      if (items.length >= SYNC_SLICE_ITEMS || (items.length > 0 && chars + line.length > SYNC_SLICE_CHARS)) {
        yield dropsFirst(items)
        items = []
        chars = 0
      }
      items.push(JSON.parse(line) as SyncItem)
      chars += line.length
    }
    if (items.length > 0) yield dropsFirst(items)
  }
}

const dropsFirst = (items: readonly SyncItem[]): readonly SyncItem[] => [
  ...items.filter(({ op }) => op === 'drop'),
  ...items.filter(({ op }) => op === 'put'),
]

/** Kinds of facts in the words of sections. */
export const sectionOfKind = (kind: SyncedKind): SectionName =>
  (Object.keys(SECTIONS) as SectionName[]).find((name) => SECTIONS[name].kind === kind)!

export const isSyncedKind = (kind: string): kind is SyncedKind => SYNCED_KINDS.some((one) => one === kind)
