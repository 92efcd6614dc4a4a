// What every symbol begins with: a table, a flag and a key. assembly/abi.ts draws the record.
import {
  AttributePath,
  ConditionSet,
  Document,
  Instance,
  Permission,
  Principal,
  Relation,
  Resource,
  Role,
  SymbolRecord,
} from '../../../assembly/abi.ts'
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The tables whose records are symbols. */
const KEY_AT = {
  [Table.Users]: Principal.Key,
  [Table.Tenants]: Principal.Key,
  [Table.Roles]: Role.Key,
  [Table.Resources]: Resource.Key,
  [Table.Permissions]: Permission.Key,
  [Table.Instances]: Instance.Key,
  [Table.Relations]: Relation.Key,
  [Table.Paths]: AttributePath.Key,
  [Table.Sets]: ConditionSet.Key,
  [Table.Documents]: Document.Key,
} as const

export type SymbolTable = keyof typeof KEY_AT

/** The table of a symbol. */
export function symbolTable(kernel: Kernel, record: number): Table {
  return ((kernel.word(record + SymbolRecord.Meta) >>> 16) & 0xff) as Table
}

/** The key of a symbol of the table. */
export const symbolKey = (kernel: Kernel, table: SymbolTable, record: number): string =>
  kernel.key(record, KEY_AT[table])

/** Writes the key of a symbol of another kernel to the scratch area; returns its bytes. */
export const copySymbolKey = (kernel: Kernel, from: Kernel, table: SymbolTable, record: number): number =>
  kernel.copyKey(from, record, KEY_AT[table])
