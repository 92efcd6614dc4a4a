// The sources of the kernel as tokens, as far as mutations need them: words, numbers, strings, operators, brackets,
// each with its place in the text, whether it begins a line, and how deep in brackets it stands.

export type TokenKind = 'word' | 'number' | 'string' | 'sign'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
  /** the first of its line */
  readonly first: boolean
  /** brackets of any kind around it */
  readonly depth: number
}

const PATTERN =
  /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<word>[A-Za-z_$][\w$]*)|(?<number>0x[\da-f]+|\d[\d.]*(?:e[+-]?\d+)?)|(?<string>'(?:[^'\\]|\\.)*')|(?<sign>>>>=|===|!==|>>>|<<=|>>=|\*\*|=>|<=|>=|&&|\|\||\+\+|--|[-+*/%&|^]=|<<|>>|[-+*/%&|^!~<>=?:;,.(){}[\]@])/gy

/** @throws on a character that no source of the kernel has */
export function listTokens(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  let line = true
  PATTERN.lastIndex = 0
  for (let start = 0; start < text.length; start = PATTERN.lastIndex) {
    const groups = PATTERN.exec(text)?.groups
    if (groups === undefined) throw new Error(`cannot read ${JSON.stringify(text.slice(start, start + 20))}`)
    const end = PATTERN.lastIndex
    if (groups.space !== undefined) {
      line ||= groups.space.includes('\n')
      continue
    }
    const kind = (['word', 'number', 'string', 'sign'] as const).find((each) => groups[each] !== undefined)!
    const token = text.slice(start, end)
    if (kind === 'sign' && ')]}'.includes(token)) depth--
    tokens.push({ kind, text: token, start, end, first: line, depth })
    if (kind === 'sign' && '([{'.includes(token)) depth++
    line = false
  }
  return tokens
}

const CONTINUES = /^(===|!==|>>>|<=|>=|&&|\|\||<<|>>|[-+*/%&|^<>?:.,)\]]|as)$/
const EXPECTS = /^(===|!==|>>>|<=|>=|&&|\|\||<<|>>|=|=>|[-+*/%&|^]=|[-+*/%&|^<>?:.,([!~]|as|return|const|let)$/

/**
 * The index after the last token of the statement that begins at `from`: nothing is between statements but line ends.
 */
export function endOfStatement(tokens: readonly Token[], from: number): number {
  const { depth } = tokens[from]!
  let at = from + 1
  for (; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.depth < depth) break
    if (token.depth > depth || !token.first) continue
    if (!CONTINUES.test(token.text) && !EXPECTS.test(tokens[at - 1]!.text)) break
  }
  return at
}

/** The index of the bracket that closes the one at `open`. */
export function closing(tokens: readonly Token[], open: number): number {
  const { depth } = tokens[open]!
  for (let at = open + 1; at < tokens.length; at++)
    if (tokens[at]!.depth === depth && ')]}'.includes(tokens[at]!.text)) return at
  throw new Error(`the bracket at ${tokens[open]!.start} is never closed`)
}
