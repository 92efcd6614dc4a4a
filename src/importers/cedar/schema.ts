// A schema of Cedar as its own package reads it: which types principals and resources have, which actions there are, and
// what is in an attribute.
import type { Cedar, CedarError } from './package.ts'

export interface Uid {
  readonly type: string
  readonly id: string
}

export type CedarType =
  | { readonly kind: 'String' | 'Long' | 'Boolean' }
  | { readonly kind: 'Entity'; readonly name: string }
  | { readonly kind: 'Set'; readonly of: CedarType }
  | { readonly kind: 'Record'; readonly members: ReadonlyMap<string, Member> }
  /** what no value here is: dates, addresses, decimals */
  | { readonly kind: 'Extension'; readonly name: string }

export interface Member {
  readonly type: CedarType
  readonly isRequired: boolean
}
export type Members = ReadonlyMap<string, Member>

export interface CedarAction {
  readonly uid: Uid
  readonly principals: readonly string[]
  readonly resources: readonly string[]
  readonly context: Members
  /** all groups that it is in, itself among them, as `type::id` */
  readonly within: ReadonlySet<string>
}

export interface CedarSchema {
  readonly actions: readonly CedarAction[]
  readonly entities: ReadonlyMap<string, Members>
  readonly principals: readonly string[]
  readonly resources: readonly string[]
}

interface Json {
  readonly [name: string]: unknown
}
interface Namespace {
  readonly entityTypes?: Readonly<Record<string, { readonly shape?: Json }>>
  readonly commonTypes?: Readonly<Record<string, Json>>
  readonly actions?: Readonly<Record<string, ActionJson>>
}
interface ActionJson {
  readonly appliesTo?: {
    readonly principalTypes?: string[]
    readonly resourceTypes?: string[]
    readonly context?: Json
  }
  readonly memberOf?: readonly { readonly id: string; readonly type?: string }[]
}

export const formatUid = ({ type, id }: Uid): string => `${type}::${JSON.stringify(id)}`

const NO_SCHEMA: CedarError = { message: 'it is not a schema' }

/** Levels of records and common types inside of each other. */
const DEPTH_MAX = 16

/** The schema, or what Cedar says is wrong with it. */
export function readSchema(cedar: Cedar, text: string, isJson: boolean): CedarSchema | CedarError {
  let source = text
  if (isJson) {
    const made = cedar.schemaToText(JSON.parse(text))
    if (made.type === 'failure') return made.errors[0] ?? NO_SCHEMA
    source = made.text
  }
  const resolved = cedar.schemaToJsonWithResolvedTypes(source)
  if (resolved.type === 'failure') return resolved.errors[0] ?? NO_SCHEMA
  const namespaces = Object.entries(resolved.json as Readonly<Record<string, Namespace>>)
  const common = new Map<string, Json>()
  for (const [space, { commonTypes = {} }] of namespaces)
    for (const [name, type] of Object.entries(commonTypes)) common.set(qualify(space, name), type)
  const types = new Types(common)
  const entities = new Map<string, Members>()
  for (const [space, { entityTypes = {} }] of namespaces)
    for (const [name, { shape }] of Object.entries(entityTypes))
      entities.set(qualify(space, name), types.readMembers(shape, space))
  const parents = new Map<string, readonly string[]>()
  const found: Omit<CedarAction, 'within'>[] = []
  for (const [space, { actions = {} }] of namespaces)
    for (const [id, { appliesTo = {}, memberOf }] of Object.entries(actions)) {
      const uid = { type: qualify(space, 'Action'), id }
      parents.set(
        formatUid(uid),
        (memberOf ?? []).map((group) => formatUid({ type: group.type ?? uid.type, id: group.id })),
      )
      const [principals = [], resources = []] = [appliesTo.principalTypes, appliesTo.resourceTypes]
      found.push({ uid, principals, resources, context: types.readMembers(appliesTo.context, space) })
    }
  const actions = found.map(
    (action): CedarAction => ({ ...action, within: findWithin(formatUid(action.uid), parents) }),
  )
  return {
    ...{ actions, entities },
    principals: [...new Set(actions.flatMap((action) => action.principals))],
    resources: [...new Set(actions.flatMap((action) => action.resources))],
  }
}

const qualify = (space: string, name: string): string => (space === '' ? name : `${space}::${name}`)

function findWithin(name: string, parents: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([name])
  for (const each of found) for (const parent of parents.get(each) ?? []) found.add(parent)
  return found
}

class Types {
  constructor(readonly common: ReadonlyMap<string, Json>) {}

  readMembers(shape: Json | undefined, space: string, depth = 0): Members {
    const type = shape === undefined ? undefined : this.#read(shape, space, depth)
    return type?.kind === 'Record' ? type.members : new Map()
  }

  #read(json: Json, space: string, depth: number): CedarType {
    const { type } = json
    const unknown: CedarType = { kind: 'Extension', name: String(json.name ?? type) }
    if (depth > DEPTH_MAX) return unknown
    if (type === 'String' || type === 'Long') return { kind: type }
    if (type === 'Boolean' || type === 'Bool') return { kind: 'Boolean' }
    if (type === 'Entity') return { kind: 'Entity', name: String(json.name) }
    if (type === 'Set') return { kind: 'Set', of: this.#read(json.element as Json, space, depth + 1) }
    if (type === 'Record') {
      const members = new Map<string, Member>()
      for (const [name, member] of Object.entries((json.attributes ?? {}) as Readonly<Record<string, Json>>))
        members.set(name, { type: this.#read(member, space, depth + 1), isRequired: member.required !== false })
      return { kind: 'Record', members }
    }
    const name = type === 'EntityOrCommon' || type === 'CommonType' ? String(json.name) : String(type)
    if (/^(?:__cedar::)?(?:String|Long|Bool|Boolean)$/.test(name))
      return this.#read({ type: name.replace('__cedar::', '') }, space, depth + 1)
    const common = this.common.get(name) ?? this.common.get(qualify(space, name))
    return common === undefined ? unknown : this.#read(common, space, depth + 1)
  }
}
