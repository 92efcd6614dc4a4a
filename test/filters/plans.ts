// What databases must do with an index: 5,000 documents, and filters whose rows an index finds.
import type { Mapping } from '../../src/filters/mapping.ts'
import type { Filter, FilterNode } from '../../src/model/filter.ts'

export const DOCUMENTS: Mapping = {
  tenant: 'org',
  key: 'id',
  attributes: { status: { column: 'status', type: 'text' }, amount: { column: 'amount', type: 'integer' } },
}

/** Documents as rows for an INSERT: of one tenant, each with a status and an amount of its own. */
const DOCUMENT_VALUES = Array.from({ length: 5000 }, (_, n) => `('k${n}', 'acme', 's${n}', ${n})`).join(', ')

export const CREATE_DOCUMENTS = [
  'CREATE TABLE documents (id VARCHAR(20), org VARCHAR(20), status VARCHAR(20), amount BIGINT)',
  `INSERT INTO documents VALUES ${DOCUMENT_VALUES}`,
  'CREATE INDEX by_id ON documents (id)',
  'CREATE INDEX by_status ON documents (status)',
  'CREATE INDEX by_amount ON documents (amount)',
]

export function filterOf(where: FilterNode): Filter {
  const reads = { attributes: ['status', 'amount'], relations: [], key: true }
  return { format: 1, revision: 1, type: 'document', tenant: 'acme', kind: 'when', where, reads }
}

/** Index, the filter whose rows it finds, and their number. */
export const INDEXED: readonly (readonly [string, Filter, number])[] = [
  ['by_status', filterOf({ op: 'equals', left: { path: ['status'], type: 'string' }, right: { value: 's7' } }), 1],
  ['by_amount', filterOf({ op: 'equals', left: { path: ['amount'], type: 'number' }, right: { value: 7 } }), 1],
  ['by_amount', filterOf({ op: 'less-than', left: { path: ['amount'], type: 'number' }, right: { value: 4.5 } }), 5],
  ['by_id', filterOf({ key: { in: ['k1', 'k2', 'K3', 'none'] } }), 2],
]

/** Rows whose column `data` is the text beside them. Taken for missing, those of no JSON would be found. */
export const NOT_SECRET = filterOf({
  not: { op: 'equals', left: { path: ['data', 'a'], type: 'json' }, right: { value: 'secret' } },
})
export const WITH_DATA: Mapping = { tenant: null, key: 'id', attributes: { data: { column: 'data', type: 'json' } } }

/** As long as a list of keys may be. */
export const MANY_KEYS = filterOf({ key: { in: Array.from({ length: 10_000 }, (_, n) => `k${n}`) } })
