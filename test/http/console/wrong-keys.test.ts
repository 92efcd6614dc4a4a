// Wrong keys are counted for a bounded number of addresses, and for a bounded time.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WrongKeys } from '../../../src/http/console/wrong-keys.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import {
  WRONG_KEY_ADDRESSES_MAX,
  WRONG_KEY_WAIT_MAX_MS,
  WRONG_KEYS_FORGOTTEN_MS,
  WRONG_KEYS_FREE,
} from '../../../src/model/limits.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const from = (ip: string) => ({ ip }) as FastifyRequest
const reply = { header: () => reply } as unknown as FastifyReply

/** Seconds that the address has to wait. */
function secondsToWait(keys: WrongKeys, ip: string): number {
  try {
    keys.requireTurn(from(ip), reply)
    return 0
  } catch (error) {
    if (isZerohopError(error, 'SIGN_IN_LIMITED')) return Number(error.details.seconds)
    throw error
  }
}

function fail(keys: WrongKeys, ip: string, times: number): void {
  for (let at = 0; at < times; at++) keys.count(from(ip))
}

describe('WrongKeys', () => {
  it('lets an address err, then makes it wait up to a minute', () => {
    const keys = new WrongKeys()
    fail(keys, '192.0.2.1', WRONG_KEYS_FREE - 1)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(0)
    fail(keys, '192.0.2.1', 1)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(1)
    fail(keys, '192.0.2.1', 50)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(WRONG_KEY_WAIT_MAX_MS / 1000)
  })

  it('never waits longer because the clock was set back', () => {
    const keys = new WrongKeys()
    fail(keys, '192.0.2.1', WRONG_KEYS_FREE)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(1)
  })

  it('begins again when an address erred long ago', () => {
    const keys = new WrongKeys()
    fail(keys, '192.0.2.1', 20)
    vi.setSystemTime(Date.now() + WRONG_KEYS_FORGOTTEN_MS)
    fail(keys, '192.0.2.1', 1)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(0)
  })

  it('keeps a bounded number of addresses: the one that failed first is forgotten', () => {
    const keys = new WrongKeys()
    const address = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
    fail(keys, '192.0.2.1', WRONG_KEYS_FREE)
    for (let at = 0; at < WRONG_KEY_ADDRESSES_MAX - 1; at++) fail(keys, address(at), 1)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(1)
    fail(keys, address(WRONG_KEY_ADDRESSES_MAX), 1)
    expect(secondsToWait(keys, '192.0.2.1')).toBe(0)
  })

  it.each([
    ['2001:db8::1', '2001:db8:0:0:ffff::', true],
    ['2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::', true],
    ['::1', '::2', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('%s and %s are one network: %s', (one, other, same) => {
    const keys = new WrongKeys()
    fail(keys, one, WRONG_KEYS_FREE)
    expect(secondsToWait(keys, other)).toBe(same ? 1 : 0)
  })
})
