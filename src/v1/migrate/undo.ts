// Undoes what moves wrote, by their record: created objects are removed, overwritten ones are restored. Objects that
// were changed or used since are kept, with the reason. Nothing is undone when the foreign objects no longer exist: the
// moved ones are then the only copy.
import { MIGRATE_CALLS_AT_ONCE } from '../../model/limits.ts'
import { type Api, failed, forEach } from './api-client.ts'
import { isAsWritten, keyOf, nowOf, usedBySince } from './kept.ts'
import { Live, nameOf, type Row, type Taken } from './live.ts'
import type { Made, Moved, MoveRecord } from './move-record.ts'
import type { CallKind } from './plan.ts'
import type { Progress } from './progress.ts'
import { type Environment, factsOf, isSame, readOrganization, refused, schemaOf } from './world.ts'

export interface UndoReport {
  /** what was undone, or would be in a dry run */
  readonly undone: readonly Undone[]
  readonly kept: readonly Kept[]
}

interface Undone {
  readonly environment: string
  readonly what: string
  readonly how: 'removed' | 'restored'
}

export interface Kept {
  readonly environment: string
  readonly what: string
  readonly why: string
}

/** Objects are removed before those that they depend on. */
const ORDER: readonly CallKind[] = ['assignment', 'user', 'tenant', 'role', 'action', 'resource']

/**
 * @param isDry nothing is written
 * @throws MIGRATION_REFUSED when a foreign environment of the record is gone, or the record is about another service
 */
export async function undo(api: Api, record: MoveRecord, isDry: boolean, progress: Progress): Promise<UndoReport> {
  const moves = record.read()
  await requireForeign(api, moves)
  const there = new Set((await readOrganization(api)).environments.map(({ id }) => id))
  const report = { undone: [] as Undone[], kept: [] as Kept[] }
  const taken = new Map<string, Taken>()
  const takenIn = ({ id }: Environment): Taken => {
    const known = taken.get(id) ?? { gone: new Set(), restored: new Map() }
    taken.set(id, known)
    return known
  }
  // the last move first: it may have overwritten what an earlier one wrote
  for (const moved of moves.toReversed()) {
    const run = { api, record, isDry, report, progress, moved, taken: takenIn(moved.environment) }
    if (there.has(moved.environment.id)) await undoOne(run)
    else if (!isDry) for (const number of moved.made.keys()) record.undone(number)
  }
  if (!isDry) record.sync()
  return report
}

async function requireForeign(api: Api, moves: readonly Moved[]): Promise<void> {
  const { environments } = await readOrganization(api)
  const ids = new Set(environments.map(({ id }) => id))
  for (const { api: url, foreign } of moves) {
    if (url !== api.url) throw refused(`the record is about ${url}`)
    const gone = foreign.find(({ id }) => !ids.has(id))
    if (gone !== undefined)
      throw refused(`${gone.name} was deleted: what was moved from it is the only copy left, and is kept`)
  }
}

interface Run {
  readonly api: Api
  readonly record: MoveRecord
  readonly isDry: boolean
  readonly progress: Progress
  readonly report: { readonly undone: Undone[]; readonly kept: Kept[] }
  readonly moved: Moved
  readonly taken: Taken
}

async function undoOne(run: Run): Promise<void> {
  const { environment, made } = run.moved
  run.progress.begin(`undoing in ${environment.name}`, made.size)
  for (const kind of ORDER) {
    const ofKind = [...made].filter(([, { call }]) => call.kind === kind).reverse()
    if (ofKind.length === 0) continue
    // users do not depend on users, nor assignments on assignments
    const atOnce = kind === 'assignment' || kind === 'user' ? MIGRATE_CALLS_AT_ONCE : 1
    const live = new Live(run.api, environment, run.taken)
    await forEach(ofKind, atOnce, ([number, one]) => undoCall(run, live, number, one))
  }
  run.progress.end()
}

async function undoCall(run: Run, live: Live, number: number, made: Made): Promise<void> {
  const { report, moved, isDry, record, taken, progress } = run
  const { kind, what, body, of } = made.call
  const { name } = moved.environment
  const row = isMade(made) ? await nowOf(live, made) : undefined
  const why = row === undefined ? undefined : await whyKept(live, row, made)
  if (why !== undefined) report.kept.push({ environment: name, what, why })
  else {
    const how = made.call.before === undefined ? 'removed' : 'restored'
    const isThere = row !== undefined && !(how === 'restored' && isBefore(row, made))
    if (isThere && !isDry) await takeBack(run.api, moved.environment, made)
    if (isThere) report.undone.push({ environment: name, what, how })
    const named = nameOf(kind, { ...(body as Row), key: keyOf(made.call) }, of)
    if (how === 'removed') taken.gone.add(named)
    else if (isThere) taken.restored.set(named, { ...row, ...(made.call.before as Row) })
    if (!isDry) record.undone(number)
  }
  progress.step()
}

/** Whether the call created or changed something, according to its answer. */
const isMade = ({ status }: Made): boolean => status === undefined || status < 300

/** Whether the overwritten object has its previous values again, or still. */
function isBefore(row: Row, made: Made): boolean {
  return isAsWritten(row, { ...made, call: { ...made.call, body: made.call.before } })
}

async function whyKept(live: Live, row: Row, made: Made): Promise<string | undefined> {
  const { kind, method, before } = made.call
  if (before !== undefined) return isAsWritten(row, made) || isBefore(row, made) ? undefined : 'changed since'
  if (kind === 'user' && method === 'PUT' && made.status === 200) return 'someone else created it in the meantime'
  if (made.id !== undefined && !isSame(row.id ?? made.id, made.id)) return 'recreated since'
  if (!isAsWritten(row, made)) return 'changed since'
  return usedBySince(live, made)
}

async function takeBack(api: Api, environment: Environment, { call }: Made): Promise<void> {
  const { kind, method, path, body, before, of } = call
  if (before !== undefined) {
    const { key, ...values } = before as Row
    await api.ask(method, path, method === 'PUT' ? { key, ...values } : values)
    return
  }
  const [schema, facts] = [schemaOf(environment), factsOf(environment)]
  const key = encodeURIComponent(keyOf(call))
  const paths: Readonly<Record<CallKind, string>> = {
    assignment: `${facts}/role_assignments`,
    user: `${facts}/users/${key}`,
    tenant: `${facts}/tenants/${key}`,
    role: `${schema}/roles/${key}`,
    action: `${schema}/resources/${encodeURIComponent(of ?? '')}/actions/${key}`,
    resource: `${schema}/resources/${key}`,
  }
  const answer = await api.call('DELETE', paths[kind], kind === 'assignment' ? body : undefined)
  // 404: it was deleted by somebody else
  if (answer.status >= 300 && answer.status !== 404) throw failed('DELETE', paths[kind], answer)
}
