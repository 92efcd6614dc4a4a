// Doubly linked lists of records. The head of a list is a word of its owner; each entry names the next and the one
// before it in two of its fields, so that an entry leaves in constant time.
import { Header } from '../abi'
import { field } from './memory'

/**
 * How many entries a list can have at most: as many as the smallest records that fit into the image. A walk along links
 * takes one off at each step, `left = follow(left)`, so that links which lead in a circle trap instead of never ending.
 */
export function linksMax(): u32 {
  return field(Header.Top) >>> 3
}

export function follow(left: u32): u32 {
  if (left === 0) unreachable()
  return left - 1
}

/** Puts an entry in front of the list whose head stands at an address. */
export function link(entry: u32, head: u32, next: u32, previous: u32): void {
  const first = load<u32>(head)
  if (!ASC_NO_ASSERT) assert(first === 0 || (first !== entry && load<u32>(first + previous) === 0), 'a list is broken')
  store<u32>(entry + next, first)
  store<u32>(entry + previous, 0)
  if (first !== 0) store<u32>(first + previous, entry)
  store<u32>(head, entry)
}

export function unlink(entry: u32, head: u32, nextField: u32, previousField: u32): void {
  const next = load<u32>(entry + nextField)
  const previous = load<u32>(entry + previousField)
  if (!ASC_NO_ASSERT) {
    assert(next === 0 || load<u32>(next + previousField) === entry, 'a list is broken')
    assert(load<u32>(previous === 0 ? head : previous + nextField) === entry, 'a list is broken')
  }
  if (next !== 0) store<u32>(next + previousField, previous)
  if (previous !== 0) store<u32>(previous + nextField, next)
  else store<u32>(head, next)
  store<u32>(entry + nextField, 0)
  store<u32>(entry + previousField, 0)
}
