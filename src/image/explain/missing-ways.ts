// Of a deny: what would allow, as sentences. What was or will be in force comes first (D15), then the ways that need the
// fewest changes: a test that fails, a role that is not assigned. Of equally near ones a set rule before roles, and a role on the instance before one in the
// tenant.
import { counted } from '../../model/counted.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { EXPLAIN_NAMES_MAX } from '../../model/limits.ts'
import type { WhyNode } from '../../model/why.ts'
import type { Explanation, FailedSet, Miss } from './explanation.ts'
import type { Some, UnknownName } from './near-names.ts'
import type { HeldElsewhere, NearRoles, RoleWith } from './near-roles.ts'
import type { SentMiss } from './sent-misses.ts'
import type { Ways } from './ways.ts'
import {
  formatResource,
  formatSide,
  formatSome,
  joinWords,
  makeNode,
  type QuestionNames,
  sayFailed,
  sayNotInForce,
  saySuspended,
  sayWay,
  word,
} from './why-words.ts'

export function missingWays(names: QuestionNames, explained: Explanation, ways: Ways): WhyNode[] {
  if (ways.unknown !== undefined) {
    const grants = explained.not_in_force.map((grant) => makeNode('unmet', sayNotInForce(grant))) // of everybody (D16)
    return [...grants, makeNode('unmet', sayUnknown(ways.unknown, names))]
  }
  if (explained.suspension !== undefined) return [makeNode('unmet', saySuspended(names.user, explained.suspension))]
  const { near, instance_tenant: other } = ways
  const elsewhere = `${formatResource(names)} is in tenant ${word(other ?? '')}, not in ${word(names.tenant)}: neither roles on it nor set rules apply`
  const first = [
    ...(other === undefined ? [] : [makeNode('unmet', elsewhere)]),
    ...explained.not_in_force.map((grant) => makeNode('unmet', sayNotInForce(grant))),
    ...ways.sent_relations.map((miss) => makeNode('unmet', saySentMiss(names, miss))),
  ]
  const rules = explained.misses.map((miss) => ({ far: countTestsToChange(miss), node: sayMiss(names, miss) }))
  const roles = near === undefined ? [] : roleWays(names, near, explained).map((node) => ({ far: 1, node }))
  const nearest = [...rules, ...roles].sort((left, right) => left.far - right.far) // stable
  const found = [...first, ...nearest.map(({ node }) => node)]
  if (found.length > 0) return found
  return [makeNode('unmet', `nothing gives ${formatPermission(names)}: no role or set rule has it`)]
}

const formatPermission = ({ type, action }: QuestionNames): string => word(`${type}:${action}`)

function sayUnknown(unknown: UnknownName, { type }: QuestionNames): string {
  const { kind, name, nearest, known } = unknown
  if (kind === 'user' && name === EVERYBODY) return 'no role that everyone has allows this'
  const what =
    kind === 'action'
      ? `resource type ${word(type)} has no action ${word(name)}`
      : `${kind} ${word(name)} does not exist`
  if (nearest !== undefined || known.length === 0) return `${what}${formatHint(unknown)}`
  return `${what}; existing: ${joinWords(known.map(word), known.length, 'and')}`
}

const formatHint = ({ nearest }: UnknownName): string =>
  nearest === undefined ? '' : `: did you mean ${word(nearest)}?`

/** Tests that would have to change; a role or type that is another one counts as a test. */
function countTestsToChange({ failed }: Miss): number {
  return failed.reduce((sum, { tests }) => sum + Math.max(1, tests.length), 0)
}

function sayMiss(names: QuestionNames, { user_set, resource_set, failed }: Miss): WhyNode {
  const users = formatSide('user_set', user_set)
  const isUser = !failed.some(({ side }) => side === 'user_set')
  const isResource = !failed.some(({ side }) => side === 'resource_set')
  const held = [
    ...(isUser ? [makeNode('met', `${word(names.user)} ${users.startsWith('role ') ? 'has' : 'is in'} ${users}`)] : []),
    ...(isResource && !resource_set.startsWith('__')
      ? [makeNode('met', `${formatResource(names)} is in ${formatSide('resource_set', resource_set)}`)]
      : []),
  ]
  const text = `a set rule would allow this: ${users}, ${formatSide('resource_set', resource_set)}`
  return makeNode('unmet', text, [...held, ...failed.map((set) => sayFailedSet(names, set))])
}

