// The policy that policies of Cedar result in. A permit for a group is a permission of its role; where it has conditions,
// or a forbid takes something away, a set rule. They are made for each action with each type that the schema allows.
import { ZerohopError } from '../../model/errors.ts'
import { IMPORTED_GRANTS_MAX } from '../../model/limits.ts'
import { FALSE, isFalse, isTrue, joinAll, type Node, not, type Remark, TRUE } from '../frame/bounds.ts'
import type { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Fact, Finding } from '../frame/importer.ts'
import { encodeKey, encodePrefix } from '../frame/keys.ts'
import type { Entities } from './entities.ts'
import {
  both,
  type ContextReads,
  type Expression,
  Expressions,
  negate,
  type Request,
  type Truth,
} from './expressions.ts'
import { type CedarAction, formatUid, type Uid } from './schema.ts'

/** A part of the scope of a policy, as Cedar writes it in JSON. */
interface Constraint {
  readonly op: 'All' | '==' | 'in' | 'is'
  readonly entity?: Uid
  readonly entities?: readonly Uid[]
  readonly entity_type?: string
  readonly in?: { readonly entity: Uid }
}

export interface PolicyJson {
  readonly effect: 'permit' | 'forbid'
  readonly principal: Constraint
  readonly action: Constraint
  readonly resource: Constraint
  readonly conditions: readonly { readonly kind: 'when' | 'unless'; readonly body: Expression }[]
}

export interface CedarPolicy {
  readonly json: PolicyJson
  readonly file: string
  readonly line: number
  readonly what: string
}

const EVERYONE = 'everyone'
const NEAREST = { closed: '--closed-entities says that only principals among the entities are asked about' }

export class Conversion {
  readonly findings: Finding[] = []
  /** what of the context is read, by action */
  readonly reads = new Map<CedarAction, ContextReads>()
  readonly #found = new Set<string>()
  readonly #permissions = new Map<string, Set<string>>()
  readonly #sets = new Map<string, { readonly key: string; readonly set: object }>()
  readonly #attributes = new Map<string, Set<string>>()
  readonly #rules = new Map<string, object>()

  constructor(
    readonly policies: readonly CedarPolicy[],
    readonly entities: Entities,
    readonly keys: ClaimedKeys,
    readonly closedEntities: boolean,
  ) {
    for (const { json } of policies) this.#requireNamed(json.principal)
    for (const action of entities.schema.actions) {
      this.reads.set(action, new Map())
      for (const principal of action.principals)
        for (const resource of action.resources) this.#convertRequest({ action, principal, resource })
    }
  }

  get facts(): readonly Fact[] {
    const everyone = this.#permissions.has(EVERYONE)
    return [
      ...this.entities.listFacts(),
      ...(everyone
        ? [{ kind: 'role_assignment' as const, fact: { user: '*', role: EVERYONE, tenant: 'default' } }]
        : []),
    ]
  }

