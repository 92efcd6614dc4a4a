// The name of a relation, which is kept while a tuple or a rule uses it. assembly/abi.ts draws the record.
import { Relation } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** `object type/relation` */
export const relationKey = (kernel: Kernel, relation: number): string => kernel.key(relation, Relation.Key)
