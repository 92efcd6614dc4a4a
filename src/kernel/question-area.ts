// Where a question writes what it sends with it: values by the number of their path, and relations (D14). Both areas are
// written before each question; nothing in them outlasts it. assembly/abi.ts draws them.
import { RELATED, Related, SENT } from '../../assembly/abi.ts'
import type { Kernel } from './kernel.ts'

/** The word for the value of an attribute path, by the number of the path. */
export const pathPlace = (path: number): number => (SENT >>> 2) + path

/** The word at which the first group of relations begins. */
export const RELATED_START = RELATED >>> 2
/** The word of the first subject of the group that begins at a word. */
export const firstSubject = (group: number): number => group + (Related.Subjects >>> 2)

export function writeSubject(kernel: Kernel, at: number, instance: number): void {
  kernel.words[at] = instance
}

/** Writes the head of a group whose subjects end at the word `end`. */
export function writeGroup(kernel: Kernel, group: number, relation: number, end: number): void {
  const { words } = kernel
  words[group + (Related.Relation >>> 2)] = relation
  words[group + (Related.Count >>> 2)] = end - firstSubject(group)
}

/** The subjects in the first `bytes` of what was written, of one relation or of all. */
export function readSubjects(kernel: Kernel, bytes: number, relation?: number): number[] {
  const found: number[] = []
  for (let group = RELATED; group < RELATED + bytes; ) {
    const end = group + Related.Subjects + kernel.word(group + Related.Count) * 4
    if (relation === undefined || kernel.word(group + Related.Relation) === relation)
      for (let at = group + Related.Subjects; at < end; at += 4) found.push(kernel.word(at))
    group = end
  }
  return found
}
