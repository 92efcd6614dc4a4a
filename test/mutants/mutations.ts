// Small wrongs, made systematically: every place of a source where one of these changes is possible, with the change.
// What a place is comes from the tokens alone, so that a new line of the kernel is mutated without anybody thinking of
// it.
import { closing, endOfStatement, listTokens, type Token } from './tokens.ts'

export interface Mutation {
  /** what kind of wrong it is */
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Members of an enum, in their order: an opcode becomes the one after it. */
export type Enums = ReadonlyMap<string, readonly string[]>

const SWAPS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['+'],
  '/': ['*'],
  '%': ['+'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>>'],
  '>>>': ['<<'],
  '++': ['--'],
  '--': ['++'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['+='],
  '|=': ['&='],
  '&=': ['|='],
  '^=': ['|='],
}
/** Enums that say what something is, and not where a field lies. */
const MEANINGS = ['Op', 'Kind', 'Verdict', 'Source', 'Type']

export function listMutations(text: string, enums: Enums): Mutation[] {
  const tokens = listTokens(text)
  const found: Mutation[] = []
  for (let at = 0; at < tokens.length; at++) {
    const skip = skipped(tokens, at)
    if (skip > at) {
      at = skip - 1
      continue
    }
    found.push(...atToken(text, tokens, at, enums))
  }
  return found
}

/** Imports, exports of names, and assertions, which a release has none of: where to go on. */
function skipped(tokens: readonly Token[], at: number): number {
  const { text, first } = tokens[at]!
  if (first && text === 'import') return endOfStatement(tokens, at)
  if (text === 'assert' && tokens[at + 1]?.text === '(') return closing(tokens, at + 1) + 1
  if (text === 'if' && tokens[at + 3]?.text === 'ASC_NO_ASSERT') {
    const body = closing(tokens, at + 1) + 1
    return tokens[body]?.text === '{' ? closing(tokens, body) + 1 : endOfStatement(tokens, body)
  }
  return at
}

function atToken(text: string, tokens: readonly Token[], at: number, enums: Enums): Mutation[] {
  const token = tokens[at]!
  switch (token.kind) {
    case 'sign':
      return atSign(text, tokens, at)
    case 'number':
      return isNone(tokens, at) ? [] : atNumber(token)
    case 'word':
      return atWord(text, tokens, at, enums)
    case 'string':
      return []
  }
}

const replaced = (kind: string, { start, end }: Pick<Token, 'start' | 'end'>, text: string): Mutation => ({
  kind,
  start,
  end,
  text,
})

function atSign(text: string, tokens: readonly Token[], at: number): Mutation[] {
  const token = tokens[at]!
  if (token.text === '?') return negation(text, tokens, ternaryStart(tokens, at), at)
  if (isTypeArgument(tokens, at) || isUnary(tokens, at)) return []
  const swapped = (SWAPS[token.text] ?? []).map((other) => replaced(`${token.text} to ${other}`, token, other))
  if (token.text !== '&&' && token.text !== '||') return swapped
  return [...swapped, ...operands(tokens, at).flatMap(([from, to]) => negation(text, tokens, from, to))]
}

const ENDS = /^(&&|\|\||=|return|\?|:|,|;|=>)$/

/** What stands behind `&&` or `||`, and before the first of them. */
function operands(tokens: readonly Token[], sign: number): [from: number, to: number][] {
  const { depth } = tokens[sign]!
  const ends = (at: number) => {
    const token = tokens[at]
    return token === undefined || token.depth < depth || (token.depth === depth && ENDS.test(token.text))
  }
  let from = sign
  while (!ends(from - 1)) from--
  const end = endOfStatement(tokens, sign)
  let to = sign + 1
  while (to < end && !ends(to)) to++
  const isFirst = !/^(&&|\|\|)$/.test(tokens[from - 1]?.text ?? '')
  return [...(isFirst ? ([[from, sign]] as [number, number][]) : []), [sign + 1, to]]
}

/** `load<u32>(`: brackets around a type. */
function isTypeArgument(tokens: readonly Token[], at: number): boolean {
  const [open, close] = tokens[at]!.text === '<' ? [at, at + 2] : [at - 2, at]
  return tokens[open]?.text === '<' && tokens[close]?.text === '>' && tokens[close + 1]?.text === '(' && open > 0
}

function isUnary(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  if (tokens[at]!.text !== '-') return false
  return before === undefined || (before.kind === 'sign' && !')]'.includes(before.text)) || before.text === 'return'
}

/** `=== 0` asks for none: it is turned round as a comparison, and no id is 1. */
function isNone(tokens: readonly Token[], at: number): boolean {
  return tokens[at]!.text === '0' && /^[=!]==$/.test(tokens[at - 1]?.text ?? '')
}

function atNumber(token: Token): Mutation[] {
  const value = Number(token.text)
  if (!Number.isSafeInteger(value)) return [replaced('constant', token, String(value * 2))]
  return [value + 1, ...(value > 0 ? [value - 1] : [])].map((other) => replaced('constant', token, String(other)))
}

function atWord(text: string, tokens: readonly Token[], at: number, enums: Enums): Mutation[] {
  const token = tokens[at]!
  const found: Mutation[] = []
  const next = tokens[at + 1]
  if ((token.text === 'if' || token.text === 'while') && next?.text === '(') {
    found.push(...negation(text, tokens, at + 2, closing(tokens, at + 1)))
  }
  if (token.text === 'for' && next?.text === '(') {
    const close = closing(tokens, at + 1)
    const parts = range(at + 2, close).filter(
      (each) => tokens[each]!.text === ';' && tokens[each]!.depth === next.depth + 1,
    )
    const [first, second] = parts
    if (first! + 1 < second!) found.push(...negation(text, tokens, first! + 1, second!))
  }
  if (token.text === 'return') found.push(...returned(text, tokens, at))
  if (token.text === 'true') found.push(replaced('true to false', token, 'false'))
  if (token.text === 'false') found.push(replaced('false to true', token, 'true'))
  if (token.text === 'break') found.push(replaced('no break', token, ';'))
  if (isStatement(tokens, at)) {
    const last = tokens[endOfStatement(tokens, at) - 1]!
    found.push(replaced('no statement', { start: token.start, end: last.end }, ';'))
  }
  const members = MEANINGS.includes(token.text) && next?.text === '.' ? enums.get(token.text) : undefined
  if (members !== undefined) {
    const member = tokens[at + 2]!
    const other = members[(members.indexOf(member.text) + 1) % members.length]!
    found.push(replaced(`${member.text} to ${other}`, member, other))
  }
  return found
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Nothing for a lone `a === b`, which is turned round as a comparison. */
function negation(text: string, tokens: readonly Token[], from: number, to: number): Mutation[] {
  const { depth } = tokens[from]!
  const signs = range(from, to).filter(
    (at) => tokens[at]!.depth === depth && /^([=!]==|&&|\|\|)$/.test(tokens[at]!.text),
  )
  if (signs.length === 1 && /^[=!]==$/.test(tokens[signs[0]!]!.text)) return []
  const [start, end] = [tokens[from]!.start, tokens[to - 1]!.end]
  return [{ kind: 'negated', start, end, text: `!(${text.slice(start, end)})` }]
}

/** The condition of `a ? b : c` begins after what cannot be part of it. */
function ternaryStart(tokens: readonly Token[], question: number): number {
  const { depth } = tokens[question]!
  let at = question - 1
  while (at > 0) {
    const { text, depth: inner } = tokens[at - 1]!
    if (inner < depth || (inner === depth && /^(=|return|:|,|\+=|\?)$/.test(text))) break
    at--
  }
  return at
}

/** A call or an assignment of its own: what may be left out. */
function isStatement(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!
  const before = tokens[at - 1]
  if (
    /^(const|let|if|else|for|while|do|switch|case|default|return|break|export|function|import|enum|class)$/.test(
      token.text,
    )
  )
    return false
  const begins = token.first ? !/^([,(.?:+*/%&|^<>=-]|&&|\|\||=>|===|!==)$/.test(before?.text ?? '{') : false
  const after = !token.first && (before?.text === ')' || before?.text === 'else') && isBody(tokens, at)
  if (!begins && !after) return false
  const next = tokens[at + 1]?.text ?? ''
  return /^(\(|=|[-+*/%&|^]=|\+\+|--|<)$/.test(next)
}

/** What follows the brackets of `if (…)`, `for (…)` and `while (…)`, or `else`. */
function isBody(tokens: readonly Token[], at: number): boolean {
  if (tokens[at - 1]!.text === 'else') return true
  const { depth } = tokens[at - 1]!
  for (let open = at - 2; open > 0; open--) {
    if (tokens[open]!.depth === depth && tokens[open]!.text === '(')
      return /^(if|for|while)$/.test(tokens[open - 1]!.text)
  }
  return false
}

/** Another answer: each truth value, or 0 for a number. */
function returned(text: string, tokens: readonly Token[], at: number): Mutation[] {
  const end = endOfStatement(tokens, at)
  if (end === at + 1) return []
  const [start, stop] = [tokens[at + 1]!.start, tokens[end - 1]!.end]
  const what = text.slice(start, stop)
  if (what === 'true' || what === 'false') return [] // flipped as a word
  if (returnsTruth(text, tokens[at]!.start)) {
    return [
      { kind: 'returns true', start, end: stop, text: 'true' },
      { kind: 'returns false', start, end: stop, text: 'false' },
    ]
  }
  if (/^\d+$/.test(what) || what.startsWith('Verdict.')) return [] // changed as a constant
  return [{ kind: 'returns 0', start, end: stop, text: '0' }]
}

function returnsTruth(text: string, place: number): boolean {
  const types = [...text.slice(0, place).matchAll(/^(?:export )?function [\s\S]*?\)\s*:\s*(\w+) \{$/gm)]
  return types.at(-1)?.[1] === 'bool'
}

/** The enums of assembly/abi.ts and assembly/limits.ts. */
export function parseEnums(text: string): Enums {
  return new Map(
    [...text.matchAll(/export enum (\w+) \{([\s\S]*?)\n\}/g)].map(([, name, body]) => [
      name!,
      [...body!.matchAll(/^\s*(\w+)(?: = |,)/gm)].map((member) => member[1]!),
    ]),
  )
}
