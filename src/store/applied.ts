// What an object remembers of being applied from a policy file (`applied_object`) goes with it: whatever use case
// deletes the object, the same revision deletes that too.

import { KIND_NAMES, KINDS, type KindName } from '../kinds/index.ts'
import { type Change, remove } from '../log/change.ts'
import { appliedKey } from '../model/objects.ts'
import type { View } from './view.ts'

/** Kinds of the schema: of facts nothing is remembered, because they may be millions. */
const REMEMBERING: ReadonlySet<KindName> = new Set(KIND_NAMES.filter((kind) => KINDS[kind].inFiles?.isFact === false))

/** The changes, and the deletes of what the deleted objects remember. `view` is the state before them. */
export function withApplied(view: View, changes: readonly Change[]): readonly Change[] {
  const gone = changes.filter(({ op, kind }) => op === 'delete' && REMEMBERING.has(kind))
  if (gone.length === 0 || view.count('applied_object') === 0) return changes
  const written = new Set(changes.filter(({ kind }) => kind === 'applied_object').map(({ key }) => key))
  const more = gone
    .map(({ kind, key }) => appliedKey(kind, key))
    .filter((key) => !written.has(key) && view.get('applied_object', key) !== undefined)
  return more.length === 0 ? changes : [...changes, ...more.map((key) => remove('applied_object', key))]
}
