// Values of attributes and constants: cells, composites (lists and objects) and texts. What is stored lies in the heap,
// with interned texts; what was sent lies in the encoded area in the same layout and is never kept.
//
//   text       │ references │ length │ bytes, UTF-8 │
//   composite  │ count │ queue │ cell × count │
//   cell       │ name │ kind │ f64, or address │
//
// INVARIANT: a stored text has as many references as stored cells, names, paths and sets that point to it; equal ones
// are one record.
import { CELL_BYTES, Cell, Composite, HEAP, Header, SymbolRecord, Text } from '../abi'
import { Kind, Table } from '../limits'
import { addToField, allocate, release } from './memory'
import { hashBytes, keyLength, keyOffset, sameBytes } from './symbols'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from './table'

const QUEUE_END: u32 = 1

export function compositeBytes(count: u32): u32 {
  return Composite.Cells + count * CELL_BYTES
}

/** The stored text equal to the one at `text`, with one more reference. */
export function internText(text: u32): u32 {
  return internBytes(text + Text.Bytes, load<u32>(text, Text.Length))
}

export function internBytes(start: u32, length: u32): u32 {
  const hash = hashBytes(start, length)
  const known = findText(start, length, hash)
  if (known !== 0) {
    store<u32>(known, load<u32>(known, Text.References) + 1, Text.References)
    return known
  }
  const text = allocate(Text.Bytes + length)
  store<u32>(text, 1, Text.References)
  store<u32>(text, length, Text.Length)
  memory.copy(text + Text.Bytes, start, length)
  insert(Table.Texts, hash, text)
  addToField(Header.Texts, 1)
  return text
}

export function findText(start: u32, length: u32, hash: u32): u32 {
  for (let match = firstMatch(Table.Texts, hash); match !== 0; match = nextMatch(match, hash)) {
    const text = matchedRecord(match)
    if (
      load<u32>(text, Text.Length) === /* canary: length-of-a-text */ length &&
      /* canary: bytes-of-a-text */ sameBytes(text + Text.Bytes, start, length)
    )
      return text
  }
  return 0
}

/** One reference less; a text without any is freed. */
export function dropText(text: u32): void {
  const references = load<u32>(text, Text.References) - 1
  store<u32>(text, references, Text.References)
  if (references !== 0) return
  const length = load<u32>(text, Text.Length)
  remove(Table.Texts, hashBytes(text + Text.Bytes, length), text)
  release(text, Text.Bytes + length)
  addToField(Header.Texts, -1)
}

/** A stored copy of the encoded composite, with everything in it. */
export function keep(encoded: u32): u32 {
  const first = copyHeader(encoded)
  let last = first
  // Breadth first over a list that runs through the copies: each cell still points into the encoded area until its
  // turn.
  for (let at = first; at !== QUEUE_END; ) {
    const count = load<u32>(at, Composite.Count)
    for (let index: u32 = 0; index < count; index++) {
      const cell = at + Composite.Cells + index * CELL_BYTES
      const name = load<u32>(cell, Cell.Name)
      if (name !== 0) store<u32>(cell, internText(name), Cell.Name)
      const kind = load<u32>(cell, Cell.Kind)
      const value = load<u32>(cell, Cell.Value)
      if (kind === Kind.Text) store<u32>(cell, internText(value), Cell.Value)
      if (kind !== Kind.List && kind !== Kind.Object) continue
      const copy = copyHeader(value)
      store<u32>(cell, copy, Cell.Value)
      store<u32>(last, copy, Composite.Queue)
      last = copy
    }
    const next = load<u32>(at, Composite.Queue)
    store<u32>(at, 0, Composite.Queue)
    at = next
  }
  return first
}

function copyHeader(encoded: u32): u32 {
  const bytes = compositeBytes(load<u32>(encoded, Composite.Count))
  const copy = allocate(bytes)
  memory.copy(copy, encoded, bytes)
  store<u32>(copy, QUEUE_END, Composite.Queue)
  return copy
}

/** Frees a stored composite with everything in it; does nothing for 0. */
export function discard(composite: u32): void {
  if (composite === 0) return
  store<u32>(composite, QUEUE_END, Composite.Queue)
  let last = composite
  for (let at = composite; at !== QUEUE_END; ) {
    const count = load<u32>(at, Composite.Count)
    for (let index: u32 = 0; index < count; index++) {
      const cell = at + Composite.Cells + index * CELL_BYTES
      const name = load<u32>(cell, Cell.Name)
      if (name !== 0) dropText(name)
      const kind = load<u32>(cell, Cell.Kind)
      const value = load<u32>(cell, Cell.Value)
      if (kind === Kind.Text) dropText(value)
      if (kind !== Kind.List && kind !== Kind.Object) continue
      store<u32>(value, QUEUE_END, Composite.Queue)
      store<u32>(last, value, Composite.Queue)
      last = value
    }
    const next = load<u32>(at, Composite.Queue)
    release(at, compositeBytes(count))
    at = next
  }
}

/** Replaces the composite at a field of a record by a copy of the encoded one; 0 removes it. */
export function setAttributes(record: u32, offset: u32, encoded: u32): void {
  discard(load<u32>(record + offset))
  store<u32>(record + offset, encoded === 0 ? 0 : keep(encoded))
}

/**
 * The cell of a member of an object, or 0. `name` is a stored text; names of what was sent are not, and are compared by
 * their bytes.
 */
export function findMemberCell(composite: u32, name: u32): u32 {
  const count = load<u32>(composite, Composite.Count)
  const end = composite + count * CELL_BYTES
  const stored = composite >= (HEAP as u32)
  for (let at = composite; at < end; at += CELL_BYTES) {
    const other = load<u32>(at, Composite.Cells + Cell.Name)
    if (other === name || (!stored && sameText(other, name))) return at + Composite.Cells
  }
  return 0
}

function sameText(left: u32, right: u32): bool {
  const length = load<u32>(left, Text.Length)
  return load<u32>(right, Text.Length) === length && sameBytes(left + Text.Bytes, right + Text.Bytes, length)
}

/** Is the cell a text, in either form? */
export function isText(cell: u32): bool {
  const kind = load<u32>(cell, Cell.Kind)
  return kind === Kind.Text || kind === Kind.Key
}

/** Where the bytes of a text cell begin. */
export function textStart(cell: u32): u32 {
  const value = load<u32>(cell, Cell.Value)
  if (load<u32>(cell, Cell.Kind) === Kind.Text) return value + Text.Bytes
  return value + keyOffset(load<u8>(value, SymbolRecord.Table) as u32)
}

export function textLength(cell: u32): u32 {
  const value = load<u32>(cell, Cell.Value)
  return load<u32>(cell, Cell.Kind) === Kind.Text ? load<u32>(value, Text.Length) : keyLength(value)
}
