// What `npm test` leaves out of long lists of cases of one kind, and `npm run test:all` does not.

/** Whether everything is asked: `npm test` has a quarter of the scale (test/property/seed.ts). */
export const IS_WHOLE = Number(process.env.ZEROHOP_TEST_SCALE ?? 1) >= 1

const EACH = 3

/** All of them, or every third, beginning elsewhere with each turn: over the turns all kinds of cases are asked. */
export const pickSome = <T>(all: Iterable<T>, turn: number): readonly T[] =>
  IS_WHOLE ? [...all] : [...all].filter((_, at) => (at + turn) % EACH === 0)
