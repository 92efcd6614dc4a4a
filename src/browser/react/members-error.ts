// The one error of the hooks about members: what the routes of members refused, or that they did not answer.

export class MembersError extends Error {
  override readonly name = 'MembersError'
  /** that of the routes: `forbidden`, `not_found`, `conflict`, `invalid`, `unavailable` … */
  readonly code: string
  /** undefined where there was no answer */
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status
  }
}
