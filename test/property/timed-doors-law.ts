// The law of times at every door (D15): an image that is asked at an instant answers as one that has nothing but what is
// in force then, without a time. It is asked at one instant after another and back, so that what it keeps of one must not
// be used at the next.
import type { Image as Images } from '../../src/image/image.ts'
import type { PolicyPut } from '../../src/kinds/index.ts'
import { isInForce, projectTimes, type TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { filterWorld } from './filter-worlds.ts'
import { collectAnswers, collectNames, diffAccess, enlarge } from './live-ids-law.ts'
import { numbers } from './numbers.ts'
import { BORDERS } from './times.ts'
import type { Next } from './values.ts'

/** Instants for each environment. */
const ASKED = 4

const isGrant = ({ kind }: PolicyChange): boolean => kind === 'role_assignment' || kind === 'relationship_tuple'

const isTimed = (change: PolicyChange): boolean => isGrant(change) || change.kind === 'user'

/** The same puts, in which each grant has times, or none, and some users are suspended (D16), also for a time. */
const drawTimes = (changes: readonly PolicyChange[], next: Next): PolicyChange[] =>
  changes.map((change): PolicyChange => {
    if (change.op === 'delete' || !isTimed(change) || next(4) === 0) return change
    if (change.kind === 'user' && next(2) === 0) return change
    const at = next(BORDERS.length - 1)
    const [from, until] = [BORDERS[at]!, BORDERS[at + 1 + next(BORDERS.length - 1 - at)]!]
    const times = [{ valid_from: from }, { valid_until: until }, { valid_from: from, valid_until: until }]
    if (change.kind === 'user') return { ...change, value: { ...change.value, suspension: [{}, ...times][next(4)]! } }
    return { ...change, value: { ...change.value, ...times[next(3)] } } as PolicyChange
  })

/** What is in force at an instant, without its times. */
const inForceAt = (changes: readonly PolicyChange[], now: number): PolicyChange[] =>
  changes.flatMap((change): PolicyChange[] => {
    if (change.op === 'delete' || !isTimed(change)) return [change]
    if (change.kind === 'user') {
      const { suspension, ...user } = change.value
      const isOut = suspension !== undefined && isInForce(suspension, now)
      return [{ ...change, value: isOut ? { ...user, suspension: {} } : user }]
    }
    const { valid_from: _, valid_until: __, ...value } = change.value as PolicyPut['value'] & TimesPolicy
    return isInForce(projectTimes(change.value as TimesPolicy), now) ? [{ ...change, value } as PolicyChange] : []
  })

/** The same without the users who are suspended, and what is about them: nothing at all is known of them (D16). */
function withoutSuspended(changes: readonly PolicyChange[]): PolicyChange[] {
  const out = new Set(
    changes.flatMap((change) =>
      change.op === 'put' && change.kind === 'user' && change.value.suspension !== undefined ? [change.key] : [],
    ),
  )
  return changes.filter(({ kind, key, ...change }) => {
    if (kind === 'user') return !out.has(key)
    const belongsToUser = kind === 'role_assignment' || kind === 'membership'
    return !belongsToUser || !('value' in change) || !out.has((change.value as { readonly user: string }).user)
  })
}

/** What says until when an answer is right, or what would be in force at another time: only one of the two does. */
const OF_TIMES = new Set([
  'suspension',
  'validUntil',
  'lifetimeMs',
  'etag',
  'valid_from',
  'valid_until',
  'not_in_force',
])

/** The same as `explain`, in words, which name these too. */
const IN_WORDS = 'why'

/** An answer as text, without these. */
export const answerText = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => {
    if (value === 'user_suspended') return 'user_not_synced' // and nothing else
    return OF_TIMES.has(name) ? undefined : value
  })

/** Doors that say what is stored. */
const OF_STORED = new Set(['knows'])

interface Answered {
  readonly door: string
  readonly now: number
  readonly timed: unknown
  readonly right: unknown
}

/** Answers at some instants of a random environment. @param Image the class that is tested */
export function* timedDoorsLaw(seed: number, Image: typeof Images): Iterable<Answered> {
  const next = numbers(seed)
  const { world } = filterWorld(next, 0)
  enlarge(world)
  const names = collectNames(world)
  const build = (changes: readonly PolicyChange[]) => Image.build(ENVIRONMENT, makePosition(1), changes)
  const [was, is] = [drawTimes(world.contents(), next), drawTimes(world.contents(), next)]
  const [before, after] = [build(was), build(is)]
  for (let left = ASKED; left > 0; left--) {
    const now = BORDERS[next(BORDERS.length)]! - next(2)
    const [then, rights] = [inForceAt(was, now), inForceAt(is, now)]
    const right = build(rights)
    const answers = collectAnswers(build(withoutSuspended(rights)), names, now)
    for (const [door, answer] of collectAnswers(right, names, now)) if (OF_STORED.has(door)) answers.set(door, answer)
    for (const [door, timed] of collectAnswers(after, names, now))
      if (door !== IN_WORDS) yield { door, now, timed, right: answers.get(door) }
    const changes = [...was, ...is]
    yield {
      door: 'access diff',
      now,
      timed: diffAccess(before, after, changes, now),
      right: diffAccess(build(then), right, changes, now),
    }
  }
}