  toPolicy(): { readonly zerohop: 2; readonly [section: string]: unknown } {
    const { schema } = this.entities
    const listActions = (type: string) =>
      schema.actions.filter(({ resources }) => resources.includes(type)).map(({ uid }) => uid.id)
    const everyone = this.#permissions.get(EVERYONE)
    return {
      zerohop: 2,
      ...section(
        'resources',
        schema.resources.map((type) => ({
          ...named(type),
          actions: Object.fromEntries(
            [...new Set(listActions(type))].sort().map((id) => [encodeKey(id), named(id, false)]),
          ),
          ...this.#declared(type),
        })),
      ),
      ...section('roles', [
        ...this.entities.toRoles(this.#permissions),
        ...(everyone === undefined ? [] : [{ key: EVERYONE, permissions: [...everyone].sort(), everybody: true }]),
      ]),
      ...section(
        'condition_sets',
        [...this.#sets.values()].map(({ set }) => set),
      ),
      ...section('set_rules', [...this.#rules.values()]),
    }
  }

  /** Stored attributes, and what conditions read. */
  #declared(type: string): object {
    const members = [...(this.entities.schema.entities.get(type)?.keys() ?? [])]
    const names = [...(this.#attributes.get(type) ?? [])].filter((name) => members.includes(name))
    if (names.length === 0) return {}
    return { attributes: Object.fromEntries(names.sort().map((name) => [name, { type: 'json' }])) }
  }

  #requireNamed({ op, entity, in: within }: Constraint): void {
    const uid = op === 'is' ? within?.entity : entity
    if (uid === undefined) return
    if (this.entities.isPrincipal(uid)) this.entities.requireUser(uid)
    else this.entities.requireRole(uid)
  }

  #convertRequest(request: Request): void {
    const expressions = new Expressions(request, this.entities, this.reads.get(request.action) ?? new Map())
    const forbids: Node[] = []
    for (const policy of this.policies)
      if (policy.json.effect === 'forbid' && isAbout(policy.json, request))
        forbids.push(this.#forbid(policy, expressions))
    for (const policy of this.policies)
      if (policy.json.effect === 'permit' && isAbout(policy.json, request)) this.#permit(policy, expressions, forbids)
  }

  /** What is taken away: at most what the policy says, and exactly that where its conditions can be said. */
  #forbid(policy: CedarPolicy, expressions: Expressions): Node {
    const { principal, resource } = policy.json
    const scope = joinAll([toPrincipalNode(principal, expressions), toResourceNode(resource, expressions)])
    const when = readConditions(policy.json, expressions)
    if (when.remarks.length === 0) return joinAll([scope, when.yes])
    if (!isFalse(scope)) this.#remark(policy, when.remarks, ': everything that its scope names is taken away')
    return scope
  }

  #permit(policy: CedarPolicy, expressions: Expressions, forbids: readonly Node[]): void {
    const { request } = expressions
    const when = readConditions(policy.json, expressions)
    this.#remark(policy, when.remarks, '')
    const node = joinAll([toResourceNode(policy.json.resource, expressions), when.yes, ...forbids.map(not)])
    if (isFalse(node)) return
    const type = encodeKey(request.resource)
    const permission = `${type}:${encodeKey(request.action.uid.id)}`
    const group = findGroup(policy.json.principal)
    const isRole = group !== undefined && !this.entities.isPrincipal(group)
    if (
      isTrue(node) &&
      (isRole || (policy.json.principal.op === 'All' && this.entities.schema.principals.length === 1))
    ) {
      const role = isRole ? this.entities.toRoleKey(group) : EVERYONE
      if (!isRole) this.keys.claim('role', EVERYONE, 'what everyone may do')
      this.#permissions.set(role, (this.#permissions.get(role) ?? new Set()).add(permission))
      return
    }
    const number = this.policies.indexOf(policy) + 1
    const holders = isRole ? this.entities.listRolesIn(group) : [this.#requireUserSet(policy, number, expressions)]
    for (const holder of holders) {
      if (holder === undefined) continue
      const set = isTrue(node) ? type : this.#requireSet(`${type}_policy${number}`, request.resource, node)
      const rule = { user_set: holder, permission, resource_set: set, is_role: isRole, is_resource_set: !isTrue(node) }
      this.#rules.set(JSON.stringify(rule), rule)
    }
    if (this.#rules.size > IMPORTED_GRANTS_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'what the policies give', limit: IMPORTED_GRANTS_MAX })
  }

  #requireUserSet(policy: CedarPolicy, number: number, expressions: Expressions): string | undefined {
    const { principal } = policy.json
    const { request } = expressions
    const scope = toPrincipalNode(principal, expressions)
    if (isFalse(scope)) return undefined
    const isOpen = principal.op === 'All' || (principal.op === 'is' && principal.in === undefined)
    if (isOpen)
      this.#find(policy, this.closedEntities ? 'note' : 'unsaid', {
        reason: this.closedEntities
          ? 'principals that are not among the entities are taken never to be asked about'
          : 'Cedar also allows principals that are not among the entities',
        nearest: NEAREST.closed,
      })
    const start = encodePrefix(`${request.principal}|`, 'user')
    const isOneType = this.entities.schema.principals.length === 1
    const node = isOpen && !isOneType && start !== undefined ? { 'user.key': { 'starts-with': start } } : scope
    return this.#requireSet(isOpen ? 'any-user' : `users_policy${number}`, undefined, isTrue(node) ? {} : node)
  }

  /** A resource set of the type, else a user set. */
  #requireSet(base: string, resource: string | undefined, conditions: Node): string {
    const owner = JSON.stringify([resource ?? null, conditions])
    const known = this.#sets.get(owner)
    if (known !== undefined) return known.key
    let key = base
    for (let more = 2; this.keys.isClaimed('condition set', key); more++) key = `${base}_${more}`
    this.keys.claim('condition set', key, owner)
    const type = resource === undefined ? { type: 'userset' } : { type: 'resourceset', resource: encodeKey(resource) }
    this.#sets.set(owner, { key, set: { key, ...type, conditions } })
    if (resource !== undefined)
      for (const name of listAttributes(conditions))
        this.#attributes.set(resource, (this.#attributes.get(resource) ?? new Set()).add(name))
    return key
  }

