// Times on the command line: an instant, or how long ago.
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'

const AGO = /^(\d{1,6})(s|m|h|d|w)$/
const MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** The help text of such an option. */
export const WHEN = 'a time such as 2026-11-20T08:30:00Z, or how long ago: 90s, 30m, 24h, 7d, 2w'

/**
 * Milliseconds since 1970 of an option; undefined without it.
 * @param option its name, for the error
 * @throws INPUT_INVALID
 */
export function readWhen(text: string | undefined, option: string, now: number): number | undefined {
  if (text === undefined) return undefined
  const ago = AGO.exec(text)
  const instant = ago === null ? parseInstant(text) : now - Number(ago[1]) * MS[ago[2] as keyof typeof MS]
  if (instant === undefined || instant < 0)
    throw new ZerohopError('INPUT_INVALID', { reason: `${option} must be ${WHEN}` })
  return instant
}

/**
 * A whole number of an option, from 1 on.
 * @throws INPUT_INVALID
 */
export function readCount(text: string, option: string, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max)
    throw new ZerohopError('INPUT_INVALID', { reason: `${option} must be from 1 to ${max.toLocaleString('en-US')}` })
  return value
}
