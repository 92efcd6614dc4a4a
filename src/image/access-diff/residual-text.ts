// What is left of conditions as people read them: `resource.department is "hr" and context.country is "CH"`.
import type { Comparison, FilterNode, Leaf, Term } from '../../model/filter.ts'
import { CONDITION_TEXT_MAX } from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { OPERATORS, type Operator } from '../../model/operators.ts'
import { shorten } from '../../model/shorten.ts'
import type { Open, Residual } from './open-conditions.ts'

type Node = FilterNode<Open>

/** How much is written: short values, everything, or also the declared types. */
export type Detail = 'short' | 'long' | 'typed'

/** Two residuals that differ as texts that differ, where their length allows it. */
export function formatResiduals(before: Residual, after: Residual): readonly [before: string, after: string] {
  for (const detail of ['short', 'long', 'typed'] as const) {
    const [left, right] = [formatResidual(before, detail), formatResidual(after, detail)]
    if (left !== right) return [left, right]
  }
  return [formatResidual(before, 'short'), formatResidual(after, 'short')]
}

/** `never`, `always`, or the conditions; what is longer than CONDITION_TEXT_MAX ends with `…`. */
export function formatResidual(residual: Residual, detail: Detail = 'short'): string {
  if (typeof residual === 'boolean') return residual ? 'always' : 'never'
  const text = nodeText(residual, detail, false)
  return text.length <= CONDITION_TEXT_MAX ? text : `${text.slice(0, CONDITION_TEXT_MAX).toWellFormed()}…`
}

function nodeText(node: Node, detail: Detail, isInside: boolean): string {
  const parts = 'and' in node ? node.and : 'or' in node ? node.or : undefined
  if (parts === undefined)
    return 'not' in node ? `not ${leafText(node.not, detail)}` : leafText(node as Leaf<Open>, detail)
  if (parts.length === 0) return 'and' in node ? 'always' : 'never'
  const text = parts.map((part) => nodeText(part, detail, true)).join('and' in node ? ' and ' : ' or ')
  return isInside ? `(${text})` : text
}

function leafText(leaf: Leaf<Open>, detail: Detail): string {
  if ('op' in leaf) return `${termText(leaf.left, detail)} ${formatOperator(leaf)} ${termText(leaf.right, detail)}`
  if ('match' in leaf) {
    const of = { object: 'an object', any: 'some item', all: 'every item' }[leaf.match]
    return `${termText(leaf.left, detail)} has ${of} where (${nodeText(leaf.where, detail, false)})`
  }
  if ('related' in leaf) return `resource ${leaf.related} is one of ${valueText(leaf.in, detail)}`
  return `resource.key is one of ${valueText(leaf.key.in, detail)}`
}

function formatOperator({ op, right }: Comparison<Open>): string {
  if ('held' in right) return 'is'
  return ('keysOf' in right ? KEY_WORDS[op] : undefined) ?? OPERATORS[op].words.is
}
/** A match on the instances that a value names by key. */
const KEY_WORDS: Partial<Record<Operator, string>> = { in: 'is', array_intersect: 'has', array_subset: 'has only' }

function termText(term: Term<Open>, detail: Detail): string {
  if ('value' in term) return valueText(term.value, detail)
  if ('key' in term) return 'resource.key'
  if ('now' in term) return 'context.now'
  if ('item' in term) return term.item.length === 0 ? 'it' : term.item.join('.')
  if ('keysOf' in term) {
    const stored = term.as === undefined ? '' : `, as stored ${term.as} the change`
    return `the key of a ${term.keysOf} where (${nodeText(term.where, detail, false)})${stored}`
  }
  if ('held' in term) return heldText(term.held, term.only, detail)
  const name = term.path.join('.')
  const root = 'of' in term ? ROOTS[term.of] : 'resource.'
  return `${root}${name}${detail === 'typed' ? ` (${term.type})` : ''}`
}
const ROOTS = {
  user: 'user.',
  tenant: 'tenant.',
  context: 'context.',
  action: 'action.',
  item: '',
  relation: 'resource ',
}

function heldText(held: string, only: readonly string[], detail: Detail): string {
  const [type = '', role] = held.split('#')
  const what = role === undefined ? `a ${type} on which the user has a role` : `a ${type} on which the user is ${role}`
  return only.length === 0 ? what : `${what} (such as ${valueText(only, detail)})`
}

const valueText = (value: Json, detail: Detail): string =>
  JSON.stringify(detail === 'short' ? shorten(value) : value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | (?=[\]}])/g, '$1')
