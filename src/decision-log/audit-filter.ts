// The filters of a list of recorded decisions, as a test of a record and as terms of the index.
import { parseId } from '../model/keys.ts'
import type { AuditRecord } from './audit-log.ts'
import { makeTerm, type Term, type TermGroups } from './audit-terms.ts'

/** What is asked for: one of the values of each list that is not empty. */
export interface AuditWanted {
  readonly users: readonly string[]
  readonly actions: readonly string[]
  /** `type` or `type:key` */
  readonly resources: readonly string[]
  readonly tenants: readonly string[]
  readonly decision: boolean | undefined
  /** ids of the PDP config, or of series of records */
  readonly pdps: readonly string[]
}

export interface AuditFilter {
  /** undefined when every record fits */
  readonly fits: ((record: AuditRecord) => boolean) | undefined
  /** the same for the index; undefined when terms do not say all of it */
  readonly groups: TermGroups | undefined
}

/** @param pdp id of the PDP config of the environment: it stands for all of its PDPs */
export function makeFilter(wanted: AuditWanted, pdp: string): AuditFilter {
  const { users, actions, resources, tenants, decision } = wanted
  const tests: ((record: AuditRecord) => boolean)[] = []
  const groups: (readonly Term[])[] = []
  const add = (test: (record: AuditRecord) => boolean, terms: readonly Term[]): void => {
    tests.push(test)
    groups.push(terms)
  }
  if (users.length > 0)
    add(
      ({ user }) => users.includes(user),
      users.map((user) => makeTerm('user', user)),
    )
  if (actions.length > 0)
    add(
      ({ action }) => actions.includes(action),
      actions.map((action) => makeTerm('action', action)),
    )
  if (resources.length > 0)
    add(
      ({ resource_type: type, resource_key: key }) =>
        resources.some((ref) => ref === type || (key !== null && ref === `${type}:${key}`)),
      resources.flatMap((ref) => [makeTerm('type', ref), makeTerm('instance', ref)]),
    )
  if (tenants.length > 0)
    add(
      ({ tenant }) => tenants.includes(tenant),
      tenants.map((tenant) => makeTerm('tenant', tenant)),
    )
  if (decision !== undefined) add((record) => record.decision === decision, [makeTerm('decision', decision)])
  // every record is of the one config; the series of a single process is not in the index
  const pdps = wanted.pdps.map((ref) => parseId(ref) ?? '')
  const isOneProcess = pdps.length > 0 && !pdps.includes(pdp)
  if (isOneProcess) tests.push(({ instance }) => pdps.includes(instance))
  const fits = tests.length === 0 ? undefined : (record: AuditRecord) => tests.every((test) => test(record))
  return { fits, groups: isOneProcess ? undefined : groups }
}
