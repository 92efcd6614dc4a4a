// What is wrong with policy files, and where: in the form in which compilers say it.
import type { Path } from '../rules/fields.ts'

/** A file that was read. */
export interface Source {
  /** as it is named in problems: a path */
  readonly name: string
  readonly text: string
}

/** A part of a file; lines and columns count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** how many characters of the line are meant; at least 1 */
  readonly length: number
}

export interface Problem {
  readonly severity: 'error' | 'warning'
  /** one sentence, without a full stop */
  readonly message: string
  readonly place: Place
  /** another place that it is about, such as that of the first of two objects with one key */
  readonly related?: { readonly place: Place; readonly message: string }
}

/** Finds the place of a part of the policy by its path, such as `['roles', 0, 'permissions', 1]`. */
export type PlaceOf = (path: Path, which?: 'key' | 'value') => Place

/** Finds places in the files. */
export interface Places {
  readonly placeOf: PlaceOf
  /** of the first key or text at the path or below it that is wanted */
  placeOfWord(path: Path, wanted: (word: string) => boolean): Place | undefined
}

/** Problems in the order in which a reader meets them, each once. */
export function inOrder(problems: readonly Problem[], files: readonly string[]): Problem[] {
  const order = new Map(files.map((name, at) => [name, at]))
  const seen = new Set<string>()
  const once = problems.filter(({ place: { file, line, column }, message }) => {
    const name = JSON.stringify([file, line, column, message])
    return !seen.has(name) && seen.add(name)
  })
  const rank = ({ place }: Problem) => order.get(place.file) ?? 0
  return once.sort(
    (one, other) =>
      rank(one) - rank(other) || one.place.line - other.place.line || one.place.column - other.place.column,
  )
}