function sayFailedSet(names: QuestionNames, { side, set, reason, tests }: FailedSet): WhyNode {
  const which = formatSide(side, set)
  if (reason === 'role_not_assigned')
    return makeNode('unmet', `${word(names.user)} is not assigned ${which} in tenant ${word(names.tenant)}`)
  if (reason === 'role_not_held')
    return makeNode('unmet', `${word(names.user)} does not hold ${which} on ${formatResource(names)}`)
  if (reason === 'other_resource') return makeNode('unmet', `${which} is for another resource type`)
  const who = side === 'user_set' ? word(names.user) : formatResource(names)
  return makeNode(
    'unmet',
    `${who} is not in ${which}`,
    tests.map((test) => makeNode('unmet', sayFailed(test))),
  )
}

function saySentMiss(names: QuestionNames, { relation, subject, reason, ...miss }: SentMiss): string {
  const nothing = `relation ${word(relation)} to ${word(subject)} gives nothing`
  const needed = (miss.needed ?? []).map(({ role, gives }) => `${word(role)} (gives ${word(gives)})`)
  const held = (miss.held ?? []).length === 0 ? 'no role' : `role ${joinWords(miss.held!.map(word), undefined, 'and')}`
  switch (reason) {
    case 'unknown_relation':
      return `${nothing}: no role comes through it${formatHint(miss.unknown!)}`
    case 'unknown_subject':
      return `${nothing}: ${sayUnknown(miss.unknown!, names)}`
    case 'other_tenant':
      return `${nothing}: ${word(subject)} is in tenant ${word(miss.tenant ?? '')}`
    case 'no_derivation':
      return `${nothing}: no role of ${word(names.type)} is derived through it from ${word(subject.slice(0, subject.indexOf(':')))}`
    case 'no_permission':
      return `${nothing}: no role that is derived through it has ${formatPermission(names)}`
    case 'direct_role':
      return `${nothing} to a user with a direct role on ${formatResource(names)}`
    case 'role_not_held':
      return `${nothing}: ${word(names.user)} has ${held} on ${word(subject)}, and needs ${joinWords(needed)}`
  }
}

function roleWays(names: QuestionNames, near: NearRoles, { roles }: Explanation): WhyNode[] {
  const { in_tenant, in_other_tenants, blocked, on_other_instances } = near
  const user = word(names.user)
  const permission = formatPermission(names)
  const others =
    in_other_tenants.count === 0
      ? []
      : [`${user} has ${permission} only in other tenants: ${sayElsewhere(in_other_tenants)}`]
  const instances =
    on_other_instances.count === 0 ? [] : [`${user} has ${permission} on ${sayElsewhere(on_other_instances)}`]
  const stopped =
    blocked === undefined
      ? []
      : [
          `${user} has ${sayWay([blocked.from])}, which gives nothing to a user with a direct role on ${word(blocked.on)}`,
        ]
  const held = roles.length === 0 ? 'no role' : `role ${sayHeldRoles(roles)}`
  const inTenant =
    in_tenant.count === 0
      ? []
      : [
          `role ${formatSome(in_tenant, sayRoleWith)} in tenant ${word(names.tenant)} would allow this; ${user} has ${held} there`,
        ]
  const texts = [...others, ...stopped, ...onInstance(names, near), ...instances, ...sayRelated(near), ...inTenant]
  return texts.map((text) => makeNode('unmet', text))
}

/** Of many roles the first ones. */
function sayHeldRoles(roles: readonly string[]): string {
  return joinWords(roles.slice(0, EXPLAIN_NAMES_MAX).map(word), roles.length, 'and')
}

const sayElsewhere = (held: Some<HeldElsewhere>): string =>
  formatSome(held, ({ where, role }) => `${word(where)} (role ${word(role)})`)

const sayRoleWith = ({ role, path }: RoleWith): string =>
  path.length < 2 ? word(role) : `${word(role)} (extends ${path.slice(1).map(word).join(', which extends ')})`

function onInstance(names: QuestionNames, { on_instance, instance, held_on_instance }: NearRoles): string[] {
  if (on_instance.count === 0) return []
  const roles = formatSome(on_instance, sayRoleWith)
  if (names.key === undefined)
    return [`role ${roles} on an instance of ${word(names.type)} would allow this; the check names no instance`]
  const resource = formatResource(names)
  if (instance !== undefined) {
    return [`${resource} is not stored, so no one has a role on it${formatHint(instance)}`]
  }
  const held =
    held_on_instance.length === 0 ? 'no role' : `role ${joinWords(held_on_instance.map(word), undefined, 'and')}`
  return [`role ${roles} on ${resource} would allow this; ${word(names.user)} has ${held} on it`]
}

function sayRelated({ related: ways }: NearRoles): string[] {
  const more = ways.count - ways.first.length
  const texts = ways.first.map((hops) => `${sayWay(hops)}, would allow this`)
  return more > 0
    ? [...texts, `${counted(more, 'more role', 'more roles')} on related instances would allow this`]
    : texts
}
