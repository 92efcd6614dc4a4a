// Use cases with a planted fault, and whether random walks find it.
import fc from 'fast-check'
import type { useCases } from '../../src/management/host/registry.ts'
import type { View } from '../../src/store/view.ts'
import { importWith } from '../support/canary-module.ts'
import { temporaryFolder } from '../support/folders.ts'

interface Walks<Steps> {
  readonly steps: fc.Arbitrary<Steps>
  /** @throws an error with "the definition says" where they differ */
  readonly walk: (below: View, of: typeof useCases, drawn: Steps) => void
  readonly below: View
  readonly runs: number
}

/** @param path the source with the tag of the fault. @param wrong what stands there instead */
export async function isFound<Steps>(
  path: string,
  tag: string,
  wrong: string,
  { steps, walk, below, runs }: Walks<Steps>,
): Promise<boolean> {
  const paths = ['src/management/host/registry.ts', path]
  const wrongly = await importWith<{ useCases: typeof useCases }>({ [tag]: wrong }, paths, temporaryFolder('canary'))
  return fc.sample(steps, { seed: 1, numRuns: runs }).some((drawn) => {
    try {
      walk(below, wrongly.useCases, drawn)
      return false
    } catch (error) {
      return error instanceof Error && error.message.includes('the definition says')
    }
  })
}
