// Reads stored values out of a kernel: what src/kernel/encode.ts wrote. Recursion is bounded by the depth that was
// accepted.
import { CELL_BYTES, Cell, Composite, Principal, Resource, Role, SymbolRecord, Text } from '../../assembly/abi.ts'
import { ENCODED_BYTES, Kind, Table } from '../../assembly/limits.ts'
import { ZerohopError } from '../model/errors.ts'
import { JSON_DEPTH_MAX } from '../model/limits.ts'
import type { Json, JsonObject } from '../model/objects.ts'
import type { Kernel } from './kernel.ts'

const decoder = new TextDecoder()
/** Bounds above all accepted values, so that a forged image cannot keep a reader busy forever. */
const CELLS_MAX = ENCODED_BYTES / CELL_BYTES
const DEPTH_MAX = 2 * JSON_DEPTH_MAX

export function textAt(kernel: Kernel, text: number): string {
  const start = text + Text.Bytes
  return decoder.decode(kernel.bytes.subarray(start, start + kernel.word(text + Text.Length)))
}

/** Cells that one value may still have, however often a forged image leads to the same ones. */
interface Budget {
  left: number
}

/** Members of a composite. @throws IMAGE_DAMAGED when they are more than a value can have */
export function countCells(kernel: Kernel, composite: number): number {
  const count = kernel.word(composite + Composite.Count)
  if (count > CELLS_MAX) throw new ZerohopError('IMAGE_DAMAGED', { reason: `a value of ${count} members` })
  return count
}

/** The cell of a member of a composite. */
export const cellAt = (composite: number, index: number): number => composite + Composite.Cells + index * CELL_BYTES

/** The text that is the name of a member; of one name, it is one text in the whole image. */
export const cellName = (kernel: Kernel, cell: number): number => kernel.word(cell + Cell.Name)

/**
 * The same for equal values of one image. It has each text once, so where a text is says as much as the text; a number is
 * its bits.
 */
export function formatIdentity(kernel: Kernel, cell: number): string {
  const value = kernel.word(cell + Cell.Value)
  switch (kernel.word(cell + Cell.Kind)) {
    case Kind.Text:
      return `t${value}`
    case Kind.Number:
      return `n${value}.${kernel.word(cell + Cell.Value + 4)}`
    default:
      return JSON.stringify(valueAt(kernel, cell))
  }
}

/** The object of a composite; undefined for 0. */
export function objectAt(
  kernel: Kernel,
  composite: number,
  depth = 1,
  budget: Budget = { left: CELLS_MAX },
): JsonObject | undefined {
  if (composite === 0) return undefined
  const entries: [string, Json][] = []
  for (const cell of cells(kernel, composite, budget))
    entries.push([textAt(kernel, kernel.word(cell + Cell.Name)), valueAt(kernel, cell, depth + 1, budget)])
  return Object.fromEntries(entries) // defines own members, whatever their name
}

/** The value of a cell, also of one that names a symbol. */
export function valueAt(kernel: Kernel, cell: number, depth = 1, budget: Budget = { left: CELLS_MAX }): Json {
  if (depth > DEPTH_MAX) throw new ZerohopError('IMAGE_DAMAGED', { reason: 'a value without end' })
  const value = kernel.word(cell + Cell.Value)
  switch (kernel.word(cell + Cell.Kind)) {
    case Kind.False:
      return false
    case Kind.True:
      return true
    case Kind.Number:
      return new DataView(kernel.bytes.buffer).getFloat64(cell + Cell.Value, true)
    case Kind.Text:
      return textAt(kernel, value)
    case Kind.Key:
      return kernel.key(value, keyOffset(kernel, value))
    case Kind.List:
      return cells(kernel, value, budget).map((each) => valueAt(kernel, each, depth + 1, budget))
    case Kind.Object:
      return objectAt(kernel, value, depth, budget)!
    default:
      return null
  }
}

function cells(kernel: Kernel, composite: number, budget: Budget): number[] {
  const count = countCells(kernel, composite)
  budget.left -= count
  if (budget.left < 0) throw new ZerohopError('IMAGE_DAMAGED', { reason: `a value of ${count} members` })
  return Array.from({ length: count }, (_, index) => cellAt(composite, index))
}

/** Where the key begins in the record of a symbol that a question can name. */
function keyOffset(kernel: Kernel, symbol: number): number {
  const table = (kernel.word(symbol + SymbolRecord.Meta) >>> 16) & 0xff
  if (table === Table.Roles) return Role.Key
  return table === Table.Resources ? Resource.Key : Principal.Key
}
