// Reads the case files. The schema (for editors and for the test beside this file) is case.schema.json; what a case
// means is docs/semantics.md.
import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import type { RbacCode, ReasonsAt } from '../reference/explain.ts'
import type { Request, Sent } from '../reference/request.ts'
import type { Operation } from '../support/world.ts'

/** A key, or a key with the attributes that are sent about it. */
type Named = string | { readonly key: string; readonly attributes?: JsonObject }
type Resource = string | (Request['resource'] & { readonly attributes?: JsonObject })
/** Who asks; null: no one is signed in. */
type Asker = Named | null
type Row<Expected> = readonly [user: Asker, action: Named, resource: Resource, expected: Expected, context?: JsonObject]

type OfUser<Expected> = readonly [user: Asker, expected: Expected, context?: JsonObject]

export interface Step {
  /** the instant at which everything of this step is asked, in ms since 1970 (D15); absent: a policy without times */
  readonly at?: number
  readonly write?: readonly Operation[]
  readonly checks?: readonly Row<boolean>[]
  /** questions beyond what one check may look at: could not decide (D13) */
  readonly undecided?: readonly Row<null>[]
  /** a word is the reason of roles alone */
  readonly explains?: readonly Row<RbacCode | Partial<ReasonsAt>>[]
  readonly permissions?: readonly OfUser<(readonly [tenant: string, roles: string[], permissions: string[]])[]>[]
  readonly instance_permissions?: readonly OfUser<
    (readonly [instance: string, roles: string[], permissions: string[]])[]
  >[]
  readonly users?: readonly (readonly [action: Named, resource: Resource, users: string[], context?: JsonObject])[]
  /** with a tenant, the instances of that one */
  readonly instances?: readonly Row<string[]>[]
  readonly actions?: readonly (readonly [user: Asker, resource: Resource, actions: string[], context?: JsonObject])[]
  readonly tenants?: readonly Row<string[]>[]
  readonly authorized?: readonly (readonly [
    action: Named,
    resource: Resource,
    users: (readonly [user: string, ways: (readonly [resource: string, role: string])[]])[],
    context?: JsonObject,
  ])[]
  readonly user_tenants?: readonly (readonly [user: string | null, tenants: string[]])[]
}

export interface Case {
  readonly rule: string
  readonly says: string
  readonly steps: readonly Step[]
}

export interface NamedCase extends Case {
  readonly name: string
  readonly file: string
}

const FOLDER = new URL('./cases/', import.meta.url)

/** The cases beside this file; code that is compiled elsewhere says where they lie. */
export function readCases(folder = FOLDER): NamedCase[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().flatMap((file) => casesIn(file, readCase(file, folder)))
}

/** The case of a file, or one for each of its `sizes`: every @ in it is the size, as # is the index in a loop. */
export function casesIn(file: string, written: unknown): NamedCase[] {
  const name = file.slice(0, -'.json'.length)
  const { sizes, ...rest } = written as Case & { readonly sizes?: readonly number[] }
  if (sizes === undefined) return [{ name, file, ...withInstants(expand(rest) as Case) }]
  const text = JSON.stringify(rest)
  const makeCase = (size: number) => withInstants(expand(JSON.parse(withNumber(text, '@', size))) as Case)
  return sizes.map((size) => ({ name: `${name}-${size}`, file, ...makeCase(size) }))
}

/** The case with every instant of a question or a grant in ms since 1970, as which they may also be written. */
function withInstants({ steps, ...rest }: Case): Case {
  const timed = steps.map(({ at, write, explains, ...step }) => ({
    ...(at === undefined ? {} : { at: readInstant(at) }),
    ...(write === undefined ? {} : { write: write.map(([op, kind, object]) => [op, kind, withTimes(object)]) }),
    ...step,
    ...(explains === undefined ? {} : { explains: explains.map(withTimesIn) }),
  }))
  return { ...rest, steps: timed as readonly Step[] }
}

function withTimesIn(row: NonNullable<Step['explains']>[number]): unknown {
  const [user, action, resource, reasons, ...context] = row
  if (typeof reasons !== 'object' || reasons.not_in_force === undefined) return row
  return [user, action, resource, { ...reasons, not_in_force: reasons.not_in_force.map(withTimes) }, ...context]
}

