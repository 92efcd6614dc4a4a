// The long form of an answer: `debug` of POST /allowed, when PDP_DEBUG or `x-explain: true` asks for it. The codes are
// those of the explanation; docs/semantics.md explains each.

import { sayBecause, sayIllTyped, sayMiss, sayNote } from '../../pdp/explain-text.ts'
import type { AbacCode, Because, Explanation, Pdp, RbacCode, RebacCode } from '../../pdp/pdp.ts'
import { type Attributes, type Check, questionOf } from '../../pdp/request.ts'
import { shortReason } from './record-decision.ts'

/** A decision with its reasons: the answer over HTTP, and a short code for the decision log. */
export interface Explained {
  readonly allow: boolean
  readonly reason: string
  readonly text: string
}

/** Decides and explains; `forPeople` also as a tree of sentences. */
export function explained(
  pdp: Pdp,
  check: Check,
  now: (context: Check['context']) => Attributes,
  forPeople = false,
): Explained {
  const { user, action, resource } = check
  const context = now(check.context) // one time for both
  const { allow, reason, debug } = explainedParts(pdp, check, () => context)
  const why = forPeople ? { why: pdp.why(user, action, resource, context) } : {}
  return { allow, reason, text: JSON.stringify({ allow, result: allow, query: null, debug, ...why }) }
}

/** The parts of the answer; `sources` are the models (RBAC, ReBAC, ABAC) that allowed. */
export function explainedParts(
  pdp: Pdp,
  { user, action, resource, context }: Check,
  now: (context: Check['context']) => Attributes,
) {
  const { user: key, type, key: instance, relations } = questionOf(user, action, resource)
  const explanation = pdp.explain(user, action, resource, now(context))
  const { allow, tenant, code, rebac, because, ill_typed } = explanation
  const debug = {
    request: {
      user: { key, synced: code !== 'user_not_synced' },
      tenant,
      action,
      resource: { type, key: instance ?? null },
    },
    rbac: rolesOf(explanation),
    ...(instance === undefined && relations === undefined ? {} : { rebac: relationsOf(rebac, because) }),
    abac: setsOf(explanation),
    ...(ill_typed.length === 0
      ? {}
      : { ill_typed_attributes: ill_typed.map((each) => ({ ...each, text: sayIllTyped(each) })) }),
  }
  const sources = (['rbac', 'rebac', 'abac'] as const).filter((name) => because.some(({ source }) => source === name))
  return { allow, reason: shortReason(explanation), debug, sources }
}

function rolesOf({ code, because, roles }: Explanation) {
  const allowing = because.filter(({ source }) => source === 'rbac').map(({ role }) => role)
  const held = allowing.map((role) => `\`${role}\``).join(', ')
  const reason = code === 'allow' ? `the user holds ${held}, which has the permission` : RBAC_REASONS[code]
  return { allow: code === 'allow', code, reason, allowing_roles: allowing, user_roles: roles }
}

function relationsOf(code: RebacCode, because: readonly Because[]) {
  const found = because.find(({ source }) => source === 'rebac')
  const reason =
    code === 'allow' ? `the user holds the permission through ${found?.path.join(' → ')}` : REBAC_REASONS[code]
  const allowing = found === undefined ? [] : [`${found.resource_instance}#${found.role}`]
  return { allow: code === 'allow', code, reason, allowing_roles: allowing }
}

function setsOf({ abac: code, because, rules, misses, notes }: Explanation) {
  const allowing = because.filter(({ source }) => source === 'abac')
  return {
    allow: code === 'allow',
    code,
    reason: code === 'allow' ? sayBecause(allowing[0]!) : ABAC_REASONS[code],
    rules,
    allowing_rules: allowing.map(({ role, resource_set }) => ({ user_set: role, resource_set })),
    nearest_misses: misses.map((miss) => ({ ...miss, text: sayMiss(miss) })),
    notes: notes.map((note) => ({ ...note, text: sayNote(note) })),
  }
}

const NAMES = {
  no_such_resource: 'no resource type has this key',
  no_such_action: 'the resource type has no such action',
  no_such_tenant: 'no tenant has this key',
  user_not_synced: 'no user has this key',
}

const RBAC_REASONS: Readonly<Record<Exclude<RbacCode, 'allow'>, string>> = {
  ...NAMES,
  no_user_roles: 'the user holds no role in any tenant',
  no_role_in_tenant: 'the user holds no role in this tenant',
  no_permission: 'no role of the user in this tenant has the permission',
}

const REBAC_REASONS: Readonly<Record<Exclude<RebacCode, 'allow'>, string>> = {
  ...NAMES,
  no_such_instance: 'no instance of the type has this key',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_graph_roles: 'the user holds no role on the instance, neither assigned nor derived',
  no_permission: 'no role that the user holds on the instance has the permission',
  undecided: 'the relations of the instance are too many for one check',
}

const ABAC_REASONS: Readonly<Record<Exclude<AbacCode, 'allow'>, string>> = {
  ...NAMES,
  disabled: 'the environment has no set rules',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_matching_rules: 'no set rule for the permission matches both the user and the resource',
  no_matching_usersets: 'the user is in none of the user sets of the set rules for the permission',
  no_matching_resourcesets: 'the resource is in none of the resource sets of the set rules for the permission',
  undecided: 'the conditions, or what was sent for them, are too much for one check',
}
