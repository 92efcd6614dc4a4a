// Errors of the YAML parser in words that say what to do. What has no words here is pattern as the parser says it.

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent YAML: use spaces',
  BAD_SCALAR_START: 'a text cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two keys on one line: put a text that holds `: ` in quotes, or begin a new line',
  BLOCK_IN_FLOW: 'a second `:` before the next comma: is a comma missing, or are quotes?',
  MULTILINE_IMPLICIT_KEY: 'this key spans several lines: is a `:` missing after it?',
  BAD_ALIAS: 'aliases are not supported: write the value out',
  TAG_RESOLVE_FAILED: 'tags such as `!name` are not supported: put a text that begins with `!` in quotes',
  MISSING_CHAR: 'a quote or a bracket is not closed, or a comma is missing',
  UNEXPECTED_TOKEN: 'this does not belong to what is above it: is it indented rightly, or are quotes missing?',
  BAD_INDENT: 'this line is indented differently from those beside it, or a bracket above is not closed',
}

/** What the parser says more precisely than its code. */
const PRECISE: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [
    /^Sequence item without - indicator/,
    'this line is indented differently from those above it, or begins without `- `',
  ],
  [/^Missing closing (["'])quote/, 'the quote `$1` is not closed'],
  [/and end with a ([\]}])/, 'a bracket is not closed: `$1` is missing here or before'],
  [/^Plain value cannot start with .* character (.)$/, 'a text cannot begin with `$1`: put it in quotes'],
]

/** One line, without the excerpt that the parser adds. */
export function yamlSentence(code: string, message: string): string {
  const line = message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '')
  for (const [pattern, sentence] of PRECISE) {
    const found = pattern.exec(line)
    if (found !== null) return sentence.replace('$1', () => found[1]!)
  }
  return SENTENCES[code] ?? `not valid YAML: ${line}`
}
