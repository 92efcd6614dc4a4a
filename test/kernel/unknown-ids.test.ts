// [D1] The kernel denies what is unknown by itself, whoever calls it: zerohop/kernel.wasm is a door of its own.
import { describe, expect, it } from 'vitest'
import { compile, readSources } from '../mutants/compile.ts'
import { someOf } from '../support/sample.ts'
import { saysOfUnknownIds } from '../support/unknown-ids.ts'

const ROOT = new URL('../../', import.meta.url)

describe('ids that no symbol has', { timeout: 60_000 }, () => {
  it.each(['debug', 'release'] as const)('[D1] allow nothing in the %s kernel', (kernel) => {
    expect(saysOfUnknownIds(kernel)).toBeUndefined()
  })

  const defects = [
    ['decide/abac.ts', 'permission === 0) return false', 'permission === 0) return true', 'sets allow'],
    ['policy/permissions.ts', 'id === 0 || id > field', 'id === 0 && id > field', 'there is a permission'],
  ] as const
  it.each(someOf(defects, 0))('a kernel that does not look at them is found: %s', async (file, right, wrong, found) => {
    const sources = readSources(ROOT)
    const source = sources.get(file)!
    expect(source).toContain(right)
    const bytes = await compile(ROOT, new Map([...sources, [file, source.replace(right, wrong)]]))
    expect(saysOfUnknownIds(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>))).toContain(found)
  })
})