  #remark(policy: CedarPolicy, remarks: readonly Remark[], more: string): void {
    for (const { reason, nearest } of remarks) this.#find(policy, 'unsaid', { reason: `${reason}${more}`, nearest })
  }

  #find({ file, line, what }: CedarPolicy, kind: Finding['kind'], { reason, nearest }: Remark): void {
    const finding: Finding = { kind, file, line, what, reason, nearest }
    const key = JSON.stringify(finding)
    if (!this.#found.has(key)) this.findings.push(finding)
    this.#found.add(key)
  }
}

const findGroup = ({ op, entity, in: within }: Constraint): Uid | undefined =>
  op === 'in' ? entity : op === 'is' ? within?.entity : undefined

/** Whether the policy is about requests of these types. */
function isAbout({ action, principal, resource }: PolicyJson, { action: asked, ...types }: Request): boolean {
  const named = action.entities ?? (action.entity === undefined ? [] : [action.entity])
  const isAction =
    action.op === 'All' ||
    (action.op === '=='
      ? named.some((uid) => formatUid(uid) === formatUid(asked.uid))
      : named.some((uid) => asked.within.has(formatUid(uid))))
  const fits = ({ op, entity, entity_type }: Constraint, type: string): boolean =>
    op === 'is' ? entity_type === type : op === '==' ? entity?.type === type : true
  return isAction && fits(principal, types.principal) && fits(resource, types.resource)
}

function readConditions({ conditions }: PolicyJson, expressions: Expressions): Truth {
  return conditions
    .map(({ kind, body }) => (kind === 'when' ? expressions.read(body) : negate(expressions.read(body))))
    .reduce(both, { yes: TRUE, no: FALSE, remarks: [] })
}

function toPrincipalNode(constraint: Constraint, expressions: Expressions): Node {
  const { op, entity } = constraint
  if (op === '==' && entity !== undefined) return { 'user.key': { equals: expressions.entities.toKey(entity) } }
  const group = findGroup(constraint)
  return group === undefined ? TRUE : expressions.principalIn(group)
}

function toResourceNode(constraint: Constraint, expressions: Expressions): Node {
  const { op, entity } = constraint
  if (op === '==' && entity !== undefined) return { 'resource.key': { equals: expressions.entities.toKey(entity) } }
  const group = findGroup(constraint)
  return group === undefined ? TRUE : expressions.resourceIn(group)
}

function listAttributes(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(listAttributes)
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => [
    ...listNames(name),
    ...(typeof value === 'string' && name === 'ref' ? listNames(value) : []),
    ...listAttributes(value),
  ])
}
const listNames = (path: string): readonly string[] =>
  /^resource\.(?!key$)/.test(path) ? [path.split('.')[1] ?? ''] : []

function named(name: string, withKey = true): object {
  const key = encodeKey(name)
  return { ...(withKey ? { key } : {}), ...(key === name ? {} : { name: name.slice(0, 256) }) }
}
const section = (name: string, list: readonly unknown[]) => (list.length === 0 ? {} : { [name]: list })
