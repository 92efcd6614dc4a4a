// The one error of the hooks about members: what the routes of members refused, or that they did not answer.

export class MembersError extends Error {
  override readonly name = 'MembersError'
  /** that of the routes: `forbidden`, `not_found`, `conflict`, `invalid`, `unavailable` … */
  readonly code: string
  /** undefined where there was no answer */
  readonly status: number | undefined

  /** which refusal it is, a code of docs/errors.md such as `ROLE_HELD`; undefined where the answer has none */
  readonly reason: string | undefined

  constructor(
    code: string,
    message: string,
    status?: number,
    more: { cause?: unknown; reason?: string | undefined } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.code = code
    this.status = status
    this.reason = more.reason
  }
}
