// What conditions read, with the values that decide: the attributes of the subjects and users of the proof are made of
// these.
import type { Scalar, Value } from './values.ts'

/** A value of an attribute in a question; `of` is filled in for each user. */
export type Candidate =
  | { readonly value: unknown }
  /** what an attribute of the user is, or one item of it */
  | { readonly of: string; readonly item?: true }
  | 'missing'

/** What an attribute of a user is compared as. */
export type UserForm = 'scalar' | 'number' | 'list'

export interface ReadOf {
  /** those of interest, each once, by their text */
  readonly candidates: Map<string, Candidate>
  /** compared by order: a missing value has no place in an order */
  isOrdered: boolean
}

/** Attributes that the conditions of one rule read. */
export class Reads {
  readonly attributes = new Map<string, ReadOf>()
  /** types of what attributes are compared with */
  readonly types = new Map<string, Set<string>>()
  readonly users = new Map<string, UserForm>()
  /** values with which the conditions are likely to be true */
  readonly witness = new Map<string, Candidate>()

  /** @param wanted makes the comparison true */
  add(path: string, wanted: Candidate, others: readonly Candidate[], isOrdered = false): void {
    const known = this.attributes.get(path) ?? { candidates: new Map(), isOrdered: false }
    this.attributes.set(path, known)
    known.isOrdered ||= isOrdered
    for (const candidate of [wanted, ...others]) known.candidates.set(JSON.stringify(candidate), candidate)
    if (!this.witness.has(path)) this.witness.set(path, wanted)
  }

  addType(path: string, value: unknown): void {
    const type = Array.isArray(value) ? 'list' : value === null ? 'none' : typeof value
    this.types.set(path, (this.types.get(path) ?? new Set()).add(type))
  }

  addUser(ref: string, form: UserForm): void {
    if (ref !== 'user.key' && !this.users.has(ref)) this.users.set(ref, form)
  }
}

export const toCandidate = (value: Value, item?: true): Candidate =>
  typeof value === 'object' ? { of: value.ref, ...(item ? { item } : {}) } : { value }

/** A value of the same type that is another one. */
export function findOther(value: Value): Candidate {
  if (typeof value === 'object') return { value: 'someone-else' }
  return { value: other(value) }
}

const other = (value: Scalar): Scalar =>
  typeof value === 'string' ? `${value}-other` : typeof value === 'number' ? value + 1 : !value
