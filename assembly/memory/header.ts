// Makes an empty image: header, tables, nothing else.
import { HEADER, HEADER_BYTES, HEAP, Header, MAGIC, TABLES } from '../abi'
import { ABI_VERSION } from '../limits'
import { setField } from './memory'
import { createTable } from './table'

/** Writes the header of an empty image and its empty tables. Memory must be fresh. */
export function createImage(): void {
  memory.fill(HEADER, 0, HEADER_BYTES)
  setField(Header.Magic, MAGIC)
  setField(Header.Abi, ABI_VERSION)
  setField(Header.Top, HEAP)
  for (let table: u32 = 0; table < (TABLES as u32); table++) createTable(table)
}
