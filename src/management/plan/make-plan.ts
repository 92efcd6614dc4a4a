// Makes one plan, in the thread of plans.
import { listTurns } from '../../image/access-diff/turns.ts'
import type { Image } from '../../image/image.ts'
import type { LogEntry, LogId } from '../../log/change.ts'
import { ACCESS_TURNS_MAX, LOG_READ_MAX, PLAN_ENTRIES_MAX, PLAN_LOOK_BACK_MAX } from '../../model/limits.ts'
import { appliedKey, type JsonObject } from '../../model/objects.ts'
import { EmptyView } from '../../store/empty.ts'
import type { Reader } from '../../store/reader.ts'
import type { Mint, View } from '../../store/view.ts'
import type { Entry } from '../differences/entries.ts'
import { findPlace, fingerprint, type Place } from '../differences/fingerprints.ts'
import { Names } from '../differences/moved-names.ts'
import type { Conflict } from '../differences/undone.ts'
import { emptyEnvironment } from '../policy-file/empty-environment.ts'
import { nameWithoutKey } from '../rules/actor.ts'
import { warnOfEnds } from '../rules/lost-values.ts'
import { shownWarnings } from '../rules/shown-warnings.ts'
import { warnOfTenantRoles } from '../rules/tenant-roles.ts'
import { decisive, diffAccess, NO_ACCESS_CHANGE } from './access.ts'
import { buildImage } from './compare.ts'
import { decidePlan, makeDigest, NO_CHANGE, wantsNothing } from './decide-plan.ts'
import { findLater } from './later.ts'
import type { PlanImages } from './plan-images.ts'
import type { ChangedOutside, LastChange, MadePlan, PlanTask } from './plan-task.ts'

/**
 * @param mayBuild also an image of very many objects; without it undefined is returned where the plan needs one
 * @throws OBJECT_NOT_FOUND when the environment does not exist, and what `decidePlan` throws
 */
export function makePlan(reader: Reader, images: PlanImages, task: PlanTask, mayBuild: boolean): MadePlan | undefined {
  const mint = new PlannedIds(task.now)
  const { copy } = task
  const view = copy?.isNew ? newEnvironment(reader, task.environment, mint) : reader.view(task.environment)
  const { now, at } = task
  const plan = at !== undefined && wantsNothing(task) ? NO_CHANGE : decidePlan(view, task, mint)
  const changes = task.sync?.access === false ? [] : decisive(view, plan.changes)
  const before = (): Image | undefined => (copy?.isNew ? buildImage(view) : images.of(view, mayBuild))
  const isCompared = changes.length > 0 || at !== undefined
  const image = isCompared ? before() : undefined
  if (isCompared && image === undefined) return undefined
  const turns = image === undefined || at === undefined ? undefined : listTurns(image, now, at, ACCESS_TURNS_MAX)
  const options = { now, nowAfter: at, turns, page: task.page ?? undefined, renames: findRenames(plan.entries) }
  const diff = image === undefined ? NO_ACCESS_CHANGE : diffAccess(image, changes, options)
  const shown = plan.entries.slice(0, PLAN_ENTRIES_MAX)
  const roles = plan.tenantRoles.slice(0, PLAN_ENTRIES_MAX).map((role) => ({ kind: 'tenant_role', ...role }))
  return {
    revision: view.position.revision,
    entries: shown.map(({ was: _, ...entry }) => entry),
    ...(roles.length === 0 ? {} : { tenantRoles: roles.map(({ was: _, kind: __, ...role }) => role) }),
    more: plan.entries.length - shown.length + plan.tenantRoles.length - roles.length,
    fingerprints: copy === undefined ? mapFingerprints(shown) : fingerprintsOfCopy([...shown, ...roles]),
    cascade: plan.cascade,
    carried: plan.carried,
    suggested: plan.suggested,
    outside: changedOutside(reader, view, shown),
    conflicts: withWho(reader, view, plan.conflicts, task.revert?.revision ?? 0),
    lost: plan.lost,
    diff,
    ...(plan.sync === undefined ? {} : { sync: plan.sync }),
    ...(turns === undefined ? {} : { upcoming: { at: at!, turns } }),
    later: image === undefined || at !== undefined ? [] : findLater(image, view, changes, now),
    warnings: shownWarnings([...warnOfTenantRoles(view, plan.changes), ...warnOfEnds(view, plan.changes, now)]),
    digest: makeDigest(plan),
  }
}

