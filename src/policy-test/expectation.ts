// What a test file expects, as questions with the answers that they should have.

import type { Sent, SentRelation } from '../image/image.ts'
import type { Path } from '../management/rules/fields.ts'
import type { TestBecause } from './test-file.ts'

/** A question that should be allowed or denied. */
export interface Expectation {
  readonly kind: 'answer'
  /** in the form of a short line */
  readonly text: string
  /** where it stands in the file */
  readonly path: Path
  readonly user: string
  readonly action: string
  readonly about: AskedResource
  readonly allow: boolean
  readonly because: TestBecause | undefined
}

/** Who may do it, among all stored users. */
export interface ListExpectation {
  readonly kind: 'list'
  readonly text: string
  readonly path: Path
  readonly action: string
  readonly about: AskedResource
  readonly users: readonly string[]
}

export interface AskedResource {
  readonly type: string
  readonly key: string | undefined
  readonly tenant: string | undefined
  readonly sent: Sent
  /** ms since 1970: the time of the file, which a context may replace */
  readonly now: number
  readonly relations: readonly SentRelation[] | undefined
}

export type AnyExpectation = Expectation | ListExpectation
