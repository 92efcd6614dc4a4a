// What a list of changes does, in the words of the file: one entry for each object of the file that becomes another
// one, field by field. A change that the file cannot see, such as another order of permissions, has no entry.

import { isDeepStrictEqual } from 'node:util'
import type { Claimed } from '../../kinds/claims.ts'
import type { KindName, Objects } from '../../kinds/index.ts'
import type { Change } from '../../log/change.ts'
import type { Json } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import { printTime } from '../../model/print-time.ts'
import type { View } from '../../store/view.ts'
import { compareObjects, type FileFields, fileObjects } from './file-words.ts'
import { fingerprint } from './fingerprints.ts'

export type Op = 'create' | 'update' | 'delete' | 'move'

/** A field before and after; null where it has its default. */
export type FieldChange = readonly [before: Json, after: Json]

export interface PlanEntry {
  readonly op: Op
  readonly kind: PolicyKind
  readonly key: string
  readonly fields: Readonly<Record<string, FieldChange>>
}

/** An entry with what plans and fingerprints need to know of it. */
export interface Entry extends PlanEntry {
  /** fingerprint before; null when there was none */
  readonly was: string | null
}

/** The entries of one change: none when neither the file nor the claims on a fact can tell. */
export function listEntries(view: Pick<View, 'get'>, change: Change): Entry[] {
  const before = view.get(change.kind, change.key)
  const then = describeObjects(change.kind, before)
  const now = describeObjects(change.kind, change.op === 'put' ? change.value : undefined)
  const claims = claimChange(before, change.op === 'put' ? change.value : undefined)
  const entries: Entry[] = []
  for (const [name, { kind, key, fields }] of now) {
    const old = then.get(name)
    const changed = { ...fieldChanges(old?.fields ?? {}, fields), ...claims }
    if (old === undefined) entries.push({ op: 'create', kind, key, fields: changed, was: null })
    else if (Object.keys(changed).length > 0)
      entries.push({ op: 'update', kind, key, fields: changed, was: fingerprint(old.fields) })
  }
  for (const [name, { kind, key, fields }] of then) {
    if (now.has(name)) continue
    entries.push({
      op: 'delete',
      kind,
      key,
      fields: { ...fieldChanges(fields, {}), ...claims },
      was: fingerprint(fields),
    })
  }
  return entries
}

/** The claims before and after, as texts: none where `hand` alone has one. A file has none of them. */
function claimChange(before: object | undefined, after: object | undefined): Record<string, FieldChange> {
  const [then, now] = [before, after].map((object) => claimTexts(object ?? {}))
  return isDeepStrictEqual(then, now) ? {} : { claims: [then ?? null, now ?? null] }
}

const claimTexts = ({ claims }: Claimed): string[] | null =>
  claims?.map(({ by, valid_from: from, valid_until: until }) => {
    const times = [
      from === undefined ? '' : ` from ${printTime(from)}`,
      until === undefined ? '' : ` until ${printTime(until)}`,
    ]
    return by + times.join('')
  }) ?? null

/** True when the change leaves an object of the file as it is: only times, an order or an id would differ. */
export function isIdle(view: View, change: Change): boolean {
  if (change.op === 'delete') return false
  const before = view.get(change.kind, change.key)
  if (before === undefined) return false
  if (describeObjects(change.kind, change.value).size > 0) return listEntries(view, change).length === 0
  return isDeepStrictEqual({ ...before, updated_at: 0 }, { ...change.value, updated_at: 0 })
}

export const inOrder = <E extends PlanEntry>(entries: readonly E[]): E[] => entries.toSorted(compareObjects)

interface Described {
  readonly kind: PolicyKind
  readonly key: string
  readonly fields: FileFields
}

function describeObjects<K extends KindName>(kind: K, object: Objects[K] | undefined): Map<string, Described> {
  if (object === undefined) return new Map()
  return new Map(fileObjects(kind, object).map((one) => [`${one.kind} ${one.key}`, one]))
}

/** The fields that are others, by name. */
export function fieldChanges(before: FileFields, after: FileFields): Record<string, FieldChange> {
  const changed: Record<string, FieldChange> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name] ?? null, after[name] ?? null]
    if (!isDeepStrictEqual(old, now)) changed[name] = [old, now]
  }
  return changed
}
