// The address of the page Decisions: filters and page; what the API is asked for it; and the question of a recorded
// decision, as the page Why asks it.
import type { components } from 'zerohop/client'
import { type Days, parseDays, toSeconds } from '../../components/days.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import type { QuestionSearch } from '../why/question.ts'

export type RecordedDecision = components['schemas']['AuditLog']

export interface DecisionsSearch extends Days {
  readonly user?: string
  readonly action?: string
  /** a type, or `type:key` */
  readonly resource?: string
  readonly tenant?: string
  readonly outcome?: 'allow' | 'deny'
  /** from 1 on; 1 when absent */
  readonly page?: number
  /** those that come are shown, too */
  readonly live?: true
}

/** Rows of a page. */
export const DECISION_ROWS = 50

/** Reads the filters from an address; anything else is left out. */
export function parseDecisionsSearch(search: Record<string, unknown>): DecisionsSearch {
  const { outcome } = search
  return {
    ...textIn(search, 'user'),
    ...textIn(search, 'action'),
    ...textIn(search, 'resource'),
    ...textIn(search, 'tenant'),
    ...(outcome === 'allow' || outcome === 'deny' ? { outcome } : {}),
    ...parseDays(search),
    ...pageIn(search),
    ...(search.live === true ? { live: true } : {}),
  }
}

/** The query of `GET /v2/pdps/{p}/{e}/audit_logs`. */
export function toDecisionsQuery({ page = 1, live: _, ...filters }: DecisionsSearch) {
  const { user, action, resource, tenant, outcome, ...days } = filters
  const { first, last } = toSeconds(days)
  return {
    page,
    per_page: DECISION_ROWS,
    ...(user === undefined ? {} : { users: [user] }),
    ...(action === undefined ? {} : { action }),
    ...(resource === undefined ? {} : { resources: [resource] }),
    ...(tenant === undefined ? {} : { tenant: [tenant] }),
    ...(outcome === undefined ? {} : { decision: outcome === 'allow' }),
    ...(first === undefined ? {} : { timestamp_from: first }),
    ...(last === undefined ? {} : { timestamp_to: last }),
  }
}

/** The query of the stream: the same filters without times. */
export function toStreamQuery(search: DecisionsSearch): URLSearchParams {
  const { page, per_page, timestamp_from, timestamp_to, ...filters } = toDecisionsQuery(search)
  const texts = Object.entries(filters).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  return new URLSearchParams(texts as [string, string][])
}

/** Whether fewer than all decisions are asked for. */
export const isFiltered = ({ page: _, live: __, ...filters }: DecisionsSearch): boolean =>
  Object.keys(filters).length > 0

/** What was asked about, as `type` or `type:key`. */
export function formatResource({ resource_type: type, context }: Pick<RecordedDecision, 'resource_type' | 'context'>) {
  const { resource_key: key } = context
  return typeof key === 'string' ? `${type}:${key}` : type
}

/** The revision of the image that decided; undefined in a record that has none. */
export function findRevision({ context: { revision } }: Pick<RecordedDecision, 'context'>): number | undefined {
  return typeof revision === 'number' && revision > 0 ? revision : undefined
}

/** The question of a decision, at its revision and at its time, with the attributes that were recorded. */
export function questionOfDecision(decision: RecordedDecision): QuestionSearch {
  const { user_key: user, action, tenant, timestamp, input } = decision
  const { user: asking, resource, context } = input as Record<string, { readonly attributes?: object } | undefined>
  const revision = findRevision(decision)
  return {
    user,
    action,
    resource: formatResource(decision),
    tenant,
    ...(revision === undefined ? {} : { at: String(revision) }),
    ...objectIn('user_attributes', asking?.attributes),
    ...objectIn('attributes', resource?.attributes),
    // what was sent as the time goes before the time of the record
    context: { now: Date.parse(timestamp), ...context },
  }
}

const objectIn = (name: string, object: object | undefined) =>
  object === undefined || Object.keys(object).length === 0 ? {} : { [name]: object }
