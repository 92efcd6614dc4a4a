// A minimal tokenizer for six languages that separates code from text: the strings with their contents, and the code
// with strings and comments replaced by spaces, so that offsets stay valid. It is exact for code that compiles; in
// other code it may find less.

export type Language = 'javascript' | 'python' | 'go' | 'java' | 'csharp'

/** One string literal; `start` is where its content begins. Interpolated parts read `{}`. */
export interface Literal {
  readonly start: number
  readonly text: string
}

export interface Parsed {
  /** as long as the file; comments and contents of strings are spaces */
  readonly code: string
  readonly literals: readonly Literal[]
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  ts: 'javascript',
  cts: 'javascript',
  mts: 'javascript',
  tsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  java: 'java',
  cs: 'csharp',
}

export function languageOf(path: string): Language | undefined {
  return LANGUAGES[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
}

/** The delimiters of a kind of string. */
interface Quote {
  readonly open: RegExp
  readonly close: string
  /** `backslash`: a backslash escapes the next character; `double`: two closing quotes stand for one */
  readonly escape: 'backslash' | 'double' | 'none'
  /** the delimiters of code inside the string */
  readonly hole?: readonly [string, string]
  readonly lines: boolean
}

const q = (open: RegExp, close: string, rest: Partial<Quote> = {}): Quote => ({
  open,
  close,
  escape: 'backslash',
  lines: false,
  ...rest,
})

/** Ordered with the longest opening delimiters first. */
const QUOTES: Readonly<Record<Language, readonly Quote[]>> = {
  javascript: [q(/`/y, '`', { hole: ['${', '}'], lines: true }), q(/"/y, '"'), q(/'/y, "'")],
  python: [
    q(/[rbuRBU]*[fF][rbRB]?"""|[fF][rR]?"""/y, '"""', { hole: ['{', '}'], lines: true }),
    q(/[rbuRBU]*[fF][rbRB]?'''|[fF][rR]?'''/y, "'''", { hole: ['{', '}'], lines: true }),
    q(/[rbuRBU]{0,2}"""/y, '"""', { lines: true }),
    q(/[rbuRBU]{0,2}'''/y, "'''", { lines: true }),
    q(/[rR]?[fF][rR]?"/y, '"', { hole: ['{', '}'] }),
    q(/[rR]?[fF][rR]?'/y, "'", { hole: ['{', '}'] }),
    q(/[rbuRBU]{0,2}"/y, '"'),
    q(/[rbuRBU]{0,2}'/y, "'"),
  ],
  go: [q(/`/y, '`', { escape: 'none', lines: true }), q(/"/y, '"'), q(/'/y, "'")],
  java: [q(/"""/y, '"""', { lines: true }), q(/"/y, '"'), q(/'/y, "'")],
  csharp: [
    q(/\$?"""/y, '"""', { escape: 'none', lines: true, hole: ['{', '}'] }),
    q(/\$@"|@\$"/y, '"', { escape: 'double', lines: true, hole: ['{', '}'] }),
    q(/@"/y, '"', { escape: 'double', lines: true }),
    q(/\$"/y, '"', { hole: ['{', '}'] }),
    q(/"/y, '"'),
    q(/'/y, "'"),
  ],
}

/** Maximal nesting of strings in interpolated code. */
const HOLES_MAX = 100

/** A regular expression literal of JavaScript is possible where an operand is: after these, or at the beginning. */
const BEFORE_PATTERN = /(?:^|[=(,:;!&|?{}[\n+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else))\s*$/
const PATTERN = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y

export function parse(text: string, language: Language): Parsed {
  const literals: Literal[] = []
  const code = text.split('')
  let holes = 0
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at++) if (code[at] !== '\n') code[at] = ' '
  }
  scan(0, undefined)
  return { code: code.join(''), literals: literals.sort((left, right) => left.start - right.start) }

  /** Code from `at` to the end, or to the `closing` of interpolated code. Returns the end. */
  function scan(at: number, closing: string | undefined): number {
    let depth = 0
    while (at < text.length) {
      const comment = commentAt(at)
      if (comment > at) {
        blank(at, comment)
        at = comment
        continue
      }
      const quote = QUOTES[language].find(({ open }) => matchAt(open, at) !== undefined)
      if (quote !== undefined) {
        at = string(at + matchAt(quote.open, at)!.length, quote)
        continue
      }
      const pattern = language === 'javascript' && text[at] === '/' ? patternAt(at) : at
      if (pattern > at) {
        blank(at + 1, pattern)
        at = pattern
        continue
      }
      if (closing !== undefined) {
        if (text[at] === '{') depth++
        else if (text[at] === '}' && depth-- === 0) return at
      }
      at++
    }
    return at
  }

  /** Reads a string whose content begins at `at`. Returns the offset after it. */
  function string(start: number, { close, escape: hides, hole, lines }: Quote): number {
    let at = start
    let content = ''
    while (at < text.length && !text.startsWith(close, at)) {
      if (!lines && text[at] === '\n') break
      if (hides === 'backslash' && text[at] === '\\') {
        content += text.slice(at, at + 2)
        blank(at, at + 2)
        at += 2
      } else if (
        hole !== undefined &&
        holes < HOLES_MAX &&
        text.startsWith(hole[0], at) &&
        !text.startsWith('{{', at)
      ) {
        holes++
        const end = scan(at + hole[0].length, hole[1])
        holes--
        content += '{}'
        at = end + 1
      } else {
        const width = text.startsWith('{{', at) && hole !== undefined ? 2 : 1
        content += text.slice(at, at + width)
        blank(at, at + width)
        at += width
      }
      if (hides === 'double' && text.startsWith(close + close, at)) {
        content += close
        blank(at, at + 2)
        at += 2
      }
    }
    literals.push({ start, text: content })
    return Math.min(at + close.length, text.length)
  }

  function commentAt(at: number): number {
    if (language === 'python') return text[at] === '#' ? endOf('\n', at) : at
    if (text.startsWith('//', at)) return endOf('\n', at)
    if (text.startsWith('/*', at)) return endOf('*/', at + 2) + 2
    return at
  }

  function endOf(mark: string, from: number): number {
    const end = text.indexOf(mark, from)
    return end === -1 ? text.length : end
  }

  function patternAt(at: number): number {
    if (!BEFORE_PATTERN.test(code.slice(Math.max(0, at - 40), at).join(''))) return at
    return at + (matchAt(PATTERN, at)?.length ?? 0)
  }

  function matchAt(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
}
