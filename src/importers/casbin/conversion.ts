// The policy and the facts that roles and links result in. Where objects are compared by name alone, each is a resource
// type, and roles have permissions on it. Where they are compared by a beginning or a group, or not at all, they are
// instances of one type, and each range is a resource set with conditions on `resource.key`.

import { DEFAULT_TENANT } from '../../model/keys.ts'
import type { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Fact } from '../frame/importer.ts'
import { encodeKey, encodePrefix } from '../frame/keys.ts'
import type { Grant } from './grants.ts'
import type { Range } from './ranges.ts'
import type { Roles, RoleThere } from './roles.ts'

/** The type of all objects where they are instances. */
const OBJECT_TYPE = 'object'
/** The type that is asked about where requests have no object. */
const APPLICATION_TYPE = 'application'

/** How objects are kept. */
export type Shape = 'types' | 'instances' | 'application'

export interface Conversion {
  readonly policy: { readonly zerohop: 2; readonly [section: string]: unknown }
  readonly facts: readonly Fact[]
}

/** What a range of objects cannot be here; undefined when it can. */
export function refuseRange(object: Range, subject: Grant['subject'], shape: Shape): string | undefined {
  if (object.kind === 'prefix' && encodePrefix(object.prefix) === undefined)
    return 'what follows a last `-` decides how it is written in a key, so no beginning of keys says the same'
  if (object.kind !== 'any' && shape === 'instances' && subject.kind === 'anyone')
    return 'what everyone may do cannot be for some objects alone'
  return undefined
}

export interface ToConvert {
  readonly shape: Shape
  readonly roles: Roles
  readonly keys: ClaimedKeys
  /** undefined: requests have no domains */
  readonly domains: readonly string[] | undefined
  readonly users: readonly string[]
  /** roles are users, too */
  readonly rolesAsUsers: boolean
}

export function convert(source: ToConvert): Conversion {
  const types = new Map<string, Set<string>>()
  const sets = new ResourceSets(source.keys)
  const roles = new Map<
    string,
    { name: string | undefined; isForEveryone: boolean; permissions: Set<string>; parents: Set<string> }
  >()
  const rules = new Map<string, object>()
  const permit = (type: string, action: string): string => {
    const [key, actionKey] = [encodeKey(type), encodeKey(action)]
    const actions = types.get(type) ?? new Set()
    types.set(type, actions.add(action))
    return `${key}:${actionKey}`
  }
  for (const role of source.roles.all) {
    const made = roles.get(role.key) ?? {
      ...{ name: role.name, isForEveryone: role.name === undefined },
      ...{ permissions: new Set<string>(), parents: new Set<string>() },
    }
    roles.set(role.key, made)
    for (const parent of role.parents) {
      const key = source.roles.find(parent, role.domain)?.key
      if (key !== undefined) made.parents.add(key)
    }
    for (const { object, actions } of role.grants)
      for (const action of actions) {
        if (object.kind === 'any')
          made.permissions.add(permit(source.shape === 'application' ? APPLICATION_TYPE : OBJECT_TYPE, action))
        else if (source.shape === 'types')
          for (const name of object.kind === 'names' ? object.names : []) made.permissions.add(permit(name, action))
        else
          addRules(
            rules,
            source.roles.listHolders(role),
            permit(OBJECT_TYPE, action),
            sets.require(object, role.domain),
          )
      }
  }
  const policy = {
    zerohop: 2 as const,
    ...section(
      'resources',
      [...types].map(([type, actions]) => ({
        ...named(type),
        actions: Object.fromEntries([...actions].sort().map((action) => [encodeKey(action), formatName(action)])),
      })),
    ),
    ...section(
      'roles',
      [...roles].map(([key, role]) => ({
        key,
        ...(role.name === undefined || role.name === key ? {} : { name: role.name.slice(0, 256) }),
        ...section('permissions', [...role.permissions].sort()),
        ...section('extends', [...role.parents].sort()),
        ...(role.isForEveryone ? { everybody: true } : {}),
      })),
    ),
    ...section('condition_sets', sets.all),
    ...section('set_rules', [...rules.values()]),
  }
  return { policy, facts: [...listFacts(source)] }
}

