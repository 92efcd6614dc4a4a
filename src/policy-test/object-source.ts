// A policy that is an object of the program, as a source: laid out as JSON with one part to a line, so that a problem,
// which is found in text, is reported with the path of the part instead of a line that no one has seen.

import type { Source } from '../management/policy-file/problem.ts'
import type { Path } from '../management/rules/fields.ts'
import { ZerohopError } from '../model/errors.ts'
import { POLICY_FILE_DEPTH_MAX } from '../model/limits.ts'

export class ObjectSource implements Source {
  readonly name: string
  readonly text: string
  /** of each line */
  readonly #paths: Path[] = []
  readonly #lines: string[] = []

  /** @throws INPUT_INVALID when JSON cannot hold the value */
  constructor(name: string, value: object) {
    this.name = name
    this.#layOut(toPlainJson(name, value), [], '', '')
    this.text = this.#lines.join('\n')
  }

  /** Where a line of the text stands in the object: `policy object: roles[0].key`. */
  placeOf(line: number): string {
    const path = pathText(this.#paths[line - 1] ?? [])
    return path === '' ? this.name : `${this.name}: ${path}`
  }

  #layOut(value: unknown, path: Path, before: string, after: string): void {
    const isOpen = typeof value === 'object' && value !== null && path.length <= POLICY_FILE_DEPTH_MAX
    const members = isOpen ? Object.entries(value) : []
    if (members.length === 0) {
      this.#add(`${before}${JSON.stringify(value)}${after}`, path)
      return
    }
    const isList = Array.isArray(value)
    this.#add(`${before}${isList ? '[' : '{'}`, path)
    for (const [at, [name, inside]] of members.entries()) {
      const label = isList ? '' : `${JSON.stringify(name)}: `
      this.#layOut(inside, [...path, isList ? at : name], label, at === members.length - 1 ? '' : ',')
    }
    this.#add(`${isList ? ']' : '}'}${after}`, path)
  }

  #add(line: string, path: Path): void {
    this.#lines.push(line)
    this.#paths.push(path)
  }
}

/** Without what JSON leaves out, such as members that are undefined. @throws INPUT_INVALID */
export function toPlainJson(name: string, value: object): object {
  try {
    return JSON.parse(JSON.stringify(value)) as object
  } catch (cause) {
    throw new ZerohopError('INPUT_INVALID', { reason: `${name} is more than JSON can hold` }, { cause })
  }
}

/** `roles[0].permissions[1]`. */
export function pathText(path: Path): string {
  const parts = path.map((part, at) => {
    if (typeof part === 'number') return `[${part}]`
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part)) return `[${JSON.stringify(part)}]`
    return at === 0 ? part : `.${part}`
  })
  return parts.join('')
}
