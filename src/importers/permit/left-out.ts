// What is left out of an import, and why: objects that say what is not understood, and all that names them.
import type { Finding } from '../frame/importer.ts'
import type { Answered } from './api.ts'
import { type Known, listUnknown } from './known-fields.ts'

const NEAREST =
  'say it by conditions of a set, times of an assignment or a suspension; all that names it is left out, too'

/** A list, and the place of an object there, from 1. */
export type At = readonly [list: string, place: number]

export class LeftOut {
  readonly findings: Finding[] = []
  readonly #names = new Set<string>()

  /** Whether an object of this kind and name was left out. */
  has(kind: string, name: unknown): boolean {
    return this.#names.has(`${kind} ${String(name)}`)
  }

  /** Leaves it out, with a reason; without one because of what it names. */
  add(
    kind: string,
    name: string,
    at?: { readonly list: string; readonly place: number; readonly reason: string },
  ): void {
    this.#names.add(`${kind} ${name}`)
    if (at === undefined) return
    const { list, place, reason } = at
    this.findings.push({
      ...{ kind: 'unsaid', file: list, line: place, what: `${kind} ${name}`, reason, nearest: NEAREST },
    })
  }

  /** Reports what is not left out, but does not mean all that it meant. */
  report(what: string, at: { readonly list: string; readonly place: number; readonly reason: string }): void {
    const { list, place, reason } = at
    this.findings.push({ kind: 'unsaid', file: list, line: place, what, reason, nearest: NEAREST })
  }

  /**
   * Whether an object says nothing but what is understood; else it is left out.
   * @param name by which others name it
   */
  understands(kind: Known, name: string, object: Answered, [list, place]: At): boolean {
    const unknown = listUnknown(kind, object)
    if (unknown.length === 0) return true
    this.add(kind, name, { list, place, reason: `what it says is not known here: ${unknown.join(', ')}` })
    return false
  }
}
