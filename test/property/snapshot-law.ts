// Random rows for random snapshots: what a browser answers about each row, and what the definition answers to the same
// question at the time of the browser.
import { type Row as BrowserRow, permissions } from '../../src/browser/permissions.ts'
import type { FilterNode } from '../../src/model/filter.ts'
import type { Snapshot, SnapshotCondition } from '../../src/model/snapshot.ts'
import { makeSnapshot, type SnapshotOptions } from '../../src/pdp/snapshot.ts'
import { check } from '../reference/check.ts'
import { type Request, resolveTenant } from '../reference/request.ts'
import { type Row, rowAttribute } from '../support/rows.ts'
import type { World } from '../support/world.ts'
import { type Drawn, makeSituation, rowsFor } from './filter-law.ts'
import { numbers } from './histories.ts'
import { makeWords } from './set-edits.ts'

/** The clock of the browser: 2026-11-20, near which random instants lie. */
const NOW = 1795132800000

export interface Compared {
  readonly world: World
  readonly asked: Request
  readonly snapshot: Snapshot
  readonly row: Row
  readonly defined: boolean
  /** undefined: the server is to be asked */
  readonly says: boolean | undefined
}

/** @param change makes a snapshot wrong: for canaries */
export function* snapshotLaw(
  drawn: Drawn,
  change: (snapshot: Snapshot) => Snapshot = (snapshot) => snapshot,
): Iterable<Compared> {
  const next = numbers(drawn.seed)
  const { image, world, pool, requests } = makeSituation(drawn, next)
  for (const asked of requests) {
    const { user, resource, sent } = asked
    const tenant = resolveTenant(world.policy, asked)
    // Only half of them give the context: what was not given is asked of the server.
    const context = next(2) === 0 ? (sent?.context ?? {}) : {}
    const isRow = next(2) === 0
    const about = { tenants: [tenant], types: [resource.type], context }
    const options: SnapshotOptions = { ...about, tenantColumnIsAuthoritative: isRow }
    const made = makeSnapshot(image, { key: user, attributes: sent?.user ?? null }, options, false, NOW)
    const snapshot = change({ ...(JSON.parse(JSON.stringify(made)) as Snapshot), expiresAt: NOW + 1 })
    const browser = permissions(snapshot, { now: () => NOW })
    for (const row of rowsFor(world, makeWords(world, pool), asked, next)) {
      const question = toBrowserRow(asked, tenant, row, snapshot)
      const says = browser.may(asked.action, question)
      const { attributes, relations, key, type } = question
      const about = { type, tenant, isRow, relations: relations!, ...(key === null ? {} : { key }) }
      const at = { ...sent?.context, now: NOW }
      const sends = { ...(sent?.user ? { user: sent.user } : {}), resource: attributes as never, context: at }
      const defined = check(world.policy, { user, action: asked.action, resource: about, sent: sends })
      yield { world, asked, snapshot, row, defined, says }
    }
  }
}

/** The row as the browser takes it: with a value for all that is read, and for no more. */
export function toBrowserRow(
  { action, resource: { type } }: Request,
  tenant: string,
  row: Row,
  snapshot: Snapshot,
): BrowserRow {
  const answer = answerFor(snapshot, tenant, type, action)
  const reads = answer?.where ?? { attributes: [], relations: [] }
  const related = (name: string) => (Object.hasOwn(row.relations, name) ? row.relations[name]! : [])
  return {
    type,
    tenant,
    key: row.key ?? null,
    attributes: Object.fromEntries(reads.attributes.map((name) => [name, rowAttribute(row, name)])),
    relations: Object.fromEntries(reads.relations.map((name) => [name, related(name)])),
  }
}

function answerFor(snapshot: Snapshot, tenant: string, type: string, action: string): SnapshotCondition | undefined {
  const rights = snapshot.rights[snapshot.tenants[tenant] ?? -1]
  const place = rights && Object.hasOwn(rights, type) && Object.hasOwn(rights[type]!, action) && rights[type]![action]
  const answer = typeof place === 'number' ? snapshot.answers[place] : undefined
  return typeof answer === 'object' && answer !== null ? answer : undefined
}

/** Every key that a snapshot names, as `type:key`, or as `*:key` where the type is that of the rows. */
export function keysNamed({ answers }: Snapshot): string[] {
  return answers.flatMap((answer) => {
    if (typeof answer !== 'object' || answer === null) return []
    const inNode = answer.where === undefined ? [] : keysIn(answer.where.node)
    return [...(answer.keys ?? []).map((key) => `*:${key}`), ...inNode]
  })
}

function keysIn(node: FilterNode): string[] {
  if ('and' in node) return node.and.flatMap(keysIn)
  if ('or' in node) return node.or.flatMap(keysIn)
  if ('not' in node) return keysIn(node.not)
  if ('related' in node) return node.in.map((key) => `${node.type}:${key}`)
  if ('key' in node) return node.key.in.map((key) => `*:${key}`)
  return 'match' in node ? keysIn(node.where) : []
}
