// What conditions read: an attribute path is a symbol `root.name.name`, kept while a program uses it. Its number is its
// place in the area of what was sent; like every id it stays the path's as long as the image lives.
//
// INVARIANT: Uses is the number of steps (left and right) of all programs that name the path; at 0 it is dead and has
// no names.
import { AttributePath, Header, Names } from '../abi'
import { PATHS_MAX, Source, Table } from '../limits'
import { allocate, field, release, setField } from '../memory/memory'
import { intern, keyLength, tombstone } from '../memory/symbols'
import { dropText, internBytes } from '../memory/values'

/** The path whose key is at `start`, live, with a number. Traps when no number is left: check before. */
export function putPath(source: u32, start: u32, length: u32): u32 {
  const path = intern(Table.Paths, start, length)
  if (load<u32>(path, AttributePath.Number) === 0) {
    const number = field(Header.PathTop) + 1
    if (number > (PATHS_MAX as u32)) unreachable()
    setField(Header.PathTop, number)
    store<u32>(path, number, AttributePath.Number)
    store<u32>(path, source, AttributePath.Source)
  }
  if (load<u32>(path, AttributePath.Names) === 0) store<u32>(path, splitNames(path), AttributePath.Names)
  return path
}

/** A block of the names behind the root: count, texts. */
function splitNames(path: u32): u32 {
  const start = path + AttributePath.Key
  const end = start + keyLength(path)
  let count: u32 = 0
  for (let at = start; at < end; at++) if (load<u8>(at) === 0x2e) count++
  const names = allocate(namesBytes(count))
  store<u32>(names, count, Names.Count)
  let at = start
  while (load<u8>(at) !== 0x2e) at++
  for (let index: u32 = 0; index < count; index++) {
    const first = ++at
    while (at < end && load<u8>(at) !== 0x2e) at++
    store<u32>(names + index * 4, internBytes(first, at - first), Names.Texts)
  }
  return names
}

export function namesBytes(count: u32): u32 {
  return Names.Texts + count * 4
}

export function usePath(path: u32): void {
  store<u32>(path, load<u32>(path, AttributePath.Uses) + 1, AttributePath.Uses)
}

/** One use less; a path without any dies and lets its names go. */
export function disusePath(path: u32): void {
  const uses = load<u32>(path, AttributePath.Uses) - 1
  store<u32>(path, uses, AttributePath.Uses)
  if (uses !== 0) return
  const names = load<u32>(path, AttributePath.Names)
  const count = load<u32>(names, Names.Count)
  for (let index: u32 = 0; index < count; index++) dropText(load<u32>(names + index * 4, Names.Texts))
  release(names, namesBytes(count))
  store<u32>(path, 0, AttributePath.Names)
  tombstone(Table.Paths, path)
}

/** Is it one of the paths that make up the question itself (D8)? */
export function isGenerated(source: u32): bool {
  return source <= (Source.TenantKey as u32)
}
