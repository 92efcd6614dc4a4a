// Times of roles and tuples (D15). What has them is in force from an instant on and before another one. The instant is
// an argument of the question: nothing happens in memory when it passes. Whoever meets times without an instant notes
// that, and then the answer of the question is ASK_TIME, whatever else was found.
import { Query } from '../abi'
import { ASK_TIME } from '../limits'

/** Are there any times? Infinite ones do not count. */
export function hasTimes(from: f64, until: f64): bool {
  return from !== -Infinity || until !== Infinity
}

/** Is it in force at the instant of the question? */
export function isInForce(query: u32, from: f64, until: f64): bool {
  const now = load<f64>(query, Query.Now)
  if (Number.isNaN(now)) {
    store<u32>(query, 1, Query.NeedsTime)
    return false
  }
  return from <= now && /* canary: end-of-times */ now < until
}

/** Ends a question: its verdict, or ASK_TIME when that depends on an instant and it was not given. */
export function settle(query: u32, verdict: u32): u32 {
  if (/* canary: answers-without-an-instant */ load<u32>(query, Query.NeedsTime) === 0) return verdict
  store<u32>(query, 0, Query.NeedsTime)
  return ASK_TIME
}
