// What differs between two environments that are both at hand, as a plan says it: from the one to the other.

import { isDeepStrictEqual } from 'node:util'
import { Image } from '../../image/image.ts'
import type { KindName, Objects } from '../../kinds/index.ts'
import { KIND_NAMES } from '../../kinds/index.ts'
import { type Change, put, remove } from '../../log/change.ts'
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import type { View } from '../../store/view.ts'
import { type Entry, inOrder, listEntries } from '../differences/entries.ts'
import { policyOf } from '../snapshot/snapshot.ts'
import { diffAccess, NO_ACCESS_CHANGE } from './access.ts'

/** The objects of the file that differ. Reads both views as a whole: for a command, never for a server's event loop. */
export function compareViews(before: View, after: View): Entry[] {
  const changes: Change[] = []
  for (const kind of KIND_NAMES) {
    for (const object of after.list(kind)) changes.push(put(kind, object as Objects[KindName]))
    for (const { key } of before.list(kind)) if (after.get(kind, key) === undefined) changes.push(remove(kind, key))
  }
  return inOrder(changes.flatMap((change) => listEntries(before, change)))
}

/** The image of a view. */
export const buildImage = (view: View): Image =>
  Image.build(view.log, { revision: 1, chain: '0'.repeat(64) }, policyOf(view))

/** What the policy and the facts of the other image do to access. @param now milliseconds since 1970 */
export function compareImages(before: Image, after: Image, now: number): AccessDiff {
  const then = mapContents(before)
  const is = mapContents(after)
  const changes: PolicyChange[] = []
  for (const [name, change] of is) if (!isDeepStrictEqual(then.get(name), change)) changes.push(change)
  for (const [name, { kind, key }] of then) if (!is.has(name)) changes.push({ op: 'delete', kind, key })
  return changes.length === 0 ? NO_ACCESS_CHANGE : diffAccess(before, changes, { now })
}

const mapContents = (image: Image): Map<string, PolicyChange> =>
  new Map(Array.from(image.contents(), (change) => [`${change.kind} ${change.key}`, change]))
