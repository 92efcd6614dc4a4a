// Types of what the tests take from rule-worlds.mjs.
import type { PolicyChange } from '../src/log/delta.ts'
import type { JsonObject } from '../src/model/objects.ts'
import type { Check, World } from './workloads.mjs'

export interface RuleCheck extends Check {
  readonly sent: { readonly user: JsonObject; readonly resource: JsonObject; readonly context: JsonObject }
}
export interface RuleWorld extends World {
  readonly checks: readonly RuleCheck[]
}

export function makeRuleWorld(
  name: 'tiny-rules' | 'W4' | 'W4-1000',
  options: { seed?: number; checks: number },
): RuleWorld
export function rulePolicyChanges(world: RuleWorld): Iterable<PolicyChange>
