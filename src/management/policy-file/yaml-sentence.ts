// Errors of the YAML parser in words that say what to do. What has no words here is said as the parser says it.

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent YAML: use spaces',
  BAD_SCALAR_START: 'a text cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two keys on one line: put a text that holds `: ` in quotes, or begin a new line',
  MULTILINE_IMPLICIT_KEY: 'this key spans several lines: is a `:` missing after it?',
  BAD_ALIAS: 'aliases are not supported: write the value out',
  TAG_RESOLVE_FAILED: 'tags such as `!name` are not supported: put a text that begins with `!` in quotes',
  MISSING_CHAR: 'a quote or a bracket is not closed, or a comma is missing',
  UNEXPECTED_TOKEN: 'this belongs to nothing above it: is it indented rightly?',
  BAD_INDENT: 'this line is indented by other than its neighbours, or a bracket is not closed',
}

/** One line, without the excerpt that the parser adds. */
export function yamlSentence(code: string, message: string): string {
  const [line = ''] = message.split('\n')
  return SENTENCES[code] ?? `not valid YAML: ${line.replace(/ at line \d+, column \d+:?$/, '')}`
}
