// Derivations, the `granted_to` of a role of a resource type (D5): whoever has a role on an instance that is related to
// the object has this role on the object. This file validates and writes them; docs/semantics.md has their meaning.

import type { Derivation, DerivationRule, DerivationSettings, ResourceRole } from '../../kinds/resource-role.ts'
import { put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DERIVATIONS_PER_ROLE_MAX } from '../../model/limits.ts'
import { partKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { locate } from '../rules/collection.ts'
import { BODY, type Path, type Sent } from '../rules/fields.ts'
import type {
  Derivation as DerivationSent,
  DerivationRule as RuleSent,
  DerivationSettings as SettingsSent,
} from '../schemas/resource-roles.ts'

/** A role of a resource type; both are ids or keys. */
export interface RoleRef {
  readonly resource: string
  readonly ref: string
}

const settleSettings = (sent: Sent<SettingsSent>): DerivationSettings => ({
  no_direct_roles_on_object: sent?.no_direct_roles_on_object ?? false,
})
const sameRule = (one: DerivationRule, other: DerivationRule): boolean =>
  one.role === other.role &&
  one.on_resource === other.on_resource &&
  one.linked_by_relation === other.linked_by_relation

/** The derivation made of `sent` and defaults; it keeps the id of the previous one. */
export function resolveDerivation(
  view: View,
  resource: string,
  sent: DerivationSent,
  stored: Derivation | null,
  mint: Mint,
  path: Path,
): Derivation | null {
  const rules: DerivationRule[] = []
  for (const [at, rule] of (sent.users_with_role ?? []).entries()) {
    const resolved = resolveRule(view, resource, rule, [...path, 'users_with_role', at])
    if (rules.some((one) => sameRule(one, resolved))) {
      throw new ZerohopError('OBJECT_EXISTS', { kind: 'derivation rule', key: formatRule(resolved) })
    }
    rules.push(resolved)
  }
  return block(stored, settleSettings(sent.when), rules, mint, [...path, 'users_with_role'])
}

/** The derivation, or null when it has neither a rule nor a setting. */
function block(
  stored: Derivation | null,
  when: DerivationSettings,
  rules: readonly DerivationRule[],
  mint: Mint,
  path: Path,
): Derivation | null {
  if (rules.length > DERIVATIONS_PER_ROLE_MAX) {
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the derivation rules of one role', limit: DERIVATIONS_PER_ROLE_MAX },
      { path },
    )
  }
  if (rules.length === 0 && !when.no_direct_roles_on_object) return null
  return { id: stored?.id ?? mint.id(), when, users_with_role: rules }
}

/** @throws OBJECT_NOT_FOUND, RELATION_MISMATCH when the relation comes from another resource type */
function resolveRule(view: View, resource: string, sent: RuleSent, path: Path): DerivationRule {
  const on = view.require('resource', sent.on_resource, [...path, 'on_resource']).key
  const relation = locate(view, 'relation', sent.linked_by_relation, resource, [...path, 'linked_by_relation'])
  if (relation.subject_resource !== on) {
    const details = { relation: relation.relation, object: resource, want: relation.subject_resource, got: on }
    throw new ZerohopError('RELATION_MISMATCH', details, { path: [...path, 'on_resource'] })
  }
  const role = locate(view, 'resource_role', sent.role, on, [...path, 'role'])
  return { role: role.role, on_resource: on, linked_by_relation: relation.relation, when: settleSettings(sent.when) }
}

/** A rule with the ids of its references. */
export interface RuleWithIds {
  readonly rule: DerivationRule
  readonly role_id: string
  readonly resource_id: string
  readonly relation_id: string
}

/** Undefined when a reference of the rule was deleted, which deletes the rule too. */
export function withRuleIds(view: View, resource: string, rule: DerivationRule): RuleWithIds | undefined {
  const role = view.get('resource_role', partKey(rule.on_resource, rule.role))
  const on = view.get('resource', rule.on_resource)
  const relation = view.get('relation', partKey(resource, rule.linked_by_relation))
  if (!role || !on || !relation) return undefined
  return { rule, role_id: role.id, resource_id: on.id, relation_id: relation.id }
}

/** Adds one rule. @throws OBJECT_EXISTS when it exists already */
export function addDerivation(
  view: View,
  input: RoleRef & { readonly rule: RuleSent },
  mint: Mint,
): Decided<RuleWithIds> {
  const role = findRole(view, input)
  const rule = resolveRule(view, role.resource, input.rule, BODY)
  const rules = role.granted_to?.users_with_role ?? []
  if (rules.some((one) => sameRule(one, rule))) {
    throw new ZerohopError('OBJECT_EXISTS', { kind: 'derivation rule', key: formatRule(rule) })
  }
  const when = role.granted_to?.when ?? settleSettings(undefined)
  const granted_to = block(role.granted_to, when, [...rules, rule], mint, BODY)
  const result = withRuleIds(view, role.resource, rule)
  if (result === undefined) throw new ZerohopError('INTERNAL')
  return { changes: [put('resource_role', { ...role, granted_to, updated_at: mint.now })], result }
}

/** Removes one rule. @throws OBJECT_NOT_FOUND when it does not exist */
export function removeDerivation(view: View, input: RoleRef & { readonly rule: RuleSent }, mint: Mint): Decided<null> {
  const role = findRole(view, input)
  const rule = resolveRule(view, role.resource, input.rule, BODY)
  const found = role.granted_to?.users_with_role.some((one) => sameRule(one, rule))
  if (!found) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'derivation rule', ref: formatRule(rule) })
  const changed = withoutRules(role, (one) => sameRule(one, rule), mint)
  return { changes: [put('resource_role', changed)], status: 204, result: null }
}

/** Sets the settings that apply to all rules of the role. */
export function setDerivationConditions(
  view: View,
  input: RoleRef & { readonly when: SettingsSent },
  mint: Mint,
): Decided<DerivationSettings> {
  const role = findRole(view, input)
  const when = settleSettings(input.when)
  const stored = role.granted_to
  if (when.no_direct_roles_on_object === (stored?.when.no_direct_roles_on_object ?? false)) {
    return { changes: [], result: when }
  }
  const granted_to = block(stored, when, stored?.users_with_role ?? [], mint, BODY)
  return { changes: [put('resource_role', { ...role, granted_to, updated_at: mint.now })], result: when }
}

/** The role without the rules that `gone` selects. */
export function withoutRules(role: ResourceRole, gone: (rule: DerivationRule) => boolean, mint: Mint): ResourceRole {
  if (role.granted_to === null) return role
  const rules = role.granted_to.users_with_role.filter((rule) => !gone(rule))
  const granted_to = block(role.granted_to, role.granted_to.when, rules, mint, BODY)
  return { ...role, granted_to, updated_at: mint.now }
}

function findRole(view: View, { resource, ref }: RoleRef): ResourceRole {
  return locate(view, 'resource_role', ref, view.require('resource', resource).key)
}

function formatRule({ on_resource, role, linked_by_relation }: DerivationRule): string {
  return `${partKey(on_resource, role)} by ${linked_by_relation}`
}
