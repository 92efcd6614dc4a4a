// A moment by both clocks of this machine. The wall clock counts a suspended machine, and may be set; the monotonic one
// cannot be set, and stands while the machine is suspended. So an age is the older one of the two.

/** Milliseconds: of performance.now(), and since 1970. */
export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** The moment `agoMs` ago. */
export const momentBefore = (agoMs: number): Moment => ({
  monotonic: performance.now() - agoMs,
  wall: Date.now() - agoMs,
})

/** Milliseconds by which the clocks of a machine may differ without any of them having been set. */
const SLACK_MS = 100

/** True when the wall clock was set back between the two: it is then unknown how much time is between them. */
export const wasSetBack = (from: Moment, to: Moment): boolean =>
  to.wall < from.wall || to.monotonic - from.monotonic > to.wall - from.wall + SLACK_MS

/** Milliseconds since the moment. */
export const measureAge = ({ monotonic, wall }: Moment): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall)
