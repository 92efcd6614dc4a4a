// Reads a matcher into alternatives: what `||` and parentheses stand for is multiplied out, so that each alternative is a
// list of terms that must all be true. A term of an unknown form stays as text, and its alternative cannot
// be said.
import { MATCHER_ALTERNATIVES_MAX, MATCHER_DEPTH_MAX } from '../../model/limits.ts'

export type Term =
  /** `r.sub == p.sub`, or with a text in place of one of them */
  | { readonly form: 'equal'; readonly request: string; readonly with: Value; readonly text: string }
  /** `p.act == "*"`: only lines with that value */
  | { readonly form: 'filter'; readonly column: string; readonly value: string; readonly text: string }
  /** `g(r.sub, p.sub, r.dom)`, `keyMatch(r.obj, p.obj)` */
  | {
      readonly form: 'call'
      readonly name: string
      readonly request: string
      readonly with: Value
      readonly domain?: string
      readonly text: string
    }
  | { readonly form: 'other'; readonly text: string }

/** What a part of the request is compared with. */
export type Value = { readonly column: string } | { readonly text: string }

/** The alternatives, or what is wrong with the matcher. */
export function readMatcher(text: string): readonly (readonly Term[])[] | string {
  try {
    return readAlternatives(text, 0)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

class Unreadable extends Error {}

function readAlternatives(text: string, depth: number): Term[][] {
  if (depth > MATCHER_DEPTH_MAX)
    throw new Unreadable(`the matcher has more than ${MATCHER_DEPTH_MAX} parentheses inside of each other`)
  const ors = splitAt(text, '||')
  if (ors.length > 1) return bounded(ors.flatMap((part) => readAlternatives(part, depth + 1)))
  const ands = splitAt(text, '&&')
  if (ands.length > 1)
    return ands
      .map((part) => readAlternatives(part, depth + 1))
      .reduce((before, next) => bounded(before.flatMap((one) => next.map((other) => [...one, ...other]))))
  const whole = text.trim()
  if (whole === '') throw new Unreadable('the matcher has an operator without an operand')
  return isInParentheses(whole) ? readAlternatives(whole.slice(1, -1), depth + 1) : [[readTerm(whole)]]
}

function bounded(alternatives: Term[][]): Term[][] {
  if (alternatives.length <= MATCHER_ALTERNATIVES_MAX) return alternatives
  throw new Unreadable(`the matcher has more than ${MATCHER_ALTERNATIVES_MAX} alternatives`)
}

/** The parts between operators that stand in no parentheses and no quotes. */
function splitAt(text: string, operator: string): string[] {
  const parts: string[] = []
  let start = 0
  for (const { at, depth } of outside(text))
    if (depth === 0 && at >= start && text.startsWith(operator, at)) {
      parts.push(text.slice(start, at))
      start = at + operator.length
    }
  return [...parts, text.slice(start)]
}

/** The characters that stand in no quotes, with the number of parentheses around each. */
function* outside(text: string): Iterable<{ readonly at: number; readonly depth: number }> {
  let [depth, quote] = [0, '']
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quote !== '') {
      if (char === quote) quote = ''
      continue
    }
    if (char === '"' || char === "'") quote = char
    else if (char === ')' && --depth < 0) throw new Unreadable('the matcher closes a parenthesis that is not open')
    else yield { at, depth }
    if (char === '(') depth++
  }
  if (quote !== '') throw new Unreadable('a quote of the matcher is not closed')
  if (depth > 0) throw new Unreadable('a parenthesis of the matcher is not closed')
}

function isInParentheses(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false
  return [...outside(text)].every(({ at, depth }) => at === 0 || at === text.length - 1 || depth > 0)
}

const OPERAND = /^(?:(r|p)\.(\w+)|"([^"\\]*)"|'([^'\\]*)')$/
type Operand = { readonly request: string } | Value

function readOperand(text: string): Operand | undefined {
  const [, side, name = '', double, single] = OPERAND.exec(text.trim()) ?? []
  if (side !== undefined) return side === 'r' ? { request: name } : { column: name }
  const value = double ?? single
  return value === undefined ? undefined : { text: value }
}

function readTerm(text: string): Term {
  const other: Term = { form: 'other', text }
  const sides = splitAt(text, '==')
  if (sides.length === 2) return readEqual(text, readOperand(sides[0] ?? ''), readOperand(sides[1] ?? '')) ?? other
  const [, name, inner = ''] = /^(\w+)\s*\((.*)\)$/s.exec(text) ?? []
  if (name === undefined) return other
  const [first, second, third, ...more] = splitAt(inner, ',').map(readOperand)
  if (first === undefined || second === undefined || more.length > 0) return other
  if (!('request' in first) || 'request' in second) return other
  const call = { form: 'call', name, request: first.request, with: second, text } as const
  if (splitAt(inner, ',').length === 2) return call
  return third !== undefined && 'request' in third ? { ...call, domain: third.request } : other
}

function readEqual(text: string, one: Operand | undefined, other: Operand | undefined): Term | undefined {
  if (one === undefined || other === undefined) return undefined
  if ('request' in one)
    return 'request' in other ? undefined : { form: 'equal', request: one.request, with: other, text }
  if ('request' in other) return { form: 'equal', request: other.request, with: one, text }
  if ('column' in one && 'text' in other) return { form: 'filter', column: one.column, value: other.text, text }
  if ('text' in one && 'column' in other) return { form: 'filter', column: other.column, value: one.text, text }
  return undefined
}
