// What recorded decisions are found by: each record has a term for its user, action, resource, tenant and outcome. A
// term is a hash, so keys of any length and with any characters take the same room; who shows what was found by terms
// compares the record itself.
import { createHash } from 'node:crypto'
import { AUDIT_HASHES_KEPT } from '../model/limits.ts'
import type { AuditRecord } from './audit-tables.ts'

/** `type` is the resource type, `instance` is `type:key`. */
export type TermKind = 'user' | 'action' | 'type' | 'instance' | 'tenant' | 'decision'

export interface Term {
  readonly kind: TermKind
  /** 16 hex digits */
  readonly hash: string
}

/** A record fits when it has one of the terms of each group. */
export type TermGroups = readonly (readonly Term[])[]

/** Hashes of the values that came last: the same users, actions and tenants come again and again, for terms and for uses. */
const hashes = new Map<string, string>()

export function makeTerm(kind: TermKind, value: string | boolean): Term {
  const text = `${kind}\0${value}`
  let hash = hashes.get(text)
  if (hash === undefined) {
    hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
    if (hashes.size >= AUDIT_HASHES_KEPT) hashes.clear()
    hashes.set(text, hash)
  }
  return { kind, hash }
}

type Asked = Pick<AuditRecord, 'user' | 'action' | 'resource_type' | 'resource_key' | 'tenant' | 'decision'>

/** The terms of a record. */
export function listTerms({ user, action, resource_type: type, resource_key: key, tenant, decision }: Asked): Term[] {
  const terms = [makeTerm('user', user), makeTerm('action', action), makeTerm('type', type), makeTerm('tenant', tenant)]
  if (key !== null) terms.push(makeTerm('instance', `${type}:${key}`))
  return [...terms, makeTerm('decision', decision)]
}

const MINUTE_MS = 60_000

/** The minute of a time, counted since 1970. */
export const toMinute = (at: number): number => Math.floor(at / MINUTE_MS)

/** Allowed and denied decisions of some time. */
export interface AuditMinutes {
  /** ms since 1970 */
  readonly at: number
  readonly allowed: number
  readonly denied: number
}

/** Counts of decisions in a range of time. */
export interface AuditMinutesRange {
  /** ms since 1970, whole minutes; the first is included, the last is not */
  readonly since: number
  readonly before: number
  /** minutes that are counted together */
  readonly minutes: number
}

export const timeOfMinute = (minute: number): number => minute * MINUTE_MS

/** Adds decisions up by environment and minute, for one transaction. */
export class MinuteSums {
  readonly #sums = new Map<string, { environment: string; minute: number; allowed: number; denied: number }>()

  add(environment: string, { at, decision }: Pick<AuditRecord, 'at' | 'decision'>): void {
    const minute = toMinute(at)
    const key = `${environment}${String(minute).padStart(12, '0')}`
    const sum = this.#sums.get(key) ?? { environment, minute, allowed: 0, denied: 0 }
    if (decision) sum.allowed++
    else sum.denied++
    this.#sums.set(key, sum)
  }

  /** By environment, then time: everyone who locks rows of counts does it in this order. */
  sums(): readonly { environment: string; minute: number; allowed: number; denied: number }[] {
    return [...this.#sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
  }
}
