// Waiting for what happens in its own time, without saying how long it takes: a test that is right is never slow, one
// that is wrong ends.
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

const PATIENCE_MS = 60_000
/**
 * Between two questions, longer each time: many tests ask a server, or begin work, which costs what others wait for.
 */
const PAUSE_MS = 10
const PAUSE_MS_MAX = 100

/** Asks until the answer is `expected`; fails with the last answer when it never is. */
export async function eventually<T>(ask: () => Promise<T> | T, expected: T): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  let answer = await ask()
  for (let ms = PAUSE_MS; !equal(answer, expected) && Date.now() < deadline; ms = Math.min(ms * 1.5, PAUSE_MS_MAX)) {
    await pause(ms)
    answer = await ask()
  }
  expect(answer).toEqual(expected)
}

const equal = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)