function withTimes<T extends object>(grant: T): T {
  if ('suspension' in grant) return { ...grant, suspension: withTimes(grant.suspension as object) }
  const times = Object.entries(grant).filter(([name]) => name === 'valid_from' || name === 'valid_until')
  return { ...grant, ...Object.fromEntries(times.map(([name, value]) => [name, readInstant(value)])) }
}

function readInstant(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const instant = Date.parse(value)
  if (Number.isNaN(instant)) throw new Error(`${value} is no instant`)
  return instant
}

export function readCase(file: string, folder = FOLDER): unknown {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

/** The question of a row: `type` or `type:key` become their parts, and what is sent stands apart from the names. */
export function toRequest([user, action, resource, , context]: Row<unknown>): Request {
  const { attributes, ...parts } = typeof resource === 'string' ? parseResource(resource) : resource
  const sent = {
    ...(typeof user === 'string' || user === null ? {} : sentAs('user', user.attributes)),
    ...(typeof action === 'string' ? {} : sentAs('action', action.attributes)),
    ...sentAs('resource', attributes),
    ...sentAs('context', context),
  }
  const names = { user: askerKey(user), action: operationKey(action), resource: parts }
  return Object.keys(sent).length === 0 ? names : { ...names, sent }
}

/** A name that nothing has: where a listing has no name, doors are asked about this one. */
const NOBODY = 'nobody'

/** Every question of a step, once, as one that every door can be asked. */
export function listRequests(step: Step): Request[] {
  const { checks = [], explains = [], instances = [], tenants = [] } = step
  const {
    permissions = [],
    instance_permissions = [],
    users = [],
    actions = [],
    authorized = [],
    user_tenants = [],
  } = step
  const rows: Row<unknown>[] = [
    ...checks,
    ...explains,
    ...instances,
    ...tenants,
    ...[...users, ...authorized].map(([action, about, , sent]): Row<unknown> => [NOBODY, action, about, null, sent]),
    ...actions.map(([user, about, , sent]): Row<unknown> => [user, NOBODY, about, null, sent]),
    ...[...permissions, ...instance_permissions].map(
      ([user, , sent]): Row<unknown> => [user, NOBODY, NOBODY, null, sent],
    ),
    ...user_tenants.map(([user]): Row<unknown> => [user, NOBODY, NOBODY, null]),
  ]
  return [...new Map(rows.map(toRequest).map((request) => [JSON.stringify(request), request])).values()]
}

/** The attributes of resources that a case mentions: those of a row of an application. */
export function listAttributes({ steps }: Case): string[] {
  const names = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value === 'string' && value.startsWith('resource.')) names.add(value.slice('resource.'.length))
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      look(name)
      if (name === 'attributes' && typeof member === 'object')
        for (const each of Object.keys(member ?? {})) names.add(each)
      look(member)
    }
  }
  look(steps)
  return [...names].sort()
}

/** D16: the definition names who is not signed in by the sign of everybody. */
export const askerKey = (user: Asker): string => (user === null ? EVERYBODY : operationKey(user))
const operationKey = (named: Named) => (typeof named === 'string' ? named : named.key)
const sentAs = (part: keyof Sent, attributes: JsonObject | undefined): Sent =>
  attributes === undefined ? {} : { [part]: attributes }

function parseResource(resource: string): Request['resource'] & { readonly attributes?: JsonObject } {
  const colon = resource.indexOf(':')
  return colon < 0 ? { type: resource } : { type: resource.slice(0, colon), key: resource.slice(colon + 1) }
}

const LISTINGS = [
  'instance_permissions',
  'users',
  'instances',
  'actions',
  'tenants',
  'authorized',
  'user_tenants',
] as const

/** More writes than one by one is quick with: cases that reach limits. */
const WRITES_MANY = 5000

/**
 * What a case may need: listings; limits of one check, beyond which it could not decide; attributes sent with the
 * action; a time of its own; listings of users or actions with relations that are sent; grants for a time; reasons that
 * name grants that are not in force.
 */
export type Feature = 'listings' | 'limits' | 'action' | 'now' | 'related_listings' | 'times' | 'not_in_force'

