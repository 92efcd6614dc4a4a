// What a server or a data folder refuses of a policy, shown where it stands in the files, as `validate` shows what can
// be judged without one.
import { type ListItem, NOT_FOUND_PREFIX, type ValidationIssue } from '../../http/errors.ts'
import { itemPrefix } from '../../http/list-item.ts'
import type { PlaceOf, Problem, Source } from '../../management/policy-file/problem.ts'
import type { Path } from '../../management/rules/fields.ts'
import { isZerohopError } from '../../model/errors.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'

/** An error about a part of what was sent. */
export interface Refusal {
  /** in what was sent */
  readonly path: Path
  readonly message: string
}

/** The body of an error of the management API; the server may be of another version. */
interface Body {
  readonly message?: string
  readonly detail?: readonly Pick<ValidationIssue, 'loc' | 'msg'>[]
  readonly additional_info?: ListItem | null
}

export class Refusals {
  readonly #sources: readonly Source[]
  readonly #loadPlaces: () => PlaceOf
  readonly #base: Path

  /**
   * @param loadPlaces is called when there is something to show
   * @param base where the policy stands in what is sent
   */
  constructor(sources: readonly Source[], loadPlaces: () => PlaceOf, base: Path) {
    this.#sources = sources
    this.#loadPlaces = loadPlaces
    this.#base = base
  }

  /**
   * The outcome; undefined when a part of the policy was refused, which is printed.
   * @throws what is about nothing that stands in the files
   */
  async shown<T>(outcome: Promise<T>): Promise<T | undefined> {
    try {
      return await outcome
    } catch (error) {
      const problems = this.#sources.length === 0 ? [] : this.#problemsIn(error)
      if (problems.length === 0) throw error
      process.stderr.write(printProblems(problems, this.#sources, printOptions(process.stderr)))
      return undefined
    }
  }

  #problemsIn(error: unknown): Problem[] {
    const inside = refusalsIn(error).filter(({ path }) => {
      return path.length > this.#base.length && this.#base.every((name, at) => path[at] === name)
    })
    if (inside.length === 0) return []
    const findPlace = this.#loadPlaces()
    const problems = inside.map(({ path, message }): Problem => {
      return { severity: 'error', message, place: findPlace(path.slice(this.#base.length)) }
    })
    return problems.filter(({ place }) => place.file !== '')
  }
}

/** Of what cannot be read with places. */
export const nowhere: PlaceOf = () => ({ file: '', line: 1, column: 1, length: 1 })

/** Of a policy whose files are not at hand. */
export const NO_FILES = new Refusals([], () => nowhere, [])

/** What the error is about. */
export function refusalsIn(error: unknown): Refusal[] {
  if (!isZerohopError(error)) return []
  if (error.code !== 'API_REFUSED')
    return error.path === undefined ? [] : [{ path: error.path, message: error.message }]
  if (typeof error.cause !== 'object' || error.cause === null) return []
  const { detail, additional_info: item, message = '' } = error.cause as Body
  if (detail !== undefined) return detail.map(({ loc, msg }) => ({ path: loc, message: msg }))
  if (!item) return []
  const bare = message.startsWith(NOT_FOUND_PREFIX) ? message.slice(NOT_FOUND_PREFIX.length) : message
  const prefix = itemPrefix(item)
  return [{ path: item.loc, message: bare.startsWith(prefix) ? bare.slice(prefix.length) : bare }]
}
