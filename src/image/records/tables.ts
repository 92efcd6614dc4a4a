// The live records of a table, in the order of its buckets or in that of the keys. assembly/memory/table.ts draws a
// table, assembly/memory/key-order.ts an order of keys.
import { HEADER, Header, Root, TABLE_BYTES } from '../../../assembly/abi.ts'
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { ZerohopError } from '../../model/errors.ts'

/** The live records of a table. */
export function* records(kernel: Kernel, table: Table): Iterable<number> {
  for (const record of recordsStored(kernel, table)) if (kernel.isLive(record)) yield record
}

/** The records of a table, those of deleted objects too. */
export function* recordsStored(kernel: Kernel, table: Table): Iterable<number> {
  const buckets = kernel.word(tableRoot(table) + Root.Buckets)
  for (let index = 0; index < buckets; index++) yield* kernel.readList(kernel.calls.listBucket(table, index))
}

/** Records of a table, deleted ones too. */
export const tableCount = (kernel: Kernel, table: Table): number => kernel.word(tableRoot(table) + Root.Count)

function tableRoot(table: Table): number {
  return HEADER + Header.Tables + table * TABLE_BYTES
}

/** The tables whose records the kernel keeps in the order of their keys. */
export type Ordered = Table.Users | Table.Instances

/** Records read at a time from an order of keys: at first so many, then twice as many each time, up to so many. */
const FIRST_ORDERED = 64
const ORDERED = 1024

/** The live records of a table in key order, from behind a key on. */
export function* inOrder(kernel: Kernel, table: Ordered, after: string): Iterable<number> {
  for (const found of eachPieceInOrder(kernel, table, after))
    for (const record of found) if (kernel.isLive(record)) yield record
}

/** The same in pieces, with dead records in them: for loops that read very many. */
export function eachPieceInOrder(kernel: Kernel, table: Ordered, after: string): Iterable<Uint32Array> {
  const { calls } = kernel
  return eachPiece(kernel, table, after, (...from) => calls.listOrdered(table, ...from))
}

/**
 * Live instances in pieces: those of a tenant in key order, from behind a key on, and behind them, when there are more,
 * some of other tenants.
 */
export function eachPieceInTenant(kernel: Kernel, tenant: number, after: string): Iterable<Uint32Array> {
  const { calls } = kernel
  return eachPiece(kernel, Table.Instances, after, (...from) => calls.listInTenant(tenant, ...from))
}

function* eachPiece(
  kernel: Kernel,
  table: Ordered,
  after: string,
  list: (record: number, length: number, most: number) => number,
): Iterable<Uint32Array> {
  let last = 0
  let left = tableCount(kernel, table)
  for (let most = FIRST_ORDERED; ; most = Math.min(2 * most, ORDERED)) {
    const length = last === 0 ? kernel.writeStart(after) : 0
    const found = kernel.readList(list(last, length, most))
    left -= found.length
    if (left < 0) throw new ZerohopError('IMAGE_DAMAGED', { reason: 'an order of keys has more than its table' })
    if (found.length > 0) yield found
    if (found.length < most) return
    last = found[most - 1]!
  }
}
