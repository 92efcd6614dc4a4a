// What a PDP that verifies signatures remembers of its environment, so that validly signed older files cannot set it
// back: which environment it is, the history that it has (its lineage), and the last revision that answered. Only a
// head that is signed for the nonce of this PDP begins another history, as a restore does, and each of them once.
import type { LogId } from '../log/change.ts'
import type { FeedHead } from '../log/feed.ts'
import { ZerohopError } from '../model/errors.ts'
import { LINEAGES_KEPT_MAX } from '../model/limits.ts'

export interface Pin {
  readonly environment: LogId
  /** undefined until a signed head named it */
  readonly lineage: string | undefined
  /** the last revision of it that answered */
  readonly revision: number
  /** the histories before, which are not accepted again */
  readonly former: readonly string[]
}

export class Pinned {
  #pin: Pin | undefined

  get pin(): Pin | undefined {
    return this.#pin
  }

  /** Goes on with what was remembered. */
  restore(pin: Pin): void {
    this.#pin = pin
  }

  /**
   * @param named the environment of the API key, as far as it is known
   * @throws FOREIGN_ENVIRONMENT
   */
  requireEnvironment(what: string, got: LogId, named?: LogId): void {
    const want = [this.#pin?.environment, named].find((each) => each !== undefined && each !== got)
    if (want !== undefined) throw new ZerohopError('FOREIGN_ENVIRONMENT', { what, got, want })
  }

  /** Why an image at this revision must not begin to answer; undefined when it may. */
  refusal(what: string, revision: number, of = ''): ZerohopError | undefined {
    const have = this.#pin?.revision ?? 0
    return revision < have ? new ZerohopError('ROLLED_BACK', { what, got: revision, of, have }) : undefined
  }

  /**
   * A head that was signed for this PDP now.
   * @param named the environment of the API key, as far as it is known
   * @returns true when it begins another history
   * @throws FOREIGN_ENVIRONMENT; ROLLED_BACK when its history goes back, or was left before
   */
  accept({ environment, lineage, revision }: FeedHead, named?: LogId): boolean {
    const what = 'the management API'
    this.requireEnvironment(what, environment, named)
    const { lineage: known, former = [] } = this.#pin ?? {}
    const isOther = known !== undefined && known !== lineage
    if (former.includes(lineage)) throw this.#rolledBack(what, revision, ' of a history that was left before')
    const refusal = isOther || known === undefined ? undefined : this.refusal(what, revision)
    if (refusal !== undefined) throw refusal
    const isBack = known === undefined && this.refusal(what, revision) !== undefined
    if (isOther) this.#pin = { environment, lineage, revision, former: [...former, known].slice(-LINEAGES_KEPT_MAX) }
    else this.#pin = { environment, lineage, revision: isBack ? revision : (this.#pin?.revision ?? 0), former }
    return isOther || isBack
  }

  /** An image of the environment answers at this revision. */
  answers(environment: LogId, revision: number): void {
    const { lineage, former = [], revision: before = 0 } = this.#pin ?? {}
    if (this.#pin !== undefined && before >= revision) return
    this.#pin = { environment, lineage, revision, former }
  }

  #rolledBack(what: string, got: number, of: string): ZerohopError {
    return new ZerohopError('ROLLED_BACK', { what, got, of, have: this.#pin?.revision ?? 0 })
  }
}

/** The bytes of a pin on disk. */
export const pinBytes = (pin: Pin): Uint8Array => Buffer.from(JSON.stringify(pin))

/** @throws IMAGE_DAMAGED */
export function readPin(bytes: Uint8Array): Pin {
  const { environment, lineage, revision, former } = parseRecord(bytes)
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (!isText(environment) || !Number.isSafeInteger(revision) || !Array.isArray(former) || !former.every(isText))
    throw damaged()
  return { environment, lineage: isText(lineage) ? lineage : undefined, revision: revision as number, former }
}

function parseRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
  } catch {
    throw damaged()
  }
}

const damaged = () => new ZerohopError('IMAGE_DAMAGED', { reason: 'what is kept of its history is not readable' })
