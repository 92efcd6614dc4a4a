// Whether something was used: the newest decision that allowed it, and whether it can be known that there was none.
// docs/last-used.md defines the answers.
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { type KnownUses, nameUse, type Use } from '../../decision-log/last-uses.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { LAST_USED_DAYS } from '../../model/limits.ts'
import type { Unknown } from '../schemas/last-used.ts'

const DAY_MS = 86_400_000

/** What is asked of a use. */
export interface Window {
  /** ms since 1970 */
  readonly now: number
  /** for how long it may not have been used; undefined when only the last use is asked for */
  readonly unusedMs: number | undefined
}

export interface LastUsed {
  /** ms since 1970; undefined when no use is known */
  readonly at: number | undefined
  /** undefined when it is not asked for, or cannot be known */
  readonly isUnused: boolean | undefined
  readonly unknown: Unknown | undefined
}

/** What is asked about: it is used when any of these is. */
export interface Asked {
  readonly uses: readonly Use[]
  /** why it may have been used for what the uses do not say */
  readonly besides?: Unknown | undefined
}

/** The uses that are known, from when on. */
export interface Known extends Pick<KnownUses, 'until' | 'dropped' | 'droppedAt'> {
  readonly since: number | undefined
}

/** What is known of the uses of an environment; undefined when no decision was recorded. */
export async function findKnown(
  audit: Pick<AuditLog, 'knownUses'>,
  environment: string,
  now: number,
): Promise<Known | undefined> {
  const known = await audit.knownUses(environment)
  if (known === undefined) return undefined
  const kept = now - LAST_USED_DAYS * DAY_MS
  return { ...known, since: known.since === undefined ? undefined : Math.max(known.since, kept) }
}

/** When each was last used, in the order asked. */
export async function findLastUsed(
  audit: Pick<AuditLog, 'uses'>,
  environment: string,
  asked: readonly Asked[],
  known: Known | undefined,
  window: Window,
): Promise<LastUsed[]> {
  const names = new Map<string, number | undefined>()
  const named = asked.map(({ uses }) => uses.map((use) => nameUse(ofEverybody(use))))
  for (const name of named.flat()) names.set(name, undefined)
  const found = await audit.uses(environment, [...names.keys()])
  for (const [place, name] of [...names.keys()].entries()) names.set(name, found[place])
  return asked.map(({ besides }, place) => {
    const at = named[place]!.map((name) => names.get(name)).reduce(later, undefined)
    return { at, ...judge(at, besides, known, window) }
  })
}

/** A role of everyone is used when anyone is allowed what it gives. */
const ofEverybody = (use: Use): Use => (use.user === EVERYBODY ? { permission: use.permission } : use)

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

function judge(
  at: number | undefined,
  besides: Unknown | undefined,
  known: Known | undefined,
  { now, unusedMs }: Window,
): Pick<LastUsed, 'isUnused' | 'unknown'> {
  if (unusedMs === undefined) return { isUnused: undefined, unknown: undefined }
  const from = now - unusedMs
  if (at !== undefined && at >= from) return { isUnused: false, unknown: undefined }
  const unknown = findUnknown(from, besides, known)
  return { isUnused: unknown === undefined ? true : undefined, unknown }
}

function findUnknown(from: number, besides: Unknown | undefined, known: Known | undefined): Unknown | undefined {
  if (known === undefined || known.until < from) return 'nothing_recorded'
  if (known.since === undefined || known.since > from) return 'not_recorded_so_long'
  return besides
}
