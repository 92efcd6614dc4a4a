// For how long the integration backend trusts a key of its provider: at most ten minutes after the provider withdrew
// it, and an hour while the provider cannot be read. The clock is faked.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Tokens } from '../../src/integration/tokens.ts'
import { JWKS_KEEP_MS, JWKS_REFRESH_MS, JWKS_RETRY_MS } from '../../src/model/limits.ts'
import { Provider } from './support.ts'

let provider: Provider
let tokens: Tokens

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  provider = new Provider()
  await provider.addKey('first')
  tokens = provider.tokens()
})
afterEach(() => {
  vi.useRealTimers()
})

const holds = (token: string): Promise<boolean> =>
  tokens.verify(`Bearer ${token}`, 'id').then(
    ({ sub }) => sub === 'ben',
    () => false,
  )
/** A token that holds for a day by everything but its key. */
const lasting = (): Promise<string> => provider.token('id', { exp: Date.now() / 1000 + 86_400 })

it('a key that the provider withdrew is refused ten minutes after the keys were read', async () => {
  const token = await lasting()
  expect([await holds(token), provider.fetched]).toEqual([true, 1])
  provider.removeKeys()
  await provider.addKey('second')
  vi.advanceTimersByTime(JWKS_REFRESH_MS - 1)
  expect([await holds(token), provider.fetched]).toEqual([true, 1])
  vi.advanceTimersByTime(1)
  expect([await holds(token), await holds(await lasting())]).toEqual([false, true])
})

it('a withdrawn key is refused at once when another token made the backend read the keys', async () => {
  const token = await lasting()
  expect(await holds(token)).toBe(true)
  provider.removeKeys()
  await provider.addKey('second')
  expect(await holds(await lasting())).toBe(true)
  expect(await holds(token)).toBe(false)
})

it('a withdrawn key is not kept under the id of its successor', async () => {
  const token = await lasting()
  expect(await holds(token)).toBe(true)
  provider.removeKeys()
  await provider.addKey('first')
  vi.advanceTimersByTime(JWKS_REFRESH_MS)
  expect([await holds(token), await holds(await lasting())]).toEqual([false, true])
})

it('old keys are read again once for many tokens', async () => {
  const token = await lasting()
  expect(await holds(token)).toBe(true)
  vi.advanceTimersByTime(JWKS_REFRESH_MS)
  const answers = await Promise.all(Array.from({ length: 20 }, () => holds(token)))
  expect([answers.every(Boolean), provider.fetched]).toEqual([true, 2])
})

it('the keys of a provider that is down are trusted for an hour, and not longer', async () => {
  const token = await lasting()
  expect(await holds(token)).toBe(true)
  provider.down = true
  vi.advanceTimersByTime(JWKS_REFRESH_MS)
  for (let at = 0; at < 20; at++) expect(await holds(token)).toBe(true)
  expect(provider.fetched).toBe(2)
  vi.advanceTimersByTime(JWKS_KEEP_MS - JWKS_REFRESH_MS - 1)
  expect(await holds(token)).toBe(true)
  vi.advanceTimersByTime(1)
  expect(await holds(token)).toBe(false)
  vi.advanceTimersByTime(JWKS_RETRY_MS)
  expect(await holds(token)).toBe(false)
  provider.down = false
  vi.advanceTimersByTime(JWKS_RETRY_MS)
  expect(await holds(token)).toBe(true)
})

it('a withdrawn key is refused soon after a provider that was down is back', async () => {
  const token = await lasting()
  expect(await holds(token)).toBe(true)
  provider.down = true
  vi.advanceTimersByTime(JWKS_REFRESH_MS)
  expect(await holds(token)).toBe(true)
  provider.down = false
  provider.removeKeys()
  vi.advanceTimersByTime(JWKS_RETRY_MS)
  await holds(token) // makes it read the keys, and does not wait for them
  expect(await holds(token)).toBe(false)
})