/** What the plan moves; undefined when it moves nothing. */
function findRenames(entries: readonly Entry[]): Names | undefined {
  const moves = entries.filter(({ op }) => op === 'move')
  if (moves.length === 0) return undefined
  return new Names(moves.map(({ kind, key, fields }) => ({ kind, from: String(fields.key?.[0]), to: key })))
}

/** Ids of objects that are only planned: unlike those of stored objects, which begin with their time. */
export class PlannedIds implements Mint {
  readonly now: number
  #made = 0

  constructor(now: number) {
    this.now = now
  }

  id(): string {
    return `ffffffffffff${(++this.#made).toString(16).padStart(20, '0')}`
  }

  secret(): string {
    return ''
  }
}

/** By `kind:key`, of a moved object by its key so far. */
function mapFingerprints(entries: readonly Entry[]): Record<string, string | null> {
  const fingerprints: Record<string, string | null> = {}
  for (const { kind, key, op, fields, was } of entries)
    fingerprints[`${kind}:${op === 'move' ? String(fields.key?.[0]) : key}`] = was
  return fingerprints
}

/** Of what the source has too: of a copy both sides may change. */
type Copied = Pick<Entry, 'key' | 'op' | 'fields' | 'was'> & { readonly kind: string }
function fingerprintsOfCopy(entries: readonly Copied[]): Record<string, string> {
  const now = ({ op, fields, was }: Copied) => fingerprint({ op, was, fields: fields as unknown as JsonObject })
  return Object.fromEntries(entries.map((entry) => [`${entry.kind}:${entry.key}`, now(entry)]))
}

/** The view of an environment that a copy makes: with what every new environment has. */
const newEnvironment = (reader: Reader, log: LogId, mint: Mint): View =>
  emptyEnvironment(mint, new EmptyView(log, { other: (id) => reader.view(id) }))

/** The objects of the plan that are no longer as they were applied last, and who changed them. */
function changedOutside(reader: Reader, view: View, entries: readonly Entry[]): ChangedOutside[] {
  const changed: { readonly entry: Entry; readonly place: Place; readonly since: number }[] = []
  for (const entry of entries) {
    const key = entry.op === 'move' ? String(entry.fields.key?.[0]) : entry.key
    const place = findPlace(entry.kind, key)
    if (place === undefined) continue
    const applied = view.get('applied_object', appliedKey(place.kind, place.key))
    const last = applied?.fingerprints[place.part]
    if (applied !== undefined && last !== undefined && last !== entry.was)
      changed.push({ entry, place, since: applied.revision })
  }
  if (changed.length === 0) return []
  const since = changed.reduce((least, one) => Math.min(least, one.since), view.position.revision)
  const last = lastChanges(reader, view, since)
  return changed.map(({ entry: { kind, key }, place }) => {
    return { kind, key, ...toLastChange(last.get(appliedKey(place.kind, place.key))) }
  })
}

const toLastChange = (entry: LogEntry | undefined): LastChange => ({
  by: entry?.by.api_key_id ?? null,
  operation: entry === undefined ? null : nameWithoutKey(entry.by),
  revision: entry?.revision ?? null,
  at: entry?.at ?? null,
})

/** Conflicts with who changed the object since. */
function withWho(reader: Reader, view: View, conflicts: readonly Conflict[], since: number): MadePlan['conflicts'] {
  if (!conflicts.some(({ stored }) => stored)) return conflicts
  const last = lastChanges(reader, view, since)
  return conflicts.map((conflict) => {
    const { stored } = conflict
    return stored === undefined
      ? conflict
      : { ...conflict, ...toLastChange(last.get(appliedKey(stored.kind, stored.key))) }
  })
}

/** The last entry after a revision that touched each object, as far as a plan looks back. */
function lastChanges(reader: Reader, { log, position }: View, since: number): Map<string, LogEntry> {
  const last = new Map<string, LogEntry>()
  let after = Math.max(since, position.revision - PLAN_LOOK_BACK_MAX)
  for (;;) {
    const entries = reader.entries(log, after, LOG_READ_MAX)
    for (const entry of entries) for (const { kind, key } of entry.changes) last.set(appliedKey(kind, key), entry)
    const end = entries.at(-1)?.revision
    if (end === undefined || end >= position.revision) return last
    after = end
  }
}
