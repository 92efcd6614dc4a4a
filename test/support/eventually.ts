// Waiting for what happens in its own time, without saying how long it takes: a test that is right is never slow, one
// that is wrong ends.
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

const PATIENCE_MS = 60_000

/** Asks until the answer is `expected`; fails with the last answer when it never is. */
export async function eventually<T>(ask: () => Promise<T> | T, expected: T): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  let answer = await ask()
  while (!equal(answer, expected) && Date.now() < deadline) {
    await pause(10)
    answer = await ask()
  }
  expect(answer).toEqual(expected)
}

const equal = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)
