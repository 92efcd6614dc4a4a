// The keys that random histories draw from.

/** Keys to draw from. Small pools make things meet; the wide ones reach the borders of words, pages and tables. */
export interface Pool {
  readonly users: readonly string[]
  readonly tenants: readonly string[]
  readonly roles: readonly string[]
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  /** seed of the times of grants (times.ts); absent: they have none */
  readonly times?: number
  /** seed of the roles for everybody (everybody.ts); absent: there are none */
  readonly everybody?: number
}
