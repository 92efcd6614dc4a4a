// Conditions on time: comparisons of the present time with instants and durations that a tuple has, joined by `&&`. They
// are the times of a grant (D15). Everything else in a condition has no equal.
import { IMPORTED_CONDITION_TOKENS_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { ConditionJson } from './parser.ts'
import { parseDuration, parseTimestamp } from './time.ts'

/** When a grant is in force, in ms since 1970; `never` when it is not at any time. */
export type Times = { readonly from?: number; readonly until?: number } | 'never'

/** The condition with the context of a tuple, or why it cannot be said. */
export type TimesOf = (context: JsonObject) => Times | { readonly reason: string }

type Type = 'timestamp' | 'duration'
/** A sum: how often the present time is in it, and what else. */
interface Sum {
  readonly type: Type
  readonly now: number
  readonly terms: readonly { readonly sign: 1 | -1; readonly value: bigint | Parameter }[]
}
interface Parameter {
  readonly name: string
  readonly type: Type
}
interface Comparison {
  readonly left: Sum
  readonly operator: string
  readonly right: Sum
}

class Unsaid extends Error {}

/** @param present the parameter that is the present time */
export function readCondition(condition: ConditionJson, present: string): TimesOf | { readonly reason: string } {
  try {
    const comparisons = new ConditionReader(condition, present).read()
    if (comparisons.every(({ left, right }) => left.now === right.now))
      throw new Unsaid(`it does not compare \`${present}\`, the present time`)
    return (context) => {
      try {
        return join(comparisons, context, present)
      } catch (error) {
        if (!(error instanceof Unsaid)) throw error
        return { reason: error.message }
      }
    }
  } catch (error) {
    if (!(error instanceof Unsaid)) throw error
    return { reason: error.message }
  }
}

const TOKEN = /\s*(?:(&&|<=|>=|[<>+\-()])|("[^"\\\n]*"|'[^'\\\n]*')|([A-Za-z_]\w*))/y

class ConditionReader {
  readonly #tokens: string[] = []
  #at = 0
  readonly #types: NonNullable<ConditionJson['parameters']>

  constructor(
    { expression, parameters }: ConditionJson,
    readonly present: string,
  ) {
    this.#types = parameters ?? {}
    const text = expression.trim()
    TOKEN.lastIndex = 0
    for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
      const found = TOKEN.exec(text)
      if (found === null) throw new Unsaid(`\`${text.slice(at).trim().slice(0, 40)}\` is not a comparison of times`)
      this.#tokens.push(found[0].trim())
      if (this.#tokens.length > IMPORTED_CONDITION_TOKENS_MAX)
        throw new Unsaid(`it has more than ${IMPORTED_CONDITION_TOKENS_MAX} words and signs`)
    }
  }

  read(): readonly Comparison[] {
    const all = this.#conjunction()
    if (this.#at < this.#tokens.length) throw new Unsaid(`\`${this.#tokens[this.#at]}\` is not understood there`)
    return all
  }

  #conjunction(): readonly Comparison[] {
    const all = [...this.#comparison()]
    while (this.#take('&&')) all.push(...this.#comparison())
    return all
  }

  #comparison(): readonly Comparison[] {
    const begun = this.#at
    try {
      const left = this.#sum()
      const operator = this.#tokens[this.#at++] ?? ''
      if (!/^[<>]=?$/.test(operator)) throw new Unsaid(`\`${operator}\` is not a comparison of times`)
      const right = this.#sum()
      if (left.type !== right.type) throw new Unsaid('it compares an instant with a duration')
      if (Math.abs(left.now - right.now) > 1) throw new Unsaid('it has the present time on both sides')
      return [{ left, operator, right }]
    } catch (error) {
      this.#at = begun
      if (!(error instanceof Unsaid) || !this.#take('(')) throw error
      const inner = this.#conjunction()
      if (!this.#take(')')) throw error
      return inner
    }
  }

  #sum(): Sum {
    let sum = this.#term()
    for (;;) {
      const sign = this.#take('+') ? 1 : this.#take('-') ? -1 : undefined
      if (sign === undefined) return sum
      sum = add(sum, sign, this.#term())
    }
  }

  #term(): Sum {
    const word = this.#tokens[this.#at++] ?? ''
    if (word === '(') {
      const sum = this.#sum()
      if (!this.#take(')')) throw new Unsaid('a parenthesis is not closed')
      return sum
    }
    if ((word === 'timestamp' || word === 'duration') && this.#take('(')) {
      const text = this.#tokens[this.#at++] ?? ''
      const value = /^["']/.test(text)
        ? (word === 'timestamp' ? parseTimestamp : parseDuration)(text.slice(1, -1))
        : undefined
      if (value === undefined || !this.#take(')')) throw new Unsaid(`\`${word}(${text})\` is not a constant`)
      return { type: word, now: 0, terms: [{ sign: 1, value }] }
    }
    const { type_name: type } = Object.hasOwn(this.#types, word) ? this.#types[word]! : { type_name: '' }
    const known = type === 'TYPE_NAME_TIMESTAMP' ? 'timestamp' : type === 'TYPE_NAME_DURATION' ? 'duration' : undefined
    if (known === undefined) throw new Unsaid(`it reads \`${word}\`, which is not a time`)
    if (word === this.present && known === 'timestamp') return { type: known, now: 1, terms: [] }
    return { type: known, now: 0, terms: [{ sign: 1, value: { name: word, type: known } }] }
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }
}

function add(one: Sum, sign: 1 | -1, other: Sum): Sum {
  const instants = [one, other].filter(({ type }) => type === 'timestamp').length
  if (instants === 2 && sign === 1) throw new Unsaid('it adds two instants')
  if (sign === -1 && one.type === 'duration' && other.type === 'timestamp')
    throw new Unsaid('it takes an instant from a duration')
  const terms = other.terms.map((term) => ({ ...term, sign: (term.sign * sign) as 1 | -1 }))
  return {
    type: instants === 1 ? 'timestamp' : 'duration',
    now: one.now + sign * other.now,
    terms: [...one.terms, ...terms],
  }
}

function join(comparisons: readonly Comparison[], context: JsonObject, present: string): Times {
  if (Object.hasOwn(context, present)) throw new Unsaid(`the tuple itself says what \`${present}\` is`)
  let [from, until]: [bigint | undefined, bigint | undefined] = [undefined, undefined]
  for (const { left, operator, right } of comparisons) {
    const now = left.now - right.now
    // now · t is compared with the rest
    const rest = sumUp(right, context) - sumUp(left, context)
    if (now === 0) {
      if (!holds(0n, operator, rest)) return 'never'
      continue
    }
    const [sign, bound] = now === 1 ? [operator, rest] : [turned(operator), -rest]
    // instants here are whole milliseconds: the first that is meant, or the first that is not
    const edge = sign === '<' || sign === '>=' ? -floor(-bound) : floor(bound) + 1n
    if (sign.startsWith('<')) until = until === undefined || edge < until ? edge : until
    else from = from === undefined || edge > from ? edge : from
  }
  if (from !== undefined && until !== undefined && from >= until) return 'never'
  return {
    ...(from === undefined ? {} : { from: toDate(from) }),
    ...(until === undefined ? {} : { until: toDate(until) }),
  }
}

function sumUp({ terms }: Sum, context: JsonObject): bigint {
  return terms.reduce(
    (sum, { sign, value }) => sum + BigInt(sign) * (typeof value === 'bigint' ? value : read(value, context)),
    0n,
  )
}

function read({ name, type }: Parameter, context: JsonObject): bigint {
  const value = Object.hasOwn(context, name) ? context[name] : undefined
  if (value === undefined) throw new Unsaid(`the tuple does not say what \`${name}\` is, so the application does`)
  const found = typeof value === 'string' ? (type === 'timestamp' ? parseTimestamp : parseDuration)(value) : undefined
  if (found === undefined) throw new Unsaid(`\`${name}\` of the tuple is not a ${type}`)
  return found
}

const floor = (nanoseconds: bigint): bigint => {
  const whole = nanoseconds / 1_000_000n
  return whole * 1_000_000n > nanoseconds ? whole - 1n : whole
}

const turned = (operator: string): string => operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'))

const holds = (left: bigint, operator: string, right: bigint): boolean =>
  operator === '<' ? left < right : operator === '<=' ? left <= right : operator === '>' ? left > right : left >= right

/** Years of four digits, as facts are written. */
function toDate(milliseconds: bigint): number {
  if (milliseconds < -62_167_219_200_000n || milliseconds > 253_402_300_799_999n)
    throw new Unsaid('the time is before the year 0 or after 9999')
  return Number(milliseconds)
}
