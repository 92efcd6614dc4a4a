// What one revision changed: its objects before and after, in the words of the policy file. Runs in a worker thread
// (past-thread.ts): the objects before are looked up in the newest start and the entries after it.

import type { KindName, Objects } from '../../kinds/index.ts'
import type { Change, LogEntry, LogId } from '../../log/change.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import { ZerohopError } from '../../model/errors.ts'
import { REVERT_OBJECTS_MAX } from '../../model/limits.ts'
import type { PastReader } from '../../store/past-reader.ts'
import type { View } from '../../store/view.ts'
import { inOrder, listEntries, type PlanEntry } from '../differences/entries.ts'
import type { UndoneObject } from '../differences/undone.ts'
import { decisive, diffAccess, NO_ACCESS_CHANGE } from '../plan/access.ts'
import { gone, imageAt } from './past-image.ts'

export interface RevisionChanges {
  /** what is written in policy files, field by field */
  readonly entries: readonly PlanEntry[]
  /** changed objects that no policy file names: invites, groups, proxy configs, what only indexes a membership */
  readonly others: number
  /** whose access it changed, at the time when it was written; undefined when nobody asked */
  readonly diff: AccessDiff | undefined
}

export interface Wanted {
  readonly revision: number
  readonly access: boolean
}

type Before = Map<string, Objects[KindName] | undefined>

const formatName = ({ kind, key }: Pick<Change, 'kind' | 'key'>): string => `${kind} ${key}`

/** @throws REVISION_GONE when its changes, or the state before it, are not kept any more */
export async function describeChanges(
  reader: PastReader,
  environment: LogId,
  { revision, access }: Wanted,
): Promise<RevisionChanges> {
  const { before, entry } = await readStates(reader, revision)
  // what is kept under a kind is of that kind
  const get = <K extends KindName>(kind: K, key: string) =>
    before.get(formatName({ kind, key })) as Objects[K] | undefined
  const described = inWords({ get }, entry.changes)
  if (!access) return { ...described, diff: undefined }
  const changes = decisive({ get }, entry.changes)
  if (changes.length === 0) return { ...described, diff: NO_ACCESS_CHANGE }
  return {
    ...described,
    diff: diffAccess(await imageAt(reader, environment, revision - 1), changes, { now: entry.at }),
  }
}

/**
 * The stored objects of a revision, before and after it.
 * @throws as `describeChanges`; LIMIT_EXCEEDED when there are more than a revert takes
 */
export async function listUndone(reader: PastReader, revision: number): Promise<UndoneObject[]> {
  const { before, entry } = await readStates(reader, revision)
  const { changes } = entry
  if (changes.length > REVERT_OBJECTS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the objects of a revert', limit: REVERT_OBJECTS_MAX })
  return changes.map((change) => {
    const { kind, key } = change
    return {
      kind,
      key,
      before: before.get(formatName(change)) ?? null,
      after: change.op === 'put' ? change.value : null,
    }
  })
}

interface States {
  readonly before: Before
  readonly entry: LogEntry
}

async function readStates(reader: PastReader, revision: number): Promise<States> {
  const [entry] = await reader.entries(revision - 1)
  const start = await reader.start(revision - 1)
  if (entry?.revision !== revision || start === undefined) throw gone(revision, await reader.reach())
  const before: Before = new Map(entry.changes.map((change) => [formatName(change), undefined]))
  // read within this turn: that is one consistent state
  for (const { kind, json } of start.objects) {
    const object = JSON.parse(json) as Objects[KindName]
    const name = formatName({ kind, key: object.key })
    if (before.has(name)) before.set(name, object)
  }
  for (let have = start.position.revision; have < revision - 1; ) {
    const page = await reader.entries(have)
    if (page.length === 0) throw gone(revision, await reader.reach())
    for (const { revision: at, changes } of page) {
      if (at < revision) fold(before, changes)
      have = at
    }
  }
  return { before, entry }
}

/** What earlier entries made of the objects. */
function fold(wanted: Before, changes: readonly Change[]): void {
  for (const change of changes) {
    const name = formatName(change)
    if (wanted.has(name)) wanted.set(name, change.op === 'put' ? change.value : undefined)
  }
}

function inWords(before: Pick<View, 'get'>, changes: readonly Change[]): Pick<RevisionChanges, 'entries' | 'others'> {
  const each = changes.map((change) => listEntries(before, change))
  // what remembers who applied a policy file says nothing of the policy
  const others = changes.filter(({ kind }, at) => each[at]?.length === 0 && kind !== 'applied_object').length
  const entries = inOrder(each.flat()).map(({ op, kind, key, fields }): PlanEntry => ({ op, kind, key, fields }))
  return { entries, others }
}
