// The filters of a list of recorded decisions, as a test of a record and as terms of the index.
import { type Query, readFlag, readText, readTexts } from '../http/page.ts'
import { parseId } from '../model/keys.ts'
import type { AuditRecord } from './audit-log.ts'
import { type Term, type TermGroups, termOf } from './audit-terms.ts'

export interface AuditFilter {
  /** undefined when every record fits */
  readonly fits: ((record: AuditRecord) => boolean) | undefined
  /** the same for the index; undefined when terms do not say all of it */
  readonly groups: TermGroups | undefined
}

/** @param pdp id of the PDP config of the environment: all of its PDPs @throws INPUT_INVALID */
export function filterOf(query: Query, pdp: string): AuditFilter {
  const tests: ((record: AuditRecord) => boolean)[] = []
  const groups: (readonly Term[])[] = []
  const valuesOf = (name: string): readonly string[] => readTexts(query, name).filter((text) => text !== '')
  const among = (
    name: string,
    fits: (record: AuditRecord, wanted: readonly string[]) => boolean,
    terms: (wanted: string) => readonly Term[],
  ): void => {
    const wanted = valuesOf(name)
    if (wanted.length === 0) return
    tests.push((record) => fits(record, wanted))
    groups.push(wanted.flatMap(terms))
  }
  among(
    'users',
    ({ user }, wanted) => wanted.includes(user),
    (user) => [termOf('user', user)],
  )
  among(
    'resources',
    ({ resource_type: type, resource_key: key }, wanted) =>
      wanted.some((ref) => ref === type || (key !== null && ref === `${type}:${key}`)),
    (ref) => [termOf('type', ref), termOf('instance', ref)],
  )
  among(
    'tenant',
    ({ tenant }, wanted) => wanted.includes(tenant),
    (tenant) => [termOf('tenant', tenant)],
  )
  among(
    'action',
    ({ action }, wanted) => wanted.includes(action),
    (action) => [termOf('action', action)],
  )
  if (readText(query, 'decision') !== undefined) {
    const wanted = readFlag(query, 'decision')
    tests.push(({ decision }) => decision === wanted)
    groups.push([termOf('decision', wanted)])
  }
  // every record is of the one config; the series of a single process is not in the index
  const pdps = valuesOf('pdp_id').map((ref) => parseId(ref) ?? '')
  const isOneProcess = pdps.length > 0 && !pdps.includes(pdp)
  if (isOneProcess) tests.push(({ instance }) => pdps.includes(instance))
  const fits = tests.length === 0 ? undefined : (record: AuditRecord) => tests.every((test) => test(record))
  return { fits, groups: isOneProcess ? undefined : groups }
}
