// What a revert brings back, as a policy: objects that are made again or changed back, as they were. Of a resource type
// of which only parts come back, the policy says what it is now; what a policy leaves out stays.

import type { Objects } from '../../kinds/index.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { type FileFields, fileObjects } from '../differences/file-words.ts'
import { exactRule } from '../objects/set-rules.ts'
import { connectionInFile } from '../policy-file/fields-in-files.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { IN_FILES, isConnectingFact, isPart } from '../rules/kinds-in-files.ts'
import type { PolicyFile } from '../schemas/policy-file.ts'
import type { Unit } from './units.ts'

type Fields = Record<string, unknown>
type Block = Record<string, Fields>

export interface ReturningPolicy {
  readonly policy: PolicyFile
  /** the unit that an error is about, by its path */
  unitAt(path: Path | undefined): Unit | undefined
}

/** @param units those that were something before the revision */
export function makePolicy(view: View, units: readonly Unit[]): ReturningPolicy {
  const writing = new Writing(view)
  for (const unit of units) writing.add(unit)
  // its members are those of the form, field by field
  return { policy: { zerohop: 2, ...writing.lists } as PolicyFile, unitAt: (path) => writing.unitAt(path) }
}

class Writing {
  readonly lists: Record<string, Fields[] | Block> = {}
  readonly #view: View
  readonly #units = new Map<string, Unit>()
  /** places of resource types in their list */
  readonly #resources = new Map<string, number>()

  constructor(view: View) {
    this.#view = view
  }

  add(unit: Unit): void {
    const { kind, key, was = {} } = unit
    const { section } = IN_FILES[kind]
    if (kind === 'user_attribute' || kind === 'tenant_attribute') {
      const block = (this.lists[section] ?? blank()) as Block
      block[key] = { ...was }
      this.lists[section] = block
      this.#place(unit, [section, key])
    } else if (kind === 'resource') this.#place(unit, [section, this.#resource(key, was)])
    else if (isPart(kind)) this.#addPart(unit, section)
    else this.#place(unit, [section, this.#push(section, makeFields(unit))])
  }

  /** The unit with the longest path that leads to the error. */
  unitAt(path: Path | undefined): Unit | undefined {
    const inside = (path ?? []).slice(BODY.length)
    for (let length = inside.length; length > 0; length--) {
      const unit = this.#units.get(JSON.stringify(inside.slice(0, length)))
      if (unit !== undefined) return unit
    }
    return undefined
  }

  #addPart(unit: Unit, name: string): void {
    const slash = unit.key.indexOf('/')
    const at = this.#resource(unit.key.slice(0, slash), undefined)
    const part = unit.key.slice(slash + 1)
    const resource = (this.lists.resources as Fields[])[at] as Fields
    const parts = (resource[name] ?? blank()) as Block
    parts[part] = inStoredOrder(unit)
    resource[name] = parts
    this.#place(unit, ['resources', at, name, part])
  }

  /** The place of the resource type in the list; `fields` are what it shall be, by default what it is. */
  #resource(key: string, fields: FileFields | undefined): number {
    const known = this.#resources.get(key)
    if (known !== undefined) {
      if (fields !== undefined)
        Object.assign((this.lists.resources as Fields[])[known] as Fields, { ...UNSAID, ...fields })
      return known
    }
    const stored = this.#view.get('resource', key)
    const now = stored && fileObjects('resource', stored).find(({ part }) => part === '')?.fields
    const at = this.#push('resources', { ...UNSAID, ...(fields ?? now), key })
    this.#resources.set(key, at)
    return at
  }

  #push(list: string, fields: Fields): number {
    this.lists[list] ??= []
    return (this.lists[list] as Fields[]).push(fields) - 1
  }

  #place(unit: Unit, path: Path): void {
    this.#units.set(JSON.stringify(path), unit)
  }
}

const UNSAID = { name: null, description: null, urn: null, type_attributes: null }

/** `__proto__` is a key like any other, so the map has no prototype. */
const blank = (): Block => Object.create(null)

/** The object as a list of the policy has it. What only connects others has what it connects instead of a key. */
function makeFields(unit: Unit): Fields {
  const { kind, key, before, was } = unit
  if (isConnectingFact(kind)) return { ...connectionInFile(kind, before as Objects[typeof kind]) }
  switch (kind) {
    case 'set_rule':
      return { ...exactRule(before as Objects['set_rule']) }
    case 'resource_instance': {
      const { resource, instance } = before as Objects['resource_instance']
      return { ...was, resource, key: instance }
    }
    case 'user':
      // what a file leaves out of a suspension stays (D16)
      return { ...inStoredOrder(unit), suspension: wholeSuspension(was?.suspension), key }
    default:
      return { ...inStoredOrder(unit), key }
  }
}

const wholeSuspension = (was: Json | undefined): Json =>
  was === undefined ? null : { valid_from: null, valid_until: null, ...(was as JsonObject) }

/** Lists that have no order come back in the one that they were written in. */
function inStoredOrder({ kind, was, before }: Unit): Fields {
  const fields: Fields = { ...was }
  if (kind === 'action') return fields
  const stored = before as unknown as Readonly<Record<string, Json>>
  for (const name of ['permissions', 'extends', 'actions']) if (name in fields) fields[name] = stored[name]
  if (kind === 'resource_role') fields.bare_permissions = stored.bare_permissions === true
  return fields
}
