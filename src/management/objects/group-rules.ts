// Rules that give roles to members of groups of a directory (docs/scim.md), and what follows from them: after each write of
// a group, of a member or of a rule, in the same transaction, those users whom it concerns have exactly the claims
// `directory` that the rules give them. What others claim is not touched.
import { areTogether, DIRECTORY, findClaim, unionOfTimes } from '../../kinds/claims.ts'
import type { DirectoryGroup } from '../../kinds/directory-group.ts'
import { type GroupPattern, type GroupRule, selectsGroup } from '../../kinds/group-rule.ts'
import { projectTimes, type TimesPolicy } from '../../kinds/times.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { foldCase } from '../../model/fold-case.ts'
import { CLAIM_ITEMS_MAX, GROUP_RULE_USERS_MAX, GROUP_RULES_MAX, SCIM_NAME_LENGTH_MAX } from '../../model/limits.ts'
import { assignmentKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, StoredView, View } from '../../store/view.ts'
import { requireSameKey } from '../rules/collection.ts'
import { BODY, requireText } from '../rules/fields.ts'
import { settleTimes } from '../rules/times.ts'
import type { GroupRuleCreate, GroupRuleReplace, GroupRuleUpdate } from '../schemas/group-rules.ts'
import { type ClaimItem, writeClaims } from './claims.ts'
import { resolveRole } from './role-assignments.ts'

interface Named {
  readonly ref: string
}

/** @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, TENANT_MISMATCH, INPUT_INVALID, LIMIT_EXCEEDED */
export function createGroupRule(view: View, input: GroupRuleCreate, mint: Mint): Decided<GroupRule> {
  if (view.count('group_rule') >= GROUP_RULES_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the rules for groups', limit: GROUP_RULES_MAX }, { path: BODY })
  const id = mint.id()
  const stamps = { id, key: id, created_at: mint.now, updated_at: mint.now }
  return written(view, { ...stamps, ...settled(view, input, {}) }, undefined, mint)
}

/** Changes what is sent; null clears a time. @throws as create */
export function updateGroupRule(
  view: View,
  { ref, fields }: Named & { readonly fields: GroupRuleUpdate },
  mint: Mint,
): Decided<GroupRule> {
  const stored = view.require('group_rule', ref)
  requireSameKey(fields.key, stored.key)
  const { key: _, ...named } = fields
  const { id, key, created_at } = stored
  const { role, tenant, resource_instance: instance, group } = stored
  // another place is another role there, so they are sent together
  const isMoved = fields.tenant != null || fields.resource_instance != null
  const place = isMoved ? {} : { tenant, ...(instance === null ? {} : { resource_instance: instance }) }
  const sent = { role, ...place, ...leaveOut(named), group: { ...group, ...leaveOut(fields.group ?? {}) } }
  const next = { id, key, created_at, updated_at: mint.now, ...settled(view, sent as GroupRuleCreate, stored) }
  return written(view, next, stored, mint)
}

/** Replaces the rule; times that are not sent stay. @throws as create */
export function replaceGroupRule(
  view: View,
  { ref, fields: { key: sent, ...fields } }: Named & { readonly fields: GroupRuleReplace },
  mint: Mint,
): Decided<GroupRule> {
  const stored = view.require('group_rule', ref)
  requireSameKey(sent, stored.key)
  const { id, key, created_at } = stored
  return written(view, { id, key, created_at, updated_at: mint.now, ...settled(view, fields, stored) }, stored, mint)
}

/** Deletes the rule, and what it alone gave. @throws OBJECT_NOT_FOUND */
export function deleteGroupRule(view: View, { ref }: Named, mint: Mint): Decided<null> {
  const rule = view.require('group_rule', ref)
  const users = listMembers(view, listSelected(view, [rule.group]))
  return { ...withGroupRules(view, [remove('group_rule', rule.key)], users, mint), status: 204, result: null }
}

function written(view: View, rule: GroupRule, before: GroupRule | undefined, mint: Mint): Decided<GroupRule> {
  for (const other of view.list('group_rule')) {
    if (other.key === rule.key || !isSameGift(other, rule)) continue
    if (isSamePattern(other.group, rule.group))
      throw new ZerohopError('OBJECT_EXISTS', { kind: 'group_rule', key: other.key })
    // who is in both groups has one assignment, with one interval
    if (!areTogether([projectTimes(other), projectTimes(rule)], mint.now)) {
      const reason = `rule \`${other.key}\` gives the same at another time: the times of both must overlap or meet`
      throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'valid_from'] })
    }
  }
  const groups = listSelected(view, before === undefined ? [rule.group] : [before.group, rule.group])
  const users = listMembers(view, groups, GROUP_RULE_USERS_MAX + 1)
  if (users.size > GROUP_RULE_USERS_MAX) {
    const details = { what: 'the users in the groups of one rule', limit: GROUP_RULE_USERS_MAX }
    throw new ZerohopError('LIMIT_EXCEEDED', details, { path: [...BODY, 'group', 'value'] })
  }
  return { ...withGroupRules(view, [put('group_rule', rule)], users, mint), result: rule }
}

