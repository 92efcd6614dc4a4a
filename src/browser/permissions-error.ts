// The one error of `zerohop/browser`. Apart from src/model/errors.ts, whose table is larger than all of this entry.

export type PermissionsErrorCode =
  /** only the server can tell */
  | 'ASK_SERVER'
  /** the snapshot is too old to answer: load another one, or ask the server */
  | 'SNAPSHOT_EXPIRED'
  /** the question lacks a property that a condition reads */
  | 'PROPERTY_MISSING'
  /** a part of the question is not of its type */
  | 'INPUT_INVALID'
  /** not a snapshot, or one of another version */
  | 'SNAPSHOT_INVALID'
  /** the server answered with another status than 200 and 304 */
  | 'SNAPSHOT_FAILED'

export class PermissionsError extends Error {
  override readonly name = 'PermissionsError'
  readonly code: PermissionsErrorCode
  /** of SNAPSHOT_FAILED: the status that the server answered */
  readonly status: number | undefined

  constructor(code: PermissionsErrorCode, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }

  /** True when the server must be asked: that is not a deny. */
  get asksServer(): boolean {
    return this.code === 'ASK_SERVER' || this.code === 'SNAPSHOT_EXPIRED'
  }
}
