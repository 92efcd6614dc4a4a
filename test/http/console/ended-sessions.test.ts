// The list of sessions that were signed out is bounded, and what it drops is never let in again.
import { describe, expect, it } from 'vitest'
import { EndedSessions } from '../../../src/http/console/ended-sessions.ts'
import { SESSION_MS, SESSIONS_ENDED_MAX } from '../../../src/model/limits.ts'

const NOW = 1_800_000_000_000
/** The session that began so many ms after the first one. */
const session = (at: number) => ({ id: `session ${at}`, startedAt: NOW + at })

function full(): EndedSessions {
  const ended = new EndedSessions()
  for (let at = 0; at < SESSIONS_ENDED_MAX; at++) ended.add(session(2 * at), NOW)
  return ended
}

describe('EndedSessions', () => {
  it('knows as many as it may, and no other', () => {
    const ended = full()
    expect(ended.has(session(0))).toBe(true)
    expect(ended.has(session(2 * SESSIONS_ENDED_MAX - 2))).toBe(true)
    expect([ended.has(session(1)), ended.has(session(2 * SESSIONS_ENDED_MAX))]).toEqual([false, false])
  })

  it('when it is full, ends those that began no later than the one that it drops', () => {
    const ended = full()
    ended.add(session(2 * SESSIONS_ENDED_MAX), NOW)
    ended.add(session(2 * SESSIONS_ENDED_MAX + 2), NOW)
    expect([0, 1, 2].map((at) => ended.has(session(at)))).toEqual([true, true, true])
    expect([ended.has(session(3)), ended.has(session(4))]).toEqual([false, true])
  })

  it('makes room first by those that have ended anyway', () => {
    const ended = full()
    ended.add(session(3 * SESSIONS_ENDED_MAX), NOW + SESSION_MS + 100)
    expect([ended.has(session(100)), ended.has(session(102)), ended.has(session(101))]).toEqual([false, true, false])
  })
})