/** What a decider must know to be asked this case. */
export function collectFeatures({ steps }: Case): Set<Feature> {
  const features = new Set<Feature>()
  if (steps.some(({ at, write = [] }) => at !== undefined || write.some(isTimed))) features.add('times')
  for (const step of steps) {
    const { write = [], checks = [], explains = [], users = [], actions = [] } = step
    for (const { sent = {} } of [...checks, ...explains].map(toRequest)) {
      if (sent.action !== undefined) features.add('action')
      if (sent.context !== undefined && Object.hasOwn(sent.context, 'now')) features.add('now')
    }
    const listed = [...users, ...actions].map((row) => row[1])
    if (listed.some((resource) => typeof resource === 'object' && resource.relations)) features.add('related_listings')
    if (LISTINGS.some((listing) => step[listing] !== undefined)) features.add('listings')
    if (explains.some(([, , , reasons]) => typeof reasons === 'object' && 'not_in_force' in reasons))
      features.add('not_in_force')
    if (step.undecided !== undefined || write.length > WRITES_MANY) features.add('limits')
  }
  return features
}

const isTimed = ([, , object]: Operation): boolean => {
  const times = 'suspension' in object ? (object.suspension as object) : object
  return 'valid_from' in times || 'valid_until' in times
}

/** Writes out the loops `{for, from, each}` and `{for, in, each}`, `{entries}` and `{text, times}`. */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (!value.some(isLoop)) return value.map(expand)
    return value.flatMap((item) => (isLoop(item) ? copies(item) : [expand(item)]))
  }
  if (typeof value !== 'object' || value === null) return value
  if ('times' in value && 'text' in value) return String(value.text).repeat(Number(value.times))
  if ('entries' in value) return Object.fromEntries(expand(value.entries) as [string, unknown][])
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]))
}

/** So many copies, with the index in each. */
interface CountedLoop {
  readonly for: number
  readonly from?: number
  readonly each: unknown
}

/** One copy for each value of a name, or for each row with a value of every name. */
interface NamedLoop {
  readonly for: string | readonly string[]
  readonly in: readonly unknown[]
  readonly each: unknown
}

const isLoop = (item: unknown): item is CountedLoop | NamedLoop =>
  typeof item === 'object' && item !== null && 'for' in item && 'each' in item

/** What is copied may be a loop itself. */
const copies = (loop: CountedLoop | NamedLoop) =>
  expand('in' in loop ? copiesWithValues(loop) : copiesWithIndex(loop)) as unknown[]

function copiesWithIndex({ for: length, from = 0, each }: CountedLoop): unknown[] {
  const text = JSON.stringify(each)
  if (!text.includes('#')) return new Array(length).fill(each)
  return Array.from({ length }, (_, index) => JSON.parse(withNumber(text, '#', from + index)))
}

function copiesWithValues({ for: named, in: list, each }: NamedLoop): unknown[] {
  const rows = expand(list) as unknown[]
  if (typeof named === 'string') return rows.map((value) => withValues(each, new Map([[named, value]])))
  return (rows as unknown[][]).map((row) => {
    if (row.length !== named.length) throw new Error(`${JSON.stringify(row)} is not a row of ${named.join(', ')}`)
    return withValues(each, new Map(named.map((name, index) => [name, row[index]])))
  })
}

/** Every text `<name>` replaced by the value of that name, and every `<name>` within a longer text by its text. */
function withValues(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => withValues(item, values))
  if (typeof value === 'string') {
    const name = value.slice(1, -1)
    if (value === `<${name}>` && values.has(name)) return values.get(name)
    return value.replace(/<(\w+)>/g, (mark, name) => (values.has(name) ? String(values.get(name)) : mark))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withValues(member, values)]))
}

const MARKS = { '#': /"=#([+-]\d+)?"|#([+-]\d+)?/g, '@': /"=@([+-]\d+)?"|@([+-]\d+)?/g }

/**
 * JSON with the number for every `mark`, `mark+1` for the next one, and the text `=mark` for the number itself, not as
 * text.
 */
function withNumber(json: string, mark: '#' | '@', number: number): string {
  return json.replace(MARKS[mark], (_, alone = '0', within = '0') => String(number + Number(alone) + Number(within)))
}
