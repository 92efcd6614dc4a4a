// Reads facts as lines of JSON (facts-lines.ts): each line, parsed, is checked for its form and put into the list of its
// kind, as a policy has it.
import { ZerohopError } from '../../model/errors.ts'
import * as t from '../../model/json-schema.ts'
import type { FactKind } from '../../model/policy-kinds.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { IN_FILES } from '../rules/kinds-in-files.ts'
import { requireShape, type Shape } from '../rules/shape.ts'
import { PolicyFile } from '../schemas/policy-file.ts'
import { FACTS_IN_ORDER, type FactLists } from './export.ts'
import { FACTS_VERSION, type FactsEnd, type FactsHeader } from './facts-lines.ts'

const HEADER = t.open({
  zerohop_facts: t.schemaOf<number>({ enum: [FACTS_VERSION] }),
  revision: t.optional(t.schemaOf<number>({})),
  skipped: t.optional(t.schemaOf<number>({})),
})
const END = t.closed({ end: t.closed({ facts: t.schemaOf<number>({}) }) })
const FACT = t.closed(Object.fromEntries(FACTS_IN_ORDER.map((kind) => [kind, t.optional(findForm(kind))])))

/** The form of one fact of a kind. */
function findForm(kind: FactKind): t.TSchema {
  const list = PolicyFile.properties[IN_FILES[kind].section] as Shape
  return t.schemaOf({ ...list.items })
}

/** What a line is. */
export type Line = FactsHeader | FactsEnd | 'fact'

/** Collects the lines of a part of a file, each parsed, into the lists of a policy. */
export class FactsReader {
  readonly #lists: { [section: string]: unknown[] } = {}
  /** by section, the number of the line of each fact */
  readonly #lines = new Map<string, { readonly kind: FactKind; readonly at: number[] }>()
  #facts = 0

  /** Number of facts. */
  get facts(): number {
    return this.#facts
  }

  get lists(): Partial<FactLists> {
    return this.#lists as Partial<FactLists> // each fact has the form of its list
  }

  /** @param line its number, for errors. @throws INPUT_INVALID with the path `body`, line, … */
  add(value: unknown, line: number): Line {
    const path = [...BODY, line]
    const first = typeof value === 'object' && value !== null ? Object.keys(value)[0] : undefined
    if (first === 'zerohop_facts') {
      requireShape(HEADER, value, path)
      return value as FactsHeader
    }
    if (first === 'end') {
      requireShape(END, value, path)
      return value as FactsEnd
    }
    requireShape(FACT, value, path)
    const [member, ...more] = Object.entries(value as object)
    if (member === undefined || more.length > 0) {
      const reason = `a line has one fact, such as {"user":{"key":"ana"}}; kinds: ${FACTS_IN_ORDER.join(', ')}`
      throw new ZerohopError('INPUT_INVALID', { reason }, { path })
    }
    const [kind, fact] = member as [FactKind, unknown]
    const { section } = IN_FILES[kind]
    let lines = this.#lines.get(section)
    if (lines === undefined) {
      lines = { kind, at: [] }
      this.#lines.set(section, lines)
      this.#lists[section] = []
    }
    this.#lists[section]?.push(fact)
    lines.at.push(line)
    this.#facts++
    return 'fact'
  }

  /** An error of a use case over the lists, with the place in the lines. */
  located(error: unknown): unknown {
    if (!(error instanceof ZerohopError)) return error
    const [root, section, at, ...rest] = error.path ?? []
    const lines = root === BODY[0] ? this.#lines.get(String(section)) : undefined
    const line = lines?.at[Number(at)]
    if (lines === undefined || line === undefined) return error
    const path: Path = [...BODY, line, lines.kind, ...rest]
    return new ZerohopError(error.code, error.details, { path, cause: error.cause })
  }
}