type Gift = Pick<GroupRule, 'role' | 'tenant' | 'resource_instance'>
const isSameGift = (one: Gift, other: Gift): boolean =>
  one.role === other.role && one.tenant === other.tenant && one.resource_instance === other.resource_instance
const isSamePattern = (one: GroupPattern, other: GroupPattern): boolean =>
  one.by === other.by && one.match === other.match && one.value === other.value

function settled(view: View, { group, ...sent }: GroupRuleCreate, stored: TimesPolicy) {
  const path = [...BODY, 'group', 'value']
  requireText(group.value, 'value of a group', SCIM_NAME_LENGTH_MAX, path)
  if (group.value === '') throw new ZerohopError('INPUT_INVALID', { reason: 'it is empty' }, { path })
  const { by, value } = group
  const gift = resolveRole(view, sent)
  const times = settleTimes(projectTimes(stored), sent, BODY)
  return { group: { by, match: group.match ?? 'exact', value }, ...gift, ...times }
}

/** What is sent, without what is left as it is. */
const leaveOut = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && (value !== null || name.startsWith('valid_')),
    ),
  )

/** The groups that one of the patterns selects. */
function* listSelected(view: View, patterns: readonly GroupPattern[]): Iterable<DirectoryGroup> {
  for (const group of view.list('directory_group'))
    if (patterns.some((pattern) => selectsGroup(pattern, group))) yield group
}

/** How many groups a pattern selects. */
export function countSelected(view: StoredView, { by, match, value }: GroupPattern): number {
  const [index, wanted] =
    by === 'external_id'
      ? (['directory_groups_by_external_id', value] as const)
      : (['directory_groups_named', foldCase(value)] as const)
  if (match === 'exact') return view.countBy(index, wanted)
  return view.countUnder({ index, from: wanted, to: `${wanted}\u{10ffff}` })
}

/** Keys of the users in these groups, each once, and so many at most. */
export function listMembers(
  view: View,
  groups: Iterable<Pick<DirectoryGroup, 'id'>>,
  most = Number.POSITIVE_INFINITY,
): ReadonlySet<string> {
  const users = new Set<string>()
  for (const { id } of groups) {
    for (const { user } of view.by('members_of_directory_group', id)) {
      users.add(user)
      if (users.size >= most) return users
    }
  }
  return users
}

/**
 * The changes, and those after which these users have the claims that the rules give. What cannot be given, such as a role
 * beyond a limit, holds up nothing else: it is a warning, and tried again with the next write that concerns the user.
 */
export function withGroupRules(
  view: View,
  changes: readonly Change[],
  users: Iterable<string>,
  mint: Mint,
): Pick<Decided<null>, 'changes' | 'warnings'> {
  const draft = new Draft(view).stage(changes)
  const rules = [...draft.list('group_rule')]
  const items: ClaimItem[] = []
  for (const user of users) if (draft.get('user', user) !== undefined) items.push(...listClaimItems(draft, user, rules))
  const blocked: string[] = []
  for (let from = 0; from < items.length; from += CLAIM_ITEMS_MAX) {
    const some = items.slice(from, from + CLAIM_ITEMS_MAX)
    const { items: reports } = draft.take(writeClaims(draft, { claim: DIRECTORY, items: some }, mint))
    for (const { outcome, reason } of reports) if (outcome === 'blocked') blocked.push(reason ?? '')
  }
  const [first] = blocked
  const warnings =
    first === undefined ? {} : { warnings: [`${counted(blocked.length, 'role')} of groups cannot be given: ${first}`] }
  return { changes: draft.changes(), ...warnings }
}

/** What is to be put and dropped for one user. */
function listClaimItems(view: View, user: string, rules: readonly GroupRule[]): ClaimItem[] {
  const groups = Array.from(view.by('directory_groups_of_user', user), ({ group }) =>
    view.get('directory_group', group),
  )
  const given = new Map<string, GroupRule[]>()
  for (const rule of rules) {
    if (!groups.some((group) => group !== undefined && selectsGroup(rule.group, group))) continue
    const key = assignmentKey(user, rule.role, rule.tenant, rule.resource_instance)
    given.set(key, [...(given.get(key) ?? []), rule])
  }
  const items: ClaimItem[] = []
  for (const { key, ...assignment } of view.by('assignments_of_user', user))
    if (findClaim(assignment, DIRECTORY) !== undefined && !given.has(key))
      items.push({ op: 'drop', kind: 'role_assignment', key })
  for (const [rule, ...others] of given.values()) {
    const { role, tenant, resource_instance } = rule!
    const place = resource_instance === null ? { tenant } : { tenant, resource_instance }
    const item = { user, role, ...place, ...unionOfTimes([rule!, ...others].map(projectTimes)) }
    items.push({ op: 'put', kind: 'role_assignment', item })
  }
  return items
}
