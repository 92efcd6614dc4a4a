// Types of what the tests take from workloads.mjs.
import type { PolicyChange } from '../src/log/delta.ts'

export interface Check {
  readonly user: string
  readonly action: string
  readonly resource: string
  readonly tenant: string
}

export interface World {
  readonly checks: readonly Check[]
  readonly expected: readonly boolean[]
  readonly assignments: number
}

export function makeWorld(
  name: 'tiny' | 'W1' | 'W2' | 'W3' | 'million',
  options?: { seed?: number; checks?: number },
): World
export function policyChanges(world: World): Iterable<PolicyChange>