function addRules(rules: Map<string, object>, holders: readonly RoleThere[], permission: string, set: string): void {
  for (const { key } of holders)
    rules.set(JSON.stringify([key, permission, set]), {
      user_set: key,
      permission,
      resource_set: set,
      is_role: true,
      is_resource_set: true,
    })
}

/** Resource sets, each once. */
class ResourceSets {
  readonly #byRange = new Map<string, { readonly key: string; readonly set: object }>()

  constructor(readonly keys: ClaimedKeys) {}

  get all(): readonly object[] {
    return [...this.#byRange.values()].map(({ set }) => set)
  }

  /** The key of the set of these objects. */
  require(range: Exclude<Range, { kind: 'any' }>, domain: string | undefined): string {
    const conditions = toConditions(range)
    const owner = JSON.stringify([range.label, conditions])
    const known = this.#byRange.get(owner)
    if (known !== undefined) return known.key
    const plain = encodeKey(range.label)
    const isTaken = this.keys.isClaimed('condition set', plain)
    const key = isTaken && domain !== undefined ? `${plain}_${encodeKey(domain)}` : plain
    this.keys.claim('condition set', key, `the objects of \`${range.label}\`${isTaken ? ` in \`${domain}\`` : ''}`)
    const set = { ...named(range.label), key, type: 'resourceset', resource: OBJECT_TYPE, conditions }
    this.#byRange.set(owner, { key, set })
    return key
  }
}

function toConditions(range: Exclude<Range, { kind: 'any' }>): object {
  if (range.kind === 'prefix') return { 'resource.key': { 'starts-with': encodePrefix(range.prefix) ?? '' } }
  const [first, ...more] = range.names.map((name) => encodeKey(name))
  return { 'resource.key': more.length === 0 ? { equals: first } : { in: [first, ...more] } }
}

function* listFacts({ roles, domains, users, rolesAsUsers }: ToConvert): Iterable<Fact> {
  for (const domain of domains ?? []) if (domain !== DEFAULT_TENANT) yield { kind: 'tenant', fact: named(domain) }
  const asked = rolesAsUsers ? [...users, ...roles.all.flatMap(({ name }) => name ?? [])] : users
  for (const user of new Set(asked)) yield { kind: 'user', fact: { key: encodeKey(user, 'user') } }
  for (const role of roles.all) {
    const tenant = toTenant(role.domain)
    const fact = (user: string): Fact => ({ kind: 'role_assignment', fact: { user, role: role.key, tenant } })
    if (role.name === undefined) yield fact('*')
    else if (rolesAsUsers || !roles.isRole(role.name)) yield fact(encodeKey(role.name, 'user'))
    if (role.name === undefined || !roles.isRole(role.name)) continue
    for (const { from } of roles.links.listTo(role.name, role.domain))
      if (!roles.isRole(from)) yield fact(encodeKey(from, 'user'))
  }
}

export const toTenant = (domain: string | undefined): string =>
  domain === undefined ? DEFAULT_TENANT : encodeKey(domain)

/** What a PDP is asked about. */
export function toResource(object: string, tenant: string, shape: Shape) {
  if (shape === 'application') return { type: APPLICATION_TYPE, tenant }
  return shape === 'types' ? { type: encodeKey(object), tenant } : { type: OBJECT_TYPE, key: encodeKey(object), tenant }
}

/** The same in JavaScript, over `object` and `tenant`. */
export const RESOURCE_IN_HELPER: { readonly [S in Shape]: string } = {
  application: `{ type: '${APPLICATION_TYPE}', tenant }`,
  types: '{ type: key(object), tenant }',
  instances: `{ type: '${OBJECT_TYPE}', key: key(object), tenant }`,
}

const formatName = (name: string) => (encodeKey(name) === name ? {} : { name: name.slice(0, 256) })
const named = (name: string) => ({ key: encodeKey(name), ...formatName(name) })
const section = (name: string, list: readonly unknown[]) => (list.length === 0 ? {} : { [name]: list })
