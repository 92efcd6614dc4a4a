// Problems of files as compilers print them: `file:line:column: error: …`, on a terminal with the line and a mark below
// it. Text of files is printed without characters that act on a terminal.
import { styleText } from 'node:util'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { plainLines } from '../../model/plain-text.ts'

export interface PrintOptions {
  /** also the lines that problems are in */
  readonly lines: boolean
  readonly colour: boolean
}

/** Characters of a line that are shown, around the place. */
const LINE_CHARS_MAX = 160

/** How a stream is written to: lines on a terminal, in colour unless NO_COLOR says otherwise. */
export function printOptions(output: NodeJS.WriteStream): PrintOptions {
  return { lines: output.isTTY === true, colour: output.isTTY === true && output.hasColors() }
}

/** The problems, each with a final line break. */
export function printProblems(problems: readonly Problem[], sources: readonly Source[], options: PrintOptions): string {
  const texts = new Map(sources.map(({ name, text }) => [name, text]))
  const knownLines = new Map<string, readonly string[]>()
  const lineAt = ({ file, line }: Place): string | undefined => {
    const known = knownLines.get(file) ?? (texts.get(file) ?? '').replace(/^\ufeff/, '').split(/\r?\n/)
    knownLines.set(file, known)
    return known[line - 1]
  }
  return problems.map((problem) => formatProblem(problem, lineAt, options)).join('')
}

function formatProblem(
  { severity, message, place, related }: Problem,
  lineAt: (place: Place) => string | undefined,
  { lines, colour }: PrintOptions,
): string {
  const word = severity === 'error' ? 'red' : 'yellow'
  const styled = (style: 'bold' | 'red' | 'yellow' | 'dim', text: string) => (colour ? styleText(style, text) : text)
  const excerpt = (at: Place) => (lines ? formatExcerpt(at, lineAt(at), (mark) => styled(word, mark)) : '')
  const more =
    related === undefined
      ? ''
      : `${styled('bold', shownPlace(related.place))}: note: ${plain(related.message)}\n${excerpt(related.place)}`
  return `${styled('bold', shownPlace(place))}: ${styled(word, severity)}: ${plain(message)}\n${excerpt(place)}${more}`
}

/** The line and a mark below the place. */
function formatExcerpt(
  { line, column, length }: Place,
  text: string | undefined,
  mark: (text: string) => string,
): string {
  if (text === undefined || text === '') return ''
  const start = Math.max(0, Math.min(column - 1, column - LINE_CHARS_MAX / 2))
  const shown = text.slice(start, start + LINE_CHARS_MAX)
  const before = text.slice(start, column - 1).replace(/[^\t]/g, ' ')
  const marks = '^'.repeat(Math.max(1, Math.min(length, shown.length - before.length)))
  const number = String(line).padStart(5)
  return `${number} | ${plain(shown)}\n${' '.repeat(number.length)} | ${before}${mark(marks)}\n`
}

const shownPlace = ({ file, line, column }: Place): string => `${plain(file)}:${line}:${column}`

/** An excerpt keeps its tabs: the mark below it has them too. */
const plain = (text: string): string => plainLines(text.replace(/[\r\n]+/g, ' '))
