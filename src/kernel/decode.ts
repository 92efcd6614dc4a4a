// Reads stored values out of a kernel: what src/kernel/encode.ts wrote. Recursion is bounded by the depth that was accepted.
import {
  CELL_BYTES,
  Cell,
  Composite,
  Kind,
  Party,
  Resource,
  Role,
  SymbolRecord,
  Table,
  Text,
} from '../../assembly/abi.ts'
import type { Json, JsonObject } from '../model/objects.ts'
import type { Kernel } from './kernel.ts'

const decoder = new TextDecoder()

export function textAt(kernel: Kernel, text: number): string {
  const start = text + Text.Bytes
  return decoder.decode(kernel.bytes.subarray(start, start + kernel.word(text + Text.Length)))
}

/** The object of a composite; undefined for 0. */
export function objectAt(kernel: Kernel, composite: number): JsonObject | undefined {
  if (composite === 0) return undefined
  const entries: [string, Json][] = []
  for (const cell of cells(kernel, composite))
    entries.push([textAt(kernel, kernel.word(cell + Cell.Name)), valueAt(kernel, cell)])
  return Object.fromEntries(entries) // defines members: any name is a name
}

/** The value of a cell, also of one that names a symbol. */
export function valueAt(kernel: Kernel, cell: number): Json {
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
      return cells(kernel, value).map((each) => valueAt(kernel, each))
    case Kind.Object:
      return objectAt(kernel, value)!
    default:
      return null
  }
}

function cells(kernel: Kernel, composite: number): number[] {
  const count = kernel.word(composite + Composite.Count)
  return Array.from({ length: count }, (_, index) => composite + Composite.Cells + index * CELL_BYTES)
}

/** Where the key begins in the record of a symbol that a question can name. */
function keyOffset(kernel: Kernel, symbol: number): number {
  const table = (kernel.word(symbol + SymbolRecord.Meta) >>> 16) & 0xff
  if (table === Table.Roles) return Role.Key
  return table === Table.Resources ? Resource.Key : Party.Key
}
