// The tests of a store: each assertion is a question with the answer that it has. What `list_objects` and `list_users` say is
// asked about each object or user that the test could list.
import type { Place, Problem } from '../../management/policy-file/problem.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { WrittenTest } from './store-file.ts'
import { isObject, isUser, splitObject, splitUser, type Tuple, type TupleKey } from './tuples.ts'

/** A question to OpenFGA. */
export interface Asked {
  readonly user: string
  readonly relation: string
  readonly object: string
  /** tuples that count for it besides those of the store */
  readonly tuples: readonly TupleKey[]
  readonly context: JsonObject
  /** what a test of the store says */
  readonly expected?: boolean
  /** of the test */
  readonly place?: Place
  /** of a user who stands for a userset */
  readonly key?: string
}

export interface AssertionsOfTest {
  readonly name: string
  readonly asked: readonly Asked[]
  readonly tuples: readonly Tuple[]
}

export interface Assertions {
  readonly tests: readonly AssertionsOfTest[]
  readonly problems: readonly Problem[]
}

export function listAssertions(tests: readonly WrittenTest[], stored: readonly Tuple[]): Assertions {
  const reader = new AssertionReader(stored)
  return {
    tests: tests.map((each, at) => reader.read(each, at)),
    problems: reader.problems,
  }
}

type Path = readonly (string | number)[]

class AssertionReader {
  readonly problems: Problem[] = []

  constructor(readonly stored: readonly Tuple[]) {}

  read(written: WrittenTest, at: number): AssertionsOfTest {
    const { test, tuples } = written
    const there = [...this.stored, ...tuples]
    const asked: Asked[] = []
    const own = tuples.map((tuple) => tuple.written)
    const ask = (path: Path, question: Omit<Asked, 'tuples'>): void => {
      if (this.#isQuestion(written, path, question))
        asked.push({ ...question, tuples: own, place: written.placeOf(path) })
    }
    for (const [index, { user, users, object, objects, context, assertions }] of (test.check ?? []).entries()) {
      const path = ['check', index]
      const [who, what] = [
        [...(user ? [user] : []), ...(users ?? [])],
        [...(object ? [object] : []), ...(objects ?? [])],
      ]
      if (who.length === 0 || what.length === 0) this.#refuse(written, path, 'a check has `user` and `object`')
      for (const one of who)
        for (const other of what)
          for (const [relation, expected] of Object.entries(assertions))
            ask(path, { user: one, relation, object: other, context: context ?? {}, expected })
    }
    for (const [index, { user, type, context, assertions }] of (test.list_objects ?? []).entries())
      for (const [relation, list] of Object.entries(assertions)) {
        const known = there.flatMap((tuple) => [
          tuple.written.object,
          ...(tuple.user.relation === undefined ? [tuple.written.user] : []),
        ])
        const objects = new Set([
          ...(list ?? []),
          ...known.filter((name) => splitObject(name).type === type && !name.endsWith(':*')),
        ])
        for (const object of objects)
          ask(['list_objects', index], {
            user,
            relation,
            object,
            context: context ?? {},
            expected: (list ?? []).includes(object),
          })
      }
    for (const [index, { object, user_filter: filter, context, assertions }] of (test.list_users ?? []).entries())
      for (const [relation, { users }] of Object.entries(assertions)) {
        const listed = new Set(users ?? [])
        const known = there.map((tuple) => tuple.written.user)
        for (const user of new Set([...listed, ...known])) {
          const { type, relation: of } = splitUser(user)
          if (!filter.some((each) => each.type === type && (each.relation ?? undefined) === of)) {
            if (listed.has(user))
              this.#refuse(written, ['list_users', index], `\`${user}\` is none of the \`user_filter\``)
            continue
          }
          // everyone stands for all of a type
          const expected = listed.has(user) || (of === undefined && listed.has(`${type}:*`))
          ask(['list_users', index], { user, relation, object, context: context ?? {}, expected })
        }
      }
    return { name: test.name ?? `test ${at + 1}`, asked, tuples }
  }

  #isQuestion(written: WrittenTest, path: Path, { user, object }: Pick<Asked, 'user' | 'object'>): boolean {
    if (!isUser(user)) this.#refuse(written, path, `\`${user}\` is not a user such as user:anne`)
    else if (!isObject(object)) this.#refuse(written, path, `\`${object}\` is not an object such as document:1`)
    else return true
    return false
  }

  #refuse(written: WrittenTest, path: Path, message: string): void {
    this.problems.push({ severity: 'error', message, place: written.placeOf(path) })
  }
}
