// The policy that rules result in. The last rule that fits decides in CASL, so a rule that allows holds where none after
// it takes away: its conditions, and not those of each later `cannot`. What needs no conditions is a permission of the
// role; everything else is a set rule of the role with a resource set.
import { ZerohopError } from '../../model/errors.ts'
import { IMPORTED_GRANTS_MAX, IMPORTED_PAIRS_MAX } from '../../model/limits.ts'
import { type Bounds, isFalse, isTrue, joinAll, type Node, not, type Remark, TRUE } from '../frame/bounds.ts'
import { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Finding } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { readConditions } from './conditions.ts'
import { Reads } from './reads.ts'
import type { CaslRule, RoleRules } from './rule-files.ts'

/** The type of what is asked where rules name no subjects. */
export const APPLICATION_TYPE = 'application'
const ANY_ACTION = 'manage'
const ANY_SUBJECT = 'all'

export interface ReadRule {
  readonly rule: CaslRule
  readonly bounds: Bounds
  readonly reads: Reads
}

export interface ReadRole {
  readonly role: string
  readonly key: string
  readonly rules: readonly ReadRule[]
}

export interface Names {
  /** undefined: the rules name none, so nothing but actions is asked about */
  readonly subjects: readonly string[] | undefined
  readonly actions: readonly string[]
}

export interface ConversionOptions {
  readonly isPlain: boolean
  readonly closedNames: boolean
  readonly userKey: string | undefined
}

export interface Converted {
  readonly policy: { readonly zerohop: 2; readonly [section: string]: unknown }
  readonly findings: readonly Finding[]
  readonly roles: readonly ReadRole[]
  readonly names: Names
}

export function convertRules(files: readonly RoleRules[], options: ConversionOptions): Converted {
  const keys = new ClaimedKeys()
  const { isPlain, userKey } = options
  const mixed = findMixed(files, options)
  const roles = files.map(({ role, rules }): ReadRole => {
    const read = rules.map((rule) => {
      const reads = new Reads()
      return { rule, reads, bounds: readConditions(rule.conditions ?? {}, { isPlain, userKey, reads, mixed }) }
    })
    return { role, key: keys.claim('role', encodeKey(role), `the role \`${role}\``), rules: read }
  })
  const names = listNames(files)
  const conversion = new Conversion(names, options, keys)
  for (const role of roles) conversion.addRole(role, roles.length > 1)
  return { policy: conversion.toPolicy(), findings: conversion.findings, roles, names }
}

/** Attributes that rules compare with values of several types, or by order and with null, which has no place in it. */
function findMixed(files: readonly RoleRules[], { userKey }: ConversionOptions): ReadonlySet<string> {
  const reads = new Reads()
  for (const { rules } of files)
    for (const { conditions = {} } of rules)
      readConditions(conditions, { isPlain: true, userKey, reads, mixed: new Set() })
  const isMixed = (path: string, types: ReadonlySet<string>): boolean =>
    types.has('none') && reads.attributes.get(path)?.isOrdered === true
      ? true
      : types.size > (types.has('none') ? 2 : 1)
  return new Set([...reads.types].filter(([path, types]) => isMixed(path, types)).map(([path]) => path))
}

/** Names that stand in the rules of any role. */
function listNames(files: readonly RoleRules[]): Names {
  const rules = files.flatMap((file) => file.rules)
  const subjects = new Set(rules.flatMap((rule) => rule.subjects ?? []))
  subjects.delete(ANY_SUBJECT)
  const hasSubjects = rules.some((rule) => rule.subjects !== undefined)
  return {
    subjects: hasSubjects ? [...subjects] : undefined,
    actions: [...new Set(rules.flatMap((rule) => rule.actions))],
  }
}

/** Whether a rule is about an action on a subject. */
export const isAbout = (rule: CaslRule, action: string, subject: string | undefined): boolean =>
  (rule.actions.includes(action) || rule.actions.includes(ANY_ACTION)) &&
  (rule.subjects === undefined || rule.subjects.includes(ANY_SUBJECT) || rule.subjects.includes(subject ?? ''))

const isOpen = ({ actions, subjects }: CaslRule, hasSubjects: boolean): readonly string[] => [
  ...(actions.includes(ANY_ACTION) ? ['actions'] : []),
  ...(hasSubjects && (subjects?.includes(ANY_SUBJECT) ?? true) ? ['subjects'] : []),
]

class Conversion {
  readonly findings: Finding[] = []
  readonly #types = new Map<string, { readonly actions: Set<string>; readonly attributes: Set<string> }>()
  readonly #roles: object[] = []
  readonly #sets = new Map<string, { readonly key: string; readonly set: object }>()
  readonly #rules = new Map<string, object>()
  readonly #found = new Set<string>()
  #pairs = 0

  constructor(
    readonly names: Names,
    readonly options: ConversionOptions,
    readonly keys: ClaimedKeys,
  ) {
    for (const type of names.subjects ?? []) this.#type(type)
  }

