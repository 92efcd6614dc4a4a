// The long form of an answer: `debug` of POST /allowed, when PDP_DEBUG or `x-explain: true` asks for it. The codes are
// those of the explanation; docs/semantics.md explains each.

import { sayEnd, sayNotInForce, saySuspended } from '../../image/explain/why-words.ts'
import { withInstants } from '../../model/print-time.ts'
import { ABAC_REASONS, RBAC_REASONS, REBAC_REASONS } from '../../model/reason-words.ts'
import { sayBecause, sayIllTyped, sayMiss, sayNote } from '../../pdp/explain-text.ts'
import type { Because, Explanation, Pdp, RebacCode } from '../../pdp/pdp.ts'
import { type Check, toQuestion } from '../../pdp/request.ts'
import { shortReason } from './record-decision.ts'

/** A decision with its reasons: the answer over HTTP, and a short code for the decision log. */
export interface Explained {
  readonly allow: boolean
  readonly reason: string
  readonly text: string
}

/** Decides and explains a check with its time; `forPeople` also as a tree of sentences. */
export function explainDecision(pdp: Pdp, check: Check, forPeople = false): Explained {
  const { user, action, resource, context } = check
  const { allow, reason, debug } = explainedParts(pdp, check)
  const why = forPeople ? { why: pdp.why(user, action, resource, context) } : {}
  return { allow, reason, text: JSON.stringify({ allow, result: allow, query: null, debug, ...why }) }
}

/** The parts of the answer; `sources` are the models (RBAC, ReBAC, ABAC) that allowed. */
export function explainedParts(pdp: Pdp, { user, action, resource, context }: Check) {
  const { user: key, type, key: instance, relations } = toQuestion(user, action, resource)
  const explanation = pdp.explain(user, action, resource, context)
  const { allow, tenant, rebac, abac, because, not_in_force, ill_typed, suspension } = explanation
  const debug = {
    request: {
      // no set is true of who is not stored, whatever everybody has (D16)
      user: { key, synced: abac !== 'user_not_synced' },
      tenant,
      action,
      resource: { type, key: instance ?? null },
    },
    ...(suspension === undefined ? {} : { suspended: { ...suspension, text: saySuspended(key, suspension) } }),
    rbac: describeRoles(explanation),
    ...(instance === undefined && relations === undefined ? {} : { rebac: describeRelations(rebac, because) }),
    abac: describeSets(explanation),
    ...(not_in_force.length === 0
      ? {}
      : { not_in_force: not_in_force.map((each) => ({ ...withInstants(each), text: sayNotInForce(each) })) }),
    ...(ill_typed.length === 0
      ? {}
      : { ill_typed_attributes: ill_typed.map((each) => ({ ...each, text: sayIllTyped(each) })) }),
  }
  const sources = (['rbac', 'rebac', 'abac'] as const).filter((name) => because.some(({ source }) => source === name))
  return { allow, reason: shortReason(explanation), debug, sources }
}

function describeRoles({ code, because, roles }: Explanation) {
  const byRoles = because.filter(({ source }) => source === 'rbac')
  const allowing = [...new Set(byRoles.map(({ role }) => role))] // one may be the user's and everybody's
  const sayHeld = (ways: readonly Because[]) =>
    ways.map(({ role, valid_until }) => `\`${role}\`${sayEnd(valid_until)}`).join(', ')
  const own = byRoles.filter(({ everybody }) => everybody === undefined)
  const held = own.length > 0 ? `the user holds ${sayHeld(own)}` : `everyone holds ${sayHeld(byRoles)}`
  const reason = code === 'allow' ? `${held}, which has the permission` : RBAC_REASONS[code]
  return { allow: code === 'allow', code, reason, allowing_roles: allowing, user_roles: roles }
}

function describeRelations(code: RebacCode, because: readonly Because[]) {
  const found = because.find(({ source }) => source === 'rebac')
  const reason =
    code === 'allow'
      ? `${found?.everybody === undefined ? 'the user' : 'everybody'} holds the permission through ${found?.path.join(' → ')}${sayEnd(found?.valid_until)}`
      : REBAC_REASONS[code]
  const allowing = found === undefined ? [] : [`${found.resource_instance}#${found.role}`]
  return { allow: code === 'allow', code, reason, allowing_roles: allowing }
}

function describeSets({ abac: code, because, rules, misses, notes }: Explanation) {
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
