// An entry of the log is put together from the JSON that the state has of its objects: it is what JSON makes of the whole.
import { expect, it } from 'vitest'
import type { User } from '../../src/kinds/user.ts'
import { type Change, put, remove, withoutRequest } from '../../src/log/change.ts'
import { CHAIN_BYTES, decodeEntry, encodeEntry, listTexts } from '../../src/store/log.ts'

const LOG = 'a'.repeat(32)
const HEAD = { revision: 6, chain: 'b'.repeat(64) }
const user = (key: string, attributes: object): User => ({ key, email: null, attributes }) as never

it.each([
  ['no change', []],
  ['a put and a delete', [put('user', user('ana', { level: 1 })), remove('user', 'ben')]],
  ['texts that look like the form', [put('user', user('"},{"op":"', { ',"changes":': '\\"\u2028\ud83d\ude00' }))]],
  ['keys that are quoted', [remove('user', '"\\\n'), put('user', user('\u007f"', {}))]],
] as const)('an entry with %s is the JSON of its body', (_, changes: readonly Change[]) => {
  for (const summary of [undefined, 'said "so"']) {
    const about = {
      at: 5,
      by: withoutRequest('test'),
      status: 201,
      changes,
      ...(summary === undefined ? {} : { summary }),
    }
    const { bytes, revision, chain } = encodeEntry(LOG, HEAD, about, listTexts(changes))
    const { at, by, status } = about
    const body = { log: LOG, revision: 7, at, by, status, ...(summary === undefined ? {} : { summary }), changes }
    expect(Buffer.from(bytes.subarray(CHAIN_BYTES)).toString()).toBe(JSON.stringify(body))
    expect(decodeEntry(bytes)).toEqual({ ...JSON.parse(JSON.stringify(body)), chain })
    expect(revision).toBe(7)
  }
})
