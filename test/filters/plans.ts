// What databases must do with an index: 5,000 documents, and filters whose rows an index finds.
import { type Mapping, sql } from '../../src/filters/meaning/mapping.ts'
import type { Filter, FilterNode, Leaf } from '../../src/model/filter.ts'

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

export function makeFilter(where: FilterNode): Filter {
  const reads = { attributes: ['status', 'amount'], relations: [], key: true }
  return { format: 2, revision: 1, type: 'document', tenant: 'acme', kind: 'when', where, reads }
}

/** Index, the filter whose rows it finds, and their number. */
export const INDEXED: readonly (readonly [string, Filter, number])[] = [
  ['by_status', makeFilter({ op: 'equals', left: { path: ['status'], type: 'string' }, right: { value: 's7' } }), 1],
  ['by_amount', makeFilter({ op: 'equals', left: { path: ['amount'], type: 'number' }, right: { value: 7 } }), 1],
  ['by_amount', makeFilter({ op: 'less-than', left: { path: ['amount'], type: 'number' }, right: { value: 4.5 } }), 5],
  ['by_id', makeFilter({ key: { in: ['k1', 'k2', 'K3', 'none'] } }), 2],
]

/** Rows whose column `data` is the text beside them. Taken for missing, those of no JSON would be found. */
export const NOT_SECRET = makeFilter({
  not: { op: 'equals', left: { path: ['data', 'a'], type: 'json' }, right: { value: 'secret' } },
})
export const WITH_DATA: Mapping = { tenant: null, key: 'id', attributes: { data: { column: 'data', type: 'json' } } }

/** Pages whose owner is in another table, with two relations to folders; some are deleted, or of no tenant. */
export const CREATE_PAGES = [
  `CREATE TABLE pages (id VARCHAR(20), org VARCHAR(20), owner_id VARCHAR(20), folder_id VARCHAR(20),
    archive_id VARCHAR(20), deleted_at BIGINT)`,
  'CREATE TABLE owners (id VARCHAR(20), region VARCHAR(20))',
  "INSERT INTO owners VALUES ('o1', 'EU'), ('o2', 'US')",
  `INSERT INTO pages VALUES ('a', 'acme', 'o1', 'f1', NULL, NULL), ('b', 'acme', 'o2', 'f2', 'f1', NULL),
    ('c', 'acme', NULL, NULL, 'f1', NULL), ('d', 'acme', 'o1', 'f1', 'f1', 5), ('e', 'other', 'o1', 'f1', 'f1', NULL),
    ('f', NULL, 'o1', 'f1', 'f1', NULL), ('g', 'acme', 'o1', 'f2', 'f3', NULL)`,
]
export const PAGES: Mapping = {
  tenant: 'org',
  key: 'id',
  attributes: { region: { column: sql('o.region'), type: 'text' } },
  relations: {
    folder: { resource: 'folder', column: 'folder_id' },
    archive: { resource: 'folder', column: 'archive_id' },
  },
}
const isRelated = (relation: string): Leaf => ({ related: relation, type: 'folder', in: ['f1'] })
const IS_AMERICAN = { op: 'equals', left: { path: ['region'], type: 'string' }, right: { value: 'US' } } as const

/** What is asked of the pages, and the keys of those that are found beside deleted ones. */
export const ASKED_PAGES: readonly (readonly [string, FilterNode, string])[] = [
  ['an attribute of a joined table', IS_AMERICAN, 'b'],
  ['none where nothing is joined', { not: IS_AMERICAN }, 'a c g'],
  ['one relation of two to a table', isRelated('folder'), 'a'],
  ['the other one', isRelated('archive'), 'b c'],
  ['either', { or: [isRelated('folder'), isRelated('archive')] }, 'a b c'],
  ['one and not the other', { and: [isRelated('archive'), { not: isRelated('folder') }, { not: IS_AMERICAN }] }, 'c'],
]
