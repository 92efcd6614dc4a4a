// [D1] The kernel denies what is unknown by itself, whoever calls it: zerohop/kernel.wasm is a door of its own.
import { describe, expect, it } from 'vitest'
import { kernelWith } from '../support/canary-kernel.ts'
import { pickSome } from '../support/sample.ts'
import { saysOfUnknownIds } from '../support/unknown-ids.ts'
import { OF_UNKNOWN_IDS } from './canaries.ts'

describe('ids that no symbol has', { timeout: 60_000 }, () => {
  it.each(['debug', 'release'] as const)('[D1] allow nothing in the %s kernel', (kernel) => {
    expect(saysOfUnknownIds(kernel)).toBeUndefined()
  })

  const defects = [
    ['ids-that-nothing-has', 'sets allow'],
    ['permissions-that-are-not-there', 'there is a permission'],
  ] as const
  it.each(pickSome(defects, 0))('a kernel that does not look at them is found: %s', async (tag, found) => {
    expect(saysOfUnknownIds(await kernelWith({ [tag]: OF_UNKNOWN_IDS[tag] }))).toContain(found)
  })
})