  addRole(role: ReadRole, isOneOfSeveral: boolean): void {
    const permissions = new Set<string>()
    const ruled: (readonly [permission: string, rule: object])[] = []
    for (const [at, { rule }] of role.rules.entries()) {
      this.#noteRule(rule, isOneOfSeveral && at > 0)
      for (const subject of this.names.subjects ?? [undefined])
        for (const action of this.names.actions) {
          if (!isAbout(rule, action, subject)) continue
          this.#type(subject ?? APPLICATION_TYPE).actions.add(action)
          if (rule.inverted || rule.hasFields) continue
          const node = this.#readNode(role, at, action, subject)
          if (isFalse(node)) continue
          const type = subject ?? APPLICATION_TYPE
          const permission = `${encodeKey(type)}:${encodeKey(action)}`
          if (isTrue(node)) permissions.add(permission)
          else ruled.push([permission, this.#toRule(role, at, permission, type, node)])
        }
    }
    // what a role may do anyway needs no conditions
    for (const [permission, rule] of ruled)
      if (!permissions.has(permission)) this.#rules.set(JSON.stringify(rule), rule)
    if (permissions.size + this.#rules.size > IMPORTED_GRANTS_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'what the rules give', limit: IMPORTED_GRANTS_MAX })
    this.#roles.push({
      ...named(role.role),
      ...section('permissions', [...permissions].sort()),
    })
  }

  toPolicy(): Converted['policy'] {
    const rules = [...this.#rules.values()] as readonly { readonly resource_set: string }[]
    const used = new Set(rules.map((rule) => rule.resource_set))
    const sets = [...this.#sets.values()].filter(({ key }) => used.has(key))
    return {
      zerohop: 2,
      ...section(
        'resources',
        [...this.#types].map(([type, { actions, attributes }]) => ({
          ...named(type),
          actions: Object.fromEntries([...actions].sort().map((action) => [encodeKey(action), named(action, false)])),
          ...(attributes.size === 0
            ? {}
            : { attributes: Object.fromEntries([...attributes].sort().map((name) => [name, { type: 'json' }])) }),
        })),
      ),
      ...section('roles', this.#roles),
      ...section(
        'condition_sets',
        sets.map(({ set }) => set),
      ),
      ...section('set_rules', rules),
    }
  }

  /** The conditions under which the rule allows, without what later rules take away. */
  #readNode({ rules }: ReadRole, at: number, action: string, subject: string | undefined): Node {
    const one = rules[at]
    if (one === undefined) return TRUE
    const parts = [one.bounds.under]
    this.#remark(one.rule, one.bounds.narrow)
    for (const later of rules.slice(at + 1)) {
      if (++this.#pairs > IMPORTED_PAIRS_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', { what: 'rules to compare', limit: IMPORTED_PAIRS_MAX })
      if (!later.rule.inverted || !isAbout(later.rule, action, subject)) continue
      if (!later.rule.hasFields) this.#remark(later.rule, later.bounds.wide)
      parts.push(not(later.bounds.over))
    }
    return joinAll(parts)
  }

  #toRule(role: ReadRole, at: number, permission: string, type: string, conditions: Node): object {
    const owner = JSON.stringify([type, conditions])
    const known = this.#sets.get(owner)
    const base = `${encodeKey(type)}_${role.key}_${at + 1}`
    let key = known?.key ?? base
    for (let more = 2; known === undefined && this.keys.isClaimed('condition set', key); more++) key = `${base}_${more}`
    if (known === undefined) {
      this.keys.claim('condition set', key, owner)
      this.#sets.set(owner, { key, set: { key, type: 'resourceset', resource: encodeKey(type), conditions } })
      for (const name of listAttributes(conditions)) this.#type(type).attributes.add(name)
    }
    return { user_set: role.key, permission, resource_set: key, is_role: true, is_resource_set: true }
  }

  #type(name: string) {
    const made = this.#types.get(name) ?? { actions: new Set<string>(), attributes: new Set<string>() }
    this.#types.set(name, made)
    return made
  }

  #noteRule(rule: CaslRule, mayTakeAway: boolean): void {
    if (rule.hasFields)
      this.#find(rule, 'unsaid', {
        reason: rule.inverted
          ? 'permissions have no fields: the whole action is taken away, and not these fields alone'
          : 'permissions have no fields, and the whole action would be more',
        nearest: 'an action of its own for these fields, such as `update-title`',
      })
    if (rule.inverted && mayTakeAway)
      this.#find(rule, 'note', {
        reason: 'it takes away from its own role alone: who also has another role keeps what that gives',
        nearest: 'check what your application does with the rules of several roles',
      })
    if (rule.inverted) return
    for (const which of isOpen(rule, this.names.subjects !== undefined)) {
      // of no names at all nothing is left
      const isClosed = this.options.closedNames && (which === 'actions' || this.names.subjects?.length !== 0)
      this.#find(rule, isClosed ? 'note' : 'unsaid', {
        reason: isClosed
          ? `${which} that no rule names are taken never to be asked about`
          : `CASL also allows ${which} that no rule names`,
        nearest: '--closed-names says that only names that stand in rules are asked about',
      })
    }
  }

  #remark(rule: CaslRule, remarks: readonly Remark[]): void {
    for (const remark of remarks) this.#find(rule, 'unsaid', remark)
  }

  #find({ place, what }: CaslRule, kind: Finding['kind'], { reason, nearest }: Remark): void {
    const finding: Finding = { kind, file: place.file, line: place.line, what, reason, nearest }
    const key = JSON.stringify(finding)
    if (!this.#found.has(key)) this.findings.push(finding)
    this.#found.add(key)
  }
}

/** First members of the paths of `resource` that conditions read. */
function listAttributes(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(listAttributes)
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name.startsWith('resource.') ? [name.split('.')[1] ?? ''] : []),
    ...listAttributes(value),
  ])
}

function named(name: string, withKey = true): object {
  const key = encodeKey(name)
  return { ...(withKey ? { key } : {}), ...(key === name ? {} : { name: name.slice(0, 256) }) }
}
const section = (name: string, list: readonly unknown[]) => (list.length === 0 ? {} : { [name]: list })
