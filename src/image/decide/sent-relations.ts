// The relations sent with a question (D14: relations sent with a question): finds what they name in the image, and
// writes the ids to where the kernel reads them. What is not stored gives nothing and is left out.
import { RELATED, Related } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LiveIds } from '../live-ids.ts'
import { findSymbol } from '../look-up.ts'
import { relatedCount, relatedRelation } from '../records/related.ts'

/** A relation of the resource asked about, and the instances (`type:key`) that it is related to. */
export interface SentRelation {
  readonly relation: string
  readonly subjects: readonly string[]
}

/** The ids of the subjects in the first `bytes` of what was written, of one relation or of all. */
export function relatedBy(kernel: Kernel, bytes: number, relation?: number): number[] {
  const found: number[] = []
  for (let group = RELATED; group < RELATED + bytes; ) {
    const end = group + Related.Subjects + relatedCount(kernel, group) * 4
    if (relation === undefined || relatedRelation(kernel, group) === relation)
      for (let at = group + Related.Subjects; at < end; at += 4) found.push(kernel.word(at))
    group = end
  }
  return found
}

export class SentRelations {
  readonly #kernel: Kernel
  readonly #ids: LiveIds

  constructor(kernel: Kernel, ids: LiveIds) {
    this.#kernel = kernel
    this.#ids = ids
  }

  /**
   * Writes the relations of a resource of `type`; returns how many bytes they take, 0 when nothing comes of them. Call
   * it just before the question, because the next one overwrites them.
   */
  write(type: string, relations: readonly SentRelation[] | undefined): number {
    if (relations === undefined) return 0
    const kernel = this.#kernel
    const start = RELATED >>> 2
    let at = start
    // Loops over indices: an iterator for each question is a tenth of it.
    for (let index = 0; index < relations.length; index++) {
      const { relation, subjects } = relations[index]!
      const id = this.#ids.relation(type, relation)
      if (id === 0) continue
      const group = at
      at += Related.Subjects >>> 2
      for (let each = 0; each < subjects.length; each++) {
        const instance = findSymbol(kernel, 'resource_instance', subjects[each]!)
        if (instance !== 0) kernel.words[at++] = instance
      }
      const { words } = kernel
      words[group + (Related.Relation >>> 2)] = id
      words[group + (Related.Count >>> 2)] = at - group - (Related.Subjects >>> 2)
    }
    return (at - start) * 4
  }
}
