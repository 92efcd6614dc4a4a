// Types of what the tests take from permission-world.mjs.
import type { PolicyPut } from '../src/kinds/index.ts'

export declare const RULES: readonly ('others' | 'members' | 'everybody')[]
export declare function permissionChanges(
  facts: number,
  options: { readonly rules: 'others' | 'members' | 'everybody'; readonly held: number },
): Iterable<PolicyPut>
