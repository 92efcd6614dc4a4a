// Phrases in names and comments.
import type { FoundPhrase } from '../wording/counts.ts'
import { IN_COMMENTS, IN_NAMES, type Phrase } from '../wording/phrases.ts'
import type { SourceFile } from './source.ts'

/** The limits of sources (counts.ts). */
export const LIMITS = 'test/tidy/language.json'

/** What stands before the words of a comment. */
const MARKS = /^\s*(\/\/|\/\*\*?|\*(?!\/))?\s*/

/** Comments are read line by line. */
export function findInSource({ path, code, comments }: SourceFile): FoundPhrase[] {
  if (!/\.m?[jt]s$/.test(path)) return []
  const words = comments.split('\n').map((line) => line.replace(MARKS, ''))
  return [...findIn(path, code.split('\n'), IN_NAMES), ...findIn(path, words, IN_COMMENTS)]
}

function findIn(path: string, lines: readonly string[], phrases: readonly Phrase[]): FoundPhrase[] {
  return lines.flatMap((line, at) =>
    phrases.flatMap(({ phrase, instead }) => {
      const all = line.match(new RegExp(phrase, `${phrase.flags}g`)) ?? []
      return all.map((text) => ({ path, line: at + 1, text, instead }))
    }),
  )
}
