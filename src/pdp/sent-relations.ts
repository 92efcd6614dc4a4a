// Reads the relations of a question (D14: relations sent with a question) and refuses what cannot be meant. Names that
// nobody knows are no error: they give nothing (D1: default deny).
import type { SentRelation } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import { SENT_RELATIONS_MAX, SENT_SUBJECTS_MAX } from '../model/limits.ts'

/**
 * For each relation of the resource the instances, `type:key`, that it is related to: counts like stored relationships,
 * for this check only. At most 64 relations of 64 instances.
 */
export type Relations = Readonly<Record<string, readonly string[] | undefined>>

type Path = readonly (string | number)[]

/** Makes the error for a value that is not what is expected, at a path inside the relations. */
export type Refuse = (value: unknown, expected: 'object' | 'list' | 'subject', ...path: Path) => ZerohopError

/**
 * A copy of the relations, which the input has at `path`; undefined when there are none. @throws what `refuse` makes;
 * TOO_MANY_RELATIONS
 */
export function readRelations(
  relations: unknown,
  refuse: Refuse,
  path: Path = ['resource', 'relations'],
): readonly SentRelation[] | undefined {
  if (relations === undefined || relations === null) return undefined
  if (typeof relations !== 'object' || Array.isArray(relations)) throw refuse(relations, 'object')
  const found: SentRelation[] = []
  for (const relation of Object.keys(relations)) {
    const list = (relations as Readonly<Record<string, unknown>>)[relation]
    if (list === undefined) continue // as if it were absent
    if (!Array.isArray(list)) throw refuse(list, 'list', relation)
    if (found.length === SENT_RELATIONS_MAX) throw tooMany('relations', SENT_RELATIONS_MAX, path)
    const { length } = list
    if (length > SENT_SUBJECTS_MAX)
      throw tooMany(`subjects of relation \`${relation}\``, SENT_SUBJECTS_MAX, [...path, relation])
    found.push({ relation, subjects: readSubjects(list, length, relation, refuse) })
  }
  return found.length === 0 ? undefined : found
}

function readSubjects(list: readonly unknown[], length: number, relation: string, refuse: Refuse): string[] {
  const subjects: string[] = []
  for (let at = 0; at < length; at++) {
    const subject = list[at]
    if (typeof subject !== 'string' || subject.indexOf(':') < 1) throw refuse(subject, 'subject', relation, at)
    subjects.push(subject)
  }
  return subjects
}

function tooMany(what: string, limit: number, path: Path): ZerohopError {
  return new ZerohopError('TOO_MANY_RELATIONS', { what, limit }, { path })
}
