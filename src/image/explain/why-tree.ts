// An explanation for people: a tree of sentences from what an image explains (explanation.ts, ways.ts). Pure: the same
// explanation gives the same text everywhere. An allow has every way that allows. Of a deny, missing-ways.ts says what
// would allow.
import { counted, plural } from '../../model/counted.ts'
import type { Why, WhyNode } from '../../model/why.ts'
import type { Because, Explanation, HeldSet, Match } from './explanation.ts'
import type { Hop } from './hops.ts'
import { missingWays } from './missing-ways.ts'
import type { Explained, Ways } from './ways.ts'
import { nodeOf, type QuestionNames, quoted, resourceOf, sayHeld, sayWay, sideOf, word } from './why-words.ts'

/** The explanation of a question. */
export function whyTree({ question, explanation: explained, ways }: Explained): Why {
  const { user, action, type, key } = question
  const { allow, revision, tenant } = explained
  const names = { user, action, type, key, tenant }
  const text = `${word(user)} ${allow ? 'can' : 'cannot'} ${word(action)} ${resourceOf(names)} in tenant ${word(tenant)}`
  const reasons = allow ? allowing(names, explained, ways) : missingWays(names, explained, ways)
  const tree = nodeOf(allow ? 'allow' : 'deny', text, [...reasons, ...remarks(explained)])
  return { allow, revision, user, action, resource: { type, ...(key === undefined ? {} : { key }) }, tenant, tree }
}

function allowing(names: QuestionNames, { because, matches }: Explanation, { hops }: Ways): WhyNode[] {
  const byRoles = because.filter(({ source }) => source === 'rbac').map((way) => nodeOf('met', sayRole(names, way)))
  const byRelations = hops.length === 0 ? [] : [nodeOf('met', sayHops(names, hops))]
  const more = because.filter(({ source }) => source === 'abac').length - matches.length
  const others =
    more > 0
      ? [nodeOf('met', `${counted(more, 'more set rule', 'more set rules')} ${plural(more, 'allows', 'allow')} this`)]
      : []
  return [...byRoles, ...byRelations, ...matches.map((match) => sayMatch(names, match)), ...others]
}

function sayRole({ user }: QuestionNames, { role, tenant, path, permission }: Because): string {
  const extended = path.slice(1).map((each) => `, which extends ${word(each)}`)
  return `${word(user)} has role ${word(role)} in tenant ${word(tenant)}${extended.join('')}, which has ${word(permission)}`
}

function sayHops({ user, action, type }: QuestionNames, hops: readonly Hop[]): string {
  return `${word(user)} has ${sayWay(hops)}, which has ${word(`${type}:${action}`)}`
}

function sayMatch(names: QuestionNames, { user_set, resource_set, held }: Match): WhyNode {
  const [users, resources] = [sideOf('user_set', user_set), sideOf('resource_set', resource_set)]
  const isRole = users.startsWith('role ')
  return nodeOf('met', `a set rule allows this: ${users}, ${resources}`, [
    ...(isRole ? [nodeOf('met', `${word(names.user)} has ${users} in tenant ${word(names.tenant)}`)] : []),
    ...held.map((set) => sayHeldSet(names, set)),
  ])
}

function sayHeldSet(names: QuestionNames, { side, set, tests }: HeldSet): WhyNode {
  const who = side === 'user_set' ? word(names.user) : resourceOf(names)
  const tested = tests.map((test) => nodeOf('met', sayHeld(test)))
  return nodeOf('met', `${who} is in ${sideOf(side, set)}`, tested)
}

/** What its author may not have meant: attributes that count as missing, and a `not` over a missing value (D7). */
function remarks({ ill_typed, notes }: Explanation): WhyNode[] {
  return [
    ...ill_typed.map(({ attribute, declared, value }) =>
      nodeOf('note', `${attribute} is declared ${declared}: conditions do not see ${quoted(value)}`),
    ),
    ...notes.map(({ set, ...test }) => nodeOf('note', `in set ${word(set)}, below a \`not\`: ${sayHeld(test)}`)),
  ]
}
