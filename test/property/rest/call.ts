// One request of the management API, and how the model describes its outcome: the faults that the request has, each a
// status, and what it does when it has none. The answer may name any of several faults.
import type { State } from './state.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Call {
  readonly method: Method
  /** without the environment: `$S/…` or `$F/…` */
  readonly path: string
  readonly body?: unknown
  /** names the last object of the path by id, when it has one */
  readonly byId?: boolean
}

/** What the model expects: a status, or one of several for a request with several faults, and what the answer says. */
export interface Outcome {
  readonly status: number | readonly number[]
  /** without ids and times; undefined when only the status counts */
  readonly answer?: unknown
}

export type Handler = (state: State, params: readonly string[], body: never) => Outcome

/** Gathers the faults of one request. */
export class Faults {
  readonly statuses: number[] = []

  /** Returns `condition`, so that what follows can depend on it. */
  when(condition: boolean, status: number): boolean {
    if (condition) this.statuses.push(status)
    return condition
  }

  /** The refusal, or what `act` answers when nothing is wrong. */
  else(act: () => Outcome): Outcome {
    return this.statuses.length > 0 ? { status: this.statuses } : act()
  }
}

export const ok = (answer: unknown): Outcome => ({ status: 200, answer })
export const NO_CONTENT: Outcome = { status: 204 }
export const unique = (list: readonly string[]): string[] => [...new Set(list)]

/** A field after a write: null and, for a PUT, absence mean the default. */
export function settle<T>(body: Record<string, unknown>, field: string, current: T, fallback: T): T {
  if (!(field in body)) return current
  return (body[field] as T | null) ?? fallback
}

/** An answer without what the model does not know: ids, times and what is always null. */
export function withoutStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStamps)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(
    ([name]) => !(name === 'id' || /(_id|_at)$/.test(name) || /^v1compat_/.test(name)),
  )
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutStamps(inner)]))
}
