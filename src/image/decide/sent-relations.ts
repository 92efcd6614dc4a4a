// The relations sent with a question (D14: relations sent with a question): finds what they name in the image, and
// writes the ids to where the kernel reads them. What is not stored gives nothing and is left out.
import type { Kernel } from '../../kernel/kernel.ts'
import { firstSubject, RELATED_START, writeGroup, writeSubject } from '../../kernel/question-area.ts'
import type { LiveIds } from '../live-ids.ts'
import { findSymbol } from '../look-up.ts'

/** A relation of the resource asked about, and the instances (`type:key`) that it is related to. */
export interface SentRelation {
  readonly relation: string
  readonly subjects: readonly string[]
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
    let at = RELATED_START
    // Loops over indices: an iterator for each question is a tenth of it.
    for (let index = 0; index < relations.length; index++) {
      const { relation, subjects } = relations[index]!
      const id = this.#ids.relation(type, relation)
      if (id === 0) continue
      const group = at
      at = firstSubject(group)
      for (let each = 0; each < subjects.length; each++) {
        const instance = findSymbol(kernel, 'resource_instance', subjects[each]!)
        if (instance !== 0) writeSubject(kernel, at++, instance)
      }
      writeGroup(kernel, group, id, at)
    }
    return (at - RELATED_START) * 4
  }
}
