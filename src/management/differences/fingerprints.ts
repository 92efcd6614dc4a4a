// Fingerprints of objects: of their fields in the words of the file. A plan carries those of the objects that it
// touches, so that `apply` can tell whether one of them changed; and each object of the schema remembers the one that
// was last applied from a file, so that a plan can tell what was changed elsewhere.

import { createHash } from 'node:crypto'
import type { AppliedObject } from '../../kinds/applied-object.ts'
import type { KindName, Objects } from '../../kinds/index.ts'
import { type Change, put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { appliedKey, type Json } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import { compareText } from '../../model/text-order.ts'
import type { Mint, View } from '../../store/view.ts'
import { IN_FILES } from '../rules/kinds-in-files.ts'
import { type FileFields, fileObjects, partName } from './file-words.ts'
import type { NamedObjects } from './managed.ts'

const CHARACTERS = 22

/** Equal for equal fields, whatever the order of their members. */
export function fingerprint(fields: FileFields): string {
  return createHash('sha256').update(canonical(fields)).digest('base64url').slice(0, CHARACTERS)
}

function canonical(json: Json): string {
  if (json === null || typeof json !== 'object') return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(canonical).join(',')}]`
  const members = Object.entries(json).toSorted(([left], [right]) => compareText(left, right))
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(',')}}`
}

/** Which stored object holds an object of the file, and what it is called in there. */
export interface Place {
  readonly kind: KindName
  readonly key: string
  readonly part: string
}

/** Undefined for facts, which remember nothing: they may be millions. */
export function findPlace(kind: PolicyKind, key: string): Place | undefined {
  const slash = key.indexOf('/')
  switch (kind) {
    case 'user_attribute':
      return { kind: 'built_in', key: USER_TYPE, part: partName('attribute', key) }
    case 'tenant_attribute':
      return { kind: 'built_in', key: TENANT_TYPE, part: partName('attribute', key) }
    case 'action':
    case 'attribute':
      return { kind: 'resource', key: key.slice(0, slash), part: partName(kind, key.slice(slash + 1)) }
    default:
      return IN_FILES[kind].isFact ? undefined : { kind, key, part: '' }
  }
}

/** The fingerprint of an object of the file as the view has it; null when it does not exist. */
export function fingerprintAt(view: View, kind: PolicyKind, key: string): string | null {
  const { kind: stored, key: at, part } = findPlace(kind, key) ?? { kind: kind as KindName, key, part: '' }
  const object = view.get(stored, at)
  return (object && listFingerprints(stored, object).get(part)) ?? null
}

/** The fingerprints of a stored object and its parts, by the names of the parts. */
export function listFingerprints<K extends KindName>(kind: K, object: Objects[K]): Map<string, string> {
  return new Map(fileObjects(kind, object).map(({ part, fields }) => [part, fingerprint(fields)]))
}

/**
 * The changes after which every object of the schema that the file names remembers that it was applied as it stands in
 * `view`, by whom and in which revision.
 */
export function remember(view: View, named: NamedObjects, by: string | null, mint: Mint): Change[] {
  const places = new Map<string, { readonly kind: KindName; readonly key: string; readonly parts: Set<string> }>()
  for (const [kind, key] of named) {
    const place = findPlace(kind, key)
    if (place === undefined) continue
    const name = appliedKey(place.kind, place.key)
    const found = places.get(name) ?? { kind: place.kind, key: place.key, parts: new Set() }
    found.parts.add(place.part)
    places.set(name, found)
  }
  const changes: Change[] = []
  for (const [name, { kind, key, parts }] of places) {
    const object = view.get(kind, key)
    if (object === undefined) continue
    const applied = written(view, name, { now: listFingerprints(kind, object), parts }, by, mint)
    if (applied !== undefined) changes.push(put('applied_object', applied))
  }
  return changes
}

/** Undefined when it says so already. */
function written(
  view: View,
  key: string,
  { now, parts }: { readonly now: ReadonlyMap<string, string>; readonly parts: ReadonlySet<string> },
  by: string | null,
  mint: Mint,
): AppliedObject | undefined {
  const stored = view.get('applied_object', key)
  const before = new Map(Object.entries(stored?.fingerprints ?? {}))
  const kept = [...now].map(([part, text]) => [part, parts.has(part) ? text : before.get(part)] as const)
  const fingerprints = Object.fromEntries(kept.filter((each): each is [string, string] => each[1] !== undefined))
  if (stored !== undefined && canonical(stored.fingerprints) === canonical(fingerprints)) return undefined
  const stamps = stored ?? { id: mint.id(), key, created_at: mint.now }
  return { ...stamps, updated_at: mint.now, fingerprints, by, revision: view.position.revision + 1 }
}
