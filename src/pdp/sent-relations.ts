// Reads the relations of a question (D14: relations sent with a question) and refuses what cannot be meant. Names that
// no one knows are not an error: they give nothing (D1: default deny).
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

const PATH: Path = ['resource', 'relations']

/**
 * A copy of the relations, which the input has at `path`; undefined when there are none. A copy, because reading what
 * the caller sends may run code of the caller that changes it. Lists of one are made at their size: one that grows has
 * room for 17, which is a tenth of a check. @throws what `refuse` makes; TOO_MANY_RELATIONS
 */
export function readRelations(
  relations: unknown,
  refuse: Refuse,
  path: Path = PATH,
): readonly SentRelation[] | undefined {
  if (relations === undefined || relations === null) return undefined
  if (typeof relations !== 'object' || Array.isArray(relations)) throw refuse(relations, 'object')
  let found: SentRelation[] | undefined
  for (const relation in relations) {
    if (!Object.hasOwn(relations, relation)) continue
    const list = (relations as Readonly<Record<string, unknown>>)[relation]
    if (list === undefined) continue // as if it were absent
    if (!Array.isArray(list)) throw refuse(list, 'list', relation)
    if (found?.length === SENT_RELATIONS_MAX) throw tooMany('relations', SENT_RELATIONS_MAX, path)
    const { length } = list
    if (length > SENT_SUBJECTS_MAX)
      throw tooMany(`subjects of relation \`${relation}\``, SENT_SUBJECTS_MAX, [...path, relation])
    const one = { relation, subjects: readSubjects(list, length, relation, refuse) }
    if (found === undefined) found = [one]
    else found.push(one)
  }
  return found
}

function readSubjects(list: readonly unknown[], length: number, relation: string, refuse: Refuse): string[] {
  if (length === 1) return [readSubject(list[0], relation, 0, refuse)]
  const subjects: string[] = []
  for (let at = 0; at < length; at++) subjects.push(readSubject(list[at], relation, at, refuse))
  return subjects
}

function readSubject(subject: unknown, relation: string, at: number, refuse: Refuse): string {
  if (typeof subject !== 'string' || subject.indexOf(':') < 1) throw refuse(subject, 'subject', relation, at)
  return subject
}

function tooMany(what: string, limit: number, path: Path): ZerohopError {
  return new ZerohopError('TOO_MANY_RELATIONS', { what, limit }, { path })
}
