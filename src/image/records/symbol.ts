// Fields that every symbol begins with. assembly/abi.ts draws the record.
import { SymbolRecord } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Length of the key, table and flags in one word. */
export const symbolMeta = (kernel: Kernel, symbol: number): number => kernel.word(symbol + SymbolRecord.Meta)
