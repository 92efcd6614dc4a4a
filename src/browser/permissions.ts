// Decides by a snapshot (docs/browser.md): what `check` decides about the same question, or "ask the server"; never
// anything else. The meaning of a condition is src/filters/evaluate.ts.
import { holds, type RowReader } from '../filters/evaluate.ts'
import { isJsonValue } from '../model/json-value.ts'
import type { Json, JsonObject } from '../model/objects.ts'
import type { Snapshot, SnapshotWhere } from '../model/snapshot.ts'
import { PermissionsError } from './permissions-error.ts'

/** What is asked about: a row of the application. */
export interface Row {
  readonly type: string
  /** `null` while it has none */
  readonly key: string | null
  /** default: that of `permissions` */
  readonly tenant?: string | null | undefined
  /** for each attribute that a condition reads the row's own value, `null` where it has none */
  readonly attributes?: object | null | undefined
  /** for each relation that a condition reads what the row is related to, as `type:key` */
  readonly relations?: Readonly<Record<string, readonly string[]>> | null | undefined
}

/** Asks the server what the snapshot does not say. */
export type Ask = (action: string, resource: Row | string) => Promise<boolean>

export interface PermissionsOptions {
  /** the tenant of rows that name none; for a type alone it is `default` unless it is given here */
  readonly tenant?: string | null | undefined
  /** milliseconds since 1970; default the clock of the browser */
  readonly now?: () => number
}

/** The decisions of one snapshot. A resource is a row, or a type for a question about no row. */
export interface Permissions {
  readonly snapshot: Snapshot
  /**
   * What `check` answers.
   * @throws ASK_SERVER, SNAPSHOT_EXPIRED, PROPERTY_MISSING, INPUT_INVALID
   */
  can(action: string, resource: Row | string): boolean
  /** The same; undefined where the server must be asked. @throws PROPERTY_MISSING, INPUT_INVALID */
  may(action: string, resource: Row | string): boolean | undefined
  /** The same; asks where the server must be asked. Rejects with PROPERTY_MISSING, INPUT_INVALID, and as `ask` does */
  canOrAsk(action: string, resource: Row | string, ask: Ask): Promise<boolean>
}

/** @throws SNAPSHOT_INVALID */
export function permissions(snapshot: Snapshot, options: PermissionsOptions = {}): Permissions {
  if (snapshot?.format !== 1) throw new PermissionsError('SNAPSHOT_INVALID', 'this is not a snapshot of format 1')
  const { now = Date.now } = options
  const can = (action: string, resource: Row | string) => decide(snapshot, action, toAsked(resource, options), now())
  const may = (action: string, resource: Row | string) => {
    try {
      return can(action, resource)
    } catch (error) {
      if (error instanceof PermissionsError && error.asksServer) return undefined
      throw error
    }
  }
  return {
    snapshot,
    can,
    may,
    canOrAsk: async (action, resource, ask) => may(action, resource) ?? (await ask(action, resource)),
  }
}

type Asked = Pick<Row, 'attributes' | 'relations'> & {
  readonly type: string
  readonly key: string | null
  readonly tenant: string
}

function toAsked(resource: Row | string, { tenant: usual }: PermissionsOptions): Asked {
  if (typeof resource === 'string') return { type: resource, key: null, tenant: usual ?? 'default' } // D2
  const { type, key, tenant = null, attributes, relations } = resource
  if (key === undefined) throw missing('key')
  return {
    type: text(type, 'type'),
    key: key === null ? null : text(key, 'key'),
    tenant: text(tenant ?? usual ?? undefined, 'tenant'),
    attributes,
    relations,
  }
}

function decide({ expiresAt, tenants, rights, answers }: Snapshot, action: string, row: Asked, now: number): boolean {
  if (!(now < expiresAt)) throw new PermissionsError('SNAPSHOT_EXPIRED', 'the snapshot has expired')
  const { type, key, tenant } = row
  const place = own(own(rights[own(tenants, tenant) ?? -1], type), text(action, 'action'))
  const answer = place === undefined ? undefined : answers[place]
  if (answer === undefined || answer === null) throw askServer(row, action)
  if (typeof answer === 'boolean') return answer
  const { keys, where } = answer
  const reader = makeReader(row, where, now)
  if (keys !== undefined && holds({ key: { in: keys } }, reader)) return true
  if (where === undefined || !holds(where.node, reader)) return false
  if (where.isKeyOpen === true && key !== null) throw askServer(row, action)
  return true
}

/**
 * Every property that the condition reads must be there, also one on which the answer would not depend: what is
 * forgotten shows at the first row.
 */
function makeReader({ key, attributes, relations }: Asked, where: SnapshotWhere | undefined, now: number): RowReader {
  for (const name of where?.attributes ?? []) {
    const value: unknown = own(attributes, name)
    if (value === undefined) throw missing(`attributes.${name}`)
    if (!isJsonValue(value)) throw invalid(`attributes.${name}`, 'a JSON value')
  }
  for (const name of where?.relations ?? []) {
    const related: unknown = own(relations, name)
    if (related === undefined) throw missing(`relations.${name}`)
    if (!Array.isArray(related) || !related.every((each) => typeof each === 'string'))
      throw invalid(`relations.${name}`, 'a list of `type:key`')
  }
  return {
    attribute: (name) => own(attributes as JsonObject, name) as Json,
    related: (name) => own(relations, name) as readonly string[],
    key: () => key ?? undefined,
    now: () => now,
  }
}

function own<T>(of: Readonly<Record<string, T>> | object | null | undefined, name: string): T | undefined {
  return of && Object.hasOwn(of, name) ? (of as Readonly<Record<string, T>>)[name] : undefined
}

function text(value: unknown, name: string): string {
  if (value === undefined) throw missing(name)
  if (typeof value !== 'string') throw invalid(name, 'a text')
  return value
}

const missing = (name: string) =>
  new PermissionsError('PROPERTY_MISSING', `the question has no \`${name}\`, which the snapshot reads`)
const invalid = (name: string, expected: string) =>
  new PermissionsError('INPUT_INVALID', `\`${name}\` must be ${expected}`)
const askServer = ({ type, tenant }: Asked, action: string) =>
  new PermissionsError('ASK_SERVER', `only the server can tell: ${action} of ${type} in tenant ${tenant}`)
