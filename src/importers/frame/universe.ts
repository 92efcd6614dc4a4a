// Universes of questions: every combination of some lists of names, with a name in each that no file has, and a sample of them that
// is the same for each seed.
import { counted } from '../../model/counted.ts'

/** A part of a question: who, what, where. */
export interface Dimension {
  /** one and many of them: `subject`, `subjects` */
  readonly word: readonly [one: string, many: string]
  readonly names: readonly string[]
}

/** A name that is not among these. */
export function findUnknown(names: Iterable<string>, wanted: string): string {
  const taken = new Set(names)
  let name = wanted
  for (let more = 2; taken.has(name); more++) name = `${wanted}-${more}`
  return name
}

/** How many combinations there are. */
export const countCombinations = (dimensions: readonly Dimension[]): number =>
  dimensions.reduce((product, { names }) => product * names.length, 1)

/** The combination of that number: a name of each dimension, in their order. */
export function combinationAt(dimensions: readonly Dimension[], index: number): string[] {
  let rest = index
  const chosen: string[] = []
  for (const { names } of dimensions.toReversed()) {
    chosen.push(names[rest % names.length] ?? '')
    rest = Math.floor(rest / names.length)
  }
  return chosen.reverse()
}

/** `3 subjects × 2 objects × 1 action`. */
export const stateDimensions = (dimensions: readonly Dimension[]): string =>
  dimensions.map(({ names, word: [one, many] }) => counted(names.length, one, many)).join(' × ')

/**
 * Numbers from 0 to below `total`, rising: all, or the first `always` and of the rest one out of each of as many equal
 * parts as there are places for.
 */
export function* sampleIndexes(total: number, always: number, most: number, seed: number): Iterable<number> {
  if (total <= most) {
    for (let at = 0; at < total; at++) yield at
    return
  }
  const first = Math.min(always, most)
  for (let at = 0; at < first; at++) yield at
  const parts = most - first
  const next = makeRandom(seed)
  for (let part = 0; part < parts; part++) yield always + Math.floor(((part + next()) * (total - always)) / parts)
}

/** Numbers from 0 to below 1, the same for each seed (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
