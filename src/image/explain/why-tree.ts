// An explanation for people: a tree of sentences from what an image explains (explanation.ts, ways.ts). Pure: the same
// explanation gives the same text everywhere. An allow has every way that allows. Of a deny, missing-ways.ts says what
// would allow.
import { counted, plural } from '../../model/counted.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { resourceRoleOfSet } from '../../model/objects.ts'
import type { Why, WhyNode } from '../../model/why.ts'
import type { Because, Explanation, HeldSet, Match } from './explanation.ts'
import type { Hop } from './hops.ts'
import { missingWays } from './missing-ways.ts'
import type { Explained, Ways } from './ways.ts'
import {
  formatResource,
  formatSide,
  makeNode,
  nameUser,
  type QuestionNames,
  quote,
  sayEnd,
  sayHeld,
  sayWay,
  word,
} from './why-words.ts'

/** The explanation of a question. */
export function whyTree({ question, explanation: explained, ways }: Explained): Why {
  const { user, action, type, key } = question
  const { allow, revision, tenant } = explained
  const names = { user, action, type, key, tenant }
  const asker = user === EVERYBODY ? 'whoever is not signed in' : word(user)
  const text = `${asker} ${allow ? 'can' : 'cannot'} ${word(action)} ${formatResource(names)} in tenant ${word(tenant)}`
  const reasons = allow ? listReasons(names, explained, ways) : missingWays(names, explained, ways)
  const tree = makeNode(allow ? 'allow' : 'deny', text, [...reasons, ...remarks(explained)])
  return { allow, revision, user, action, resource: { type, ...(key === undefined ? {} : { key }) }, tenant, tree }
}

function listReasons(names: QuestionNames, { because, matches }: Explanation, { hops, hopsToRoles }: Ways): WhyNode[] {
  const byRoles = because.filter(({ source }) => source === 'rbac').map((way) => makeNode('met', sayRole(names, way)))
  const byRelations = hops.length === 0 ? [] : [makeNode('met', sayHops(names, hops))]
  const more = because.filter(({ source }) => source === 'abac').length - matches.length
  const others =
    more > 0
      ? [makeNode('met', `${counted(more, 'more set rule', 'more set rules')} ${plural(more, 'allows', 'allow')} this`)]
      : []
  return [
    ...byRoles,
    ...byRelations,
    ...matches.map((match) => sayMatch(names, match, because, hopsToRoles?.get(match.user_set))),
    ...others,
  ]
}

function sayRole({ user }: QuestionNames, { everybody, role, tenant, path, permission, valid_until }: Because): string {
  const holder = nameUser(everybody === undefined ? user : EVERYBODY)
  const extended = path.slice(1).map((each) => `, which extends ${word(each)}`)
  const held = `role ${word(role)} in tenant ${word(tenant)}${sayEnd(valid_until)}`
  return `${holder} has ${held}${extended.join('')}, which has ${word(permission)}`
}

function sayHops({ user, action, type }: QuestionNames, hops: readonly Hop[]): string {
  const holder = nameUser(hops[0]?.everybody === undefined ? user : EVERYBODY)
  return `${holder} has ${sayWay(hops)}, which has ${word(`${type}:${action}`)}`
}

function sayMatch(
  names: QuestionNames,
  { user_set, resource_set, held }: Match,
  because: readonly Because[],
  hops: readonly Hop[] | undefined,
): WhyNode {
  const rule = because.find((each) => each.role === user_set && each.resource_set === resource_set)
  const [users, resources] = [formatSide('user_set', user_set), formatSide('resource_set', resource_set)]
  const isRole = users.startsWith('role ')
  return makeNode('met', `a set rule allows this: ${users}, ${resources}`, [
    ...(isRole
      ? [
          makeNode(
            'met',
            hops !== undefined
              ? `${word(names.user)} has ${sayWay(hops)}`
              : resourceRoleOfSet(user_set) === undefined
                ? `${word(names.user)} has ${users} in tenant ${word(names.tenant)}${sayEnd(rule?.valid_until)}`
                : `${word(names.user)} holds ${users} on ${formatResource(names)}, or a role that extends it`,
          ),
        ]
      : []),
    ...held.map((set) => sayHeldSet(names, set)),
  ])
}

function sayHeldSet(names: QuestionNames, { side, set, tests }: HeldSet): WhyNode {
  const who = side === 'user_set' ? word(names.user) : formatResource(names)
  const tested = tests.map((test) => makeNode('met', sayHeld(test)))
  return makeNode('met', `${who} is in ${formatSide(side, set)}`, tested)
}

/** What its author may not have meant: attributes that count as missing, and a `not` over a missing value (D7). */
function remarks({ ill_typed, notes }: Explanation): WhyNode[] {
  return [
    ...ill_typed.map(({ attribute, declared, value }) =>
      makeNode('note', `${attribute} is declared ${declared}: conditions do not see ${quote(value)}`),
    ),
    ...notes.map(({ set, ...test }) => makeNode('note', `in set ${word(set)}, below a \`not\`: ${sayHeld(test)}`)),
  ]
}
