// Answers a check again with its reasons: which roles, through which extensions and derivations, which sets; for a
// deny, what is missing. Slower than a check and never part of one. The tenant is determined as in a check (D2: the
// tenant of a check).
import type { Kernel } from '../../kernel/kernel.ts'
import { isZerohopError } from '../../model/errors.ts'
import { isBuiltIn } from '../build/write-records.ts'
import type { AttributeTypes } from '../decide/declared-types.ts'
import type { RequiredAttributes, Sent } from '../decide/required-attributes.ts'
import type { SentRelation, SentRelations } from '../decide/sent-relations.ts'
import { instanceAsked, resolveTenant } from '../decide/tenant-of-check.ts'
import { findPermission, findSymbol } from '../look-up.ts'
import { everybodyAsked } from '../records/everybody.ts'
import { instanceTenant } from '../records/instance.ts'
import { findSuspension, isSuspended } from '../records/suspension.ts'
import { timesOfRecord } from '../records/times.ts'
import { explainRelations } from './explain-relations.ts'
import { explainRoles } from './explain-roles.ts'
import { explainSets } from './explain-sets.ts'
import { type AbacCode, type Explanation, NO_SETS, type Unknown } from './explanation.ts'
import { listNotInForce } from './not-in-force.ts'

export interface Question {
  readonly user: string
  readonly action: string
  readonly type: string
  /** undefined: that of the stored instance, else `default` (D2) */
  readonly tenant: string | undefined
  readonly key?: string | undefined
  readonly sent?: Sent | undefined
  readonly relations?: readonly SentRelation[] | undefined
  /** a marked row (D2): it is the stored instance of its key only in the tenant of that one */
  readonly isRow?: boolean | undefined
}

/** What an image answers with, apart from its kernel. */
interface From {
  readonly required: RequiredAttributes
  readonly related: SentRelations
  readonly attributeTypes: AttributeTypes
}

/** Explains the check from the kernel's own tables (rules D1 to D6 of docs/semantics.md). */
export function explainQuestion(
  kernel: Kernel,
  { required, related, attributeTypes }: From,
  revision: number,
  question: Question,
): Explanation {
  const instance = instanceAsked(kernel, question)
  const tenant = resolveTenant(kernel, question.tenant, instance)
  const ids = { ...resolveIds(kernel, question, tenant), instance }
  const ill_typed = attributeTypes.illTyped(question.type, question.sent)
  const unknown = unknownName(kernel, question.type, ids)
  const isOut =
    unknown !== undefined &&
    (unknown !== 'user_not_synced' || /* canary: reasons-of-who-is-not-stored */ everybodyAsked(kernel) === 0)
  if (isOut) {
    const codes = { code: unknown, rebac: unknown, abac: unknown }
    const none = { because: [], roles: [], not_in_force: [], ...NO_SETS, ill_typed }
    const suspended = unknown === 'user_suspended' ? findSuspension(kernel, ids.user) : undefined
    const times = suspended === undefined ? {} : { suspension: timesOfRecord(suspended) }
    return { allow: false, revision, tenant, ...codes, ...none, ...times }
  }
  const named = { tenant, permission: `${question.type}:${question.action}` }
  const rbac = explainRoles(kernel, ids, named)
  const { type, key, relations } = question
  const relate = () => related.write(type, relations)
  const onResource = { ...named, resource: `${type}:${key ?? '*'}` }
  const rebac = explainRelations(kernel, { ...ids, relate }, onResource, relations !== undefined)
  const isElsewhere = instance !== 0 && instanceTenant(kernel, instance) !== ids.tenant // D2
  const byRoles = [...rbac.because, ...rebac.because]
  const end =
    isElsewhere || unknown !== undefined ? 0 : encodeAttributes(required, ids.permission, question, byRoles.length > 0)
  const unasked = (abac: AbacCode) => ({ ...NO_SETS, abac, because: [], needed: [] })
  const {
    because: bySets,
    needed,
    ...sets
  } = unknown !== undefined
    ? unasked(unknown)
    : isElsewhere
      ? unasked('instance_in_other_tenant')
      : end === undefined
        ? unasked('undecided')
        : explainSets(kernel, { ...ids, relate, end }, onResource)
  const because = [...byRoles, ...bySets]
  // of who is not stored only what everybody has can allow (D16); all else is the reason that there is for it
  const findCode = <C>(code: C) => (unknown === undefined || code === 'allow' || code === 'undecided' ? code : unknown)
  const codes = { code: findCode(rbac.code), rebac: findCode(rebac.code) }
  const allow = because.length > 0
  const not_in_force = allow ? [] : listNotInForce(kernel, { ...ids, relate }, needed)
  return { allow, revision, tenant, ...codes, ...sets, because, roles: rbac.roles, not_in_force, ill_typed }
}

/**
 * Encodes the request attributes and returns where they end. Undefined when they cannot be encoded but roles allow: a
 * check does not read them then (D13: undecided is not a deny).
 * @throws what a check throws
 */
function encodeAttributes(
  required: RequiredAttributes,
  permission: number,
  { key, sent }: Question,
  isAllowed: boolean,
): number | undefined {
  try {
    return required.encode(permission, key, sent)
  } catch (error) {
    if (isAllowed && isZerohopError(error)) return undefined
    throw error
  }
}

interface Ids {
  readonly user: number
  readonly tenant: number
  readonly permission: number
}

/** What the keys of a question stand for, in a tenant; 0 for what is unknown. */
export function resolveIds(kernel: Kernel, { user, action, type }: Question, tenant: string): Ids {
  return {
    permission: findPermission(kernel, type, action),
    tenant: findSymbol(kernel, 'tenant', tenant),
    user: findSymbol(kernel, 'user', user),
  }
}

function unknownName(kernel: Kernel, type: string, { permission, tenant, user }: Ids): Unknown | undefined {
  if (isBuiltIn(type) || findSymbol(kernel, 'resource', type) === 0) return 'no_such_resource'
  if (permission === 0) return 'no_such_action'
  if (tenant === 0) return 'no_such_tenant'
  if (user === 0) return 'user_not_synced'
  return /* canary: reasons-of-the-suspended */ isSuspended(kernel, user) ? 'user_suspended' : undefined // D16
}
