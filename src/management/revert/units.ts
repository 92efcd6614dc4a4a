// The units of a revert: objects in the words of the policy file, as they were before a revision, as it left them, and
// as they are now. A unit is undone only when it is as the revision left it, apart from times; nothing is done about
// one that is what it was before already.

import { isDeepStrictEqual } from 'node:util'
import type { KindName, Objects } from '../../kinds/index.ts'
import type { Action, Resource } from '../../kinds/resource.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Stored } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { View } from '../../store/view.ts'
import { type FileFields, type FileObject, fileObjects, partName } from '../differences/file-words.ts'
import type { Conflict, Lost, Revert, UndoneObject } from '../differences/undone.ts'
import { isOutsideFiles } from '../objects/index.ts'
import { BODY } from '../rules/fields.ts'

/** One object of the file that the revision changed. */
export interface Unit {
  readonly kind: PolicyKind
  readonly key: string
  readonly stored: { readonly kind: KindName; readonly key: string }
  /** before the revision; undefined when it was made by it */
  readonly was: FileFields | undefined
  /** the stored object that it was part of then */
  readonly before: Objects[KindName] | null
}

export interface Undoing {
  /** what is to be done */
  readonly units: readonly Unit[]
  /** objects that no policy file holds, and that the revision made */
  readonly others: readonly UndoneObject[]
  readonly conflicts: readonly Conflict[]
  readonly lost: readonly Lost[]
}

/** @throws INPUT_INVALID when `only` names what the revision did not change */
export function readUndoing(view: View, { revision, objects, only }: Revert): Undoing {
  const sorted = new Sorting(view)
  for (const object of objects) sorted.add(object, only ? new Set(only) : undefined)
  for (const [at, name] of (only ?? []).entries()) {
    if (sorted.seen.has(name)) continue
    const reason = `revision ${revision} did not change \`${name}\`: names are \`kind:key\`, as its changes are shown`
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'only', at] })
  }
  return sorted
}

class Sorting implements Undoing {
  readonly units: Unit[] = []
  readonly others: UndoneObject[] = []
  readonly conflicts: Conflict[] = []
  readonly lost: Lost[] = []
  /** `kind:key` of everything that the revision changed */
  readonly seen = new Set<string>()
  readonly #view: View

  constructor(view: View) {
    this.#view = view
  }

  add(object: UndoneObject, only: ReadonlySet<string> | undefined): void {
    const { kind, key, before, after } = object
    const isWanted = (name: string) => {
      this.seen.add(name)
      return only === undefined || only.has(name)
    }
    if (OF_DIRECTORIES.has(kind)) {
      if (isWanted(`${kind}:${key}`)) this.conflicts.push({ kind, key, reason: 'unsupported', what: BY_DIRECTORY })
      return
    }
    // of these only what a revision made is undone
    if (isOutsideFiles(kind)) {
      if (isWanted(`${kind}:${key}`)) this.#addOther(object)
      return
    }
    const [then, left] = [described(kind, before), described(kind, after)]
    const now = described(kind, this.#view.get(kind, key) ?? null)
    for (const name of new Set([...then.keys(), ...left.keys()])) {
      const { kind: of, key: at } = (then.get(name) ?? left.get(name)) as FileObject
      const [was, is] = [then.get(name), left.get(name)]
      if (isSame(was, is) && isDeepStrictEqual(readV1(was), readV1(is))) continue
      if (!isWanted(`${of}:${at}`)) continue
      const unit: Unit = { kind: of, key: at, stored: { kind, key }, was: was?.fields, before }
      this.#addUnit(unit, { was, is, now: now.get(name) })
    }
  }

  #addUnit(unit: Unit, { was, is, now }: Readonly<Record<'was' | 'is' | 'now', Part | undefined>>): void {
    const { kind, key, stored } = unit
    if (!isDeepStrictEqual(readV1(was), readV1(is))) {
      const what = 'was written by the first API version, whose writes are not reverted'
      this.conflicts.push({ kind, key, reason: 'unsupported', what })
    } else if (isSame(now, is) && now?.object.id === is?.object.id) {
      this.units.push(unit)
      if (was !== undefined && was.object.id !== is?.object.id) this.lost.push({ kind, key, what: NEW_ID })
    } else if (!isSame(now, was)) {
      const what =
        now === undefined ? 'was deleted since' : is === undefined ? 'was made again since' : 'was changed since'
      this.conflicts.push({ kind, key, reason: 'changed', what, stored })
    }
  }

  #addOther(object: UndoneObject): void {
    const { kind, key, before, after } = object
    const now = this.#view.get(kind, key)
    if (before === null && after !== null) {
      if (now?.id === after.id && isDeepStrictEqual(timeless(now), timeless(after))) this.others.push(object)
      else if (now !== undefined)
        this.conflicts.push({ kind, key, reason: 'changed', what: 'was changed since', stored: { kind, key } })
    } else if (kind === 'proxy_config' && after === null) {
      if (now === undefined)
        this.lost.push({ kind, key, what: 'all of it, since its secret is not kept: make it again' })
    } else this.conflicts.push({ kind, key, reason: 'unsupported', what: 'can only be brought back by its own routes' })
  }
}

/** What a directory gave and what rules make of it is one: a part of it that is undone would come again, or be `hand`'s. */
const OF_DIRECTORIES: ReadonlySet<KindName> = new Set<KindName>([
  'directory_user',
  'directory_group',
  'directory_member',
  'group_rule',
])
const BY_DIRECTORY = 'is undone where it was written: in the directory, or by the rule for its groups'

const NEW_ID = 'its id and when it was made'

/** An object of the file with what is stored of it. */
interface Part extends FileObject {
  readonly object: Stored
}

function described(kind: KindName, object: Objects[KindName] | null): Map<string, Part> {
  if (object === null) return new Map()
  const inside = new Map<string, Stored>()
  if (kind === 'resource' || kind === 'built_in') {
    const { actions, attributes } = object as Resource
    for (const action of actions) inside.set(partName('action', action.key), action)
    for (const attribute of attributes) inside.set(partName('attribute', attribute.key), attribute)
  }
  const parts = fileObjects(kind, object)
  return new Map(parts.map((one) => [`${one.kind} ${one.key}`, { ...one, object: inside.get(one.part) ?? object }]))
}

const isSame = (left: FileObject | undefined, right: FileObject | undefined): boolean =>
  isDeepStrictEqual(left?.fields, right?.fields)

const readV1 = (part: Part | undefined): unknown => (part?.object as Partial<Action> | undefined)?.v1

const timeless = (object: Stored): object => ({ ...object, created_at: 0, updated_at: 0 })
