// The relations sent with a question (D14: relations sent with a question): finds what they name in the image, and
// writes the ids to where the kernel reads them. What is not stored gives nothing and is left out. Nothing outlives the
// question but a bounded cache of the ids of relations.
import { RELATED, Related, Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { PairLookaside } from './lookaside.ts'

/** A relation of the resource asked about, and the instances (`type:key`) that it is related to. */
export interface SentRelation {
  readonly relation: string
  readonly subjects: readonly string[]
}

/** The ids of the subjects in the first `bytes` of what was written, of one relation or of all. */
export function relatedBy(kernel: Kernel, bytes: number, relation?: number): number[] {
  const found: number[] = []
  for (let group = RELATED; group < RELATED + bytes; ) {
    const end = group + Related.Subjects + kernel.word(group + Related.Count) * 4
    if (relation === undefined || kernel.word(group + Related.Relation) === relation)
      for (let at = group + Related.Subjects; at < end; at += 4) found.push(kernel.word(at))
    group = end
  }
  return found
}

export class SentRelations {
  readonly #kernel: Kernel
  readonly #ids = new PairLookaside()
  // mostly that of the last question
  #lastType = ''
  #lastRelation = ''
  #lastId = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
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
      const id = this.#relation(type, relation)
      if (id === 0) continue
      const group = at
      at += Related.Subjects >>> 2
      for (let each = 0; each < subjects.length; each++) {
        const length = kernel.writeWhole(subjects[each]!)
        const instance = length > 0 ? kernel.calls.find(Table.Instances, length) : 0
        if (instance !== 0) kernel.words[at++] = instance
      }
      const { words } = kernel
      words[group + (Related.Relation >>> 2)] = id
      words[group + (Related.Count >>> 2)] = at - group - (Related.Subjects >>> 2)
    }
    return (at - start) * 4
  }

  /** The id of a relation that some rule or tuple names; one that none names gives nothing. */
  #relation(type: string, relation: string): number {
    if (relation === this.#lastRelation && type === this.#lastType) return this.#lastId
    const id = this.#ids.find(type, relation) || this.#find(type, relation)
    if (id !== 0) {
      this.#lastType = type
      this.#lastRelation = relation
      this.#lastId = id
    }
    return id
  }

  #find(type: string, relation: string): number {
    const length = this.#kernel.writeWhole(`${type}/${relation}`)
    const id = length > 0 ? this.#kernel.calls.find(Table.Relations, length) : 0
    if (id !== 0) this.#ids.keep(type, relation, id)
    return id
  }
}
