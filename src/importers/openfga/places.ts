// Where the parts of a model stand: its texts are searched for the lines that begin them, because the parser gives no
// places of what is right.
import type { Place } from '../../management/policy-file/problem.ts'

/** A text in the modelling language: a file, or a part of one. */
export interface ModelText {
  readonly file: string
  readonly text: string
  /** lines of the file before it */
  readonly before: number
}

export interface Definition {
  readonly place: Place
  /** as it stands there */
  readonly text: string
}

/** Finds the definition of a type, a relation (`type#relation`) or a condition (`condition name`). */
export type Definitions = (name: string) => Definition

export const conditionName = (name: string): string => `condition ${name}`

export function placeIn({ file, before }: ModelText, line: number): Place {
  return { file, line: before + line + 1, column: 1, length: 1 }
}

const TYPE = /^\s*(?:extend\s+)?type\s+([^\s#]+)/
const RELATION = /^\s*define\s+([^\s:]+)\s*:/
const CONDITION = /^\s*condition\s+([^\s(]+)/

export function findDefinitions(texts: readonly ModelText[]): Definitions {
  const found = new Map<string, Definition>()
  for (const text of texts) {
    let type = ''
    for (const [at, line] of text.text.split('\n').entries()) {
      const [, named] = TYPE.exec(line) ?? []
      const [, relation] = RELATION.exec(line) ?? []
      const [, condition] = CONDITION.exec(line) ?? []
      type = named ?? type
      const name =
        relation !== undefined ? `${type}#${relation}` : condition !== undefined ? conditionName(condition) : named
      if (name !== undefined && !found.has(name))
        found.set(name, {
          place: placeIn(text, at),
          text: line
            .replace(/\s#.*$/, '')
            .replace(/\{\s*$/, '')
            .trim(),
        })
    }
  }
  const [first] = texts
  const nowhere: Place = first === undefined ? { file: '', line: 1, column: 1, length: 1 } : placeIn(first, 0)
  return (name) => found.get(name) ?? { place: nowhere, text: name }
}
