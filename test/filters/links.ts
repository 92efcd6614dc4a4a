// Hazards of tables that join (docs/list-and-detail.md): links that are deleted, of another organization with the same
// number, of another type of subject. The rows of a list are those that a check of the row allows, with its links as an
// ORM loads them, and those that a definition by hand means.
import { type Mapping, type RelationColumn, sql } from '../../src/filters/meaning/mapping.ts'
import { matches, type ResourceOptions, toResource } from '../../src/filters/rows.ts'
import type { Filter, FilterNode } from '../../src/model/filter.ts'
import { generator } from './law.ts'
import { makeFilter } from './plans.ts'
import { pick } from './random-rows.ts'

export type Loaded = Readonly<Record<string, unknown>>

const ORGS = ['acme', 'acme', 'other', 'ACME', null] as const
const FOLDERS = ['f1', 'f2', 'f3', 'F1'] as const
const next = generator(11)
const literal = (value: string | number | boolean | null) =>
  typeof value === 'string' ? `'${value}'` : value === null ? 'NULL' : String(value).toUpperCase()

/** Numbers are those of an organization: another one has the same. */
const ARTICLES = Array.from({ length: 60 }, (_, n) => [`a${n}`, pick(next, ORGS), next(9) === 0 ? null : n % 20])
const LINKS = Array.from({ length: 240 }, () => [
  ...[`${pick(next, ['a', 'a', 'A'])}${next(60)}`, pick(next, ORGS), next(10) === 0 ? null : next(20)],
  ...[pick(next, FOLDERS), pick(next, ['article', 'article', 'page', 'Article', null])],
  ...[next(3) === 0 ? 5 : null, pick(next, [true, false, null]), pick(next, [1, 2, 3, null])],
])

export const CREATE_LINKS = [
  'CREATE TABLE articles (id VARCHAR(20), org VARCHAR(20), no BIGINT)',
  `CREATE TABLE article_links (article_id VARCHAR(20), org VARCHAR(20), article_no BIGINT, folder VARCHAR(20),
    subject VARCHAR(20), deleted_at BIGINT, active BOOLEAN, level BIGINT)`,
  `INSERT INTO articles VALUES ${ARTICLES.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`,
  `INSERT INTO article_links VALUES ${LINKS.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`,
]

type Through = Extract<RelationColumn, { through: unknown }>['through']

export interface LinkLaw {
  readonly key: Mapping['key']
  readonly through: Through
  /** What an ORM joins a link to a row by. */
  readonly isLoaded: (article: Loaded, link: Loaded) => boolean
  /** Which of the links count. Numbers are numbers here. */
  readonly counts: (article: Loaded, link: Loaded) => boolean
  /** whether only a database knows which links count: an application gives their keys */
  readonly isExpression?: true
}

const ID = 'id'
const NUMBER = { column: 'no', type: 'integer' } as const
const BY_ID = { table: 'article_links', from: 'article_id', to: 'folder' } as const
const BY_NUMBER = { table: 'article_links', from: { column: 'article_no', type: 'integer' }, to: 'folder' } as const
const byId = (article: Loaded, link: Loaded) => article.id === link.article_id
const byNumber = (article: Loaded, link: Loaded) => article.no !== null && article.no === link.article_no

export const LINK_LAWS: Readonly<Record<string, LinkLaw>> = {
  'links that are deleted do not count': {
    key: ID,
    through: { ...BY_ID, where: { deleted_at: null } },
    isLoaded: byId,
    counts: (_, link) => link.deleted_at === null,
  },
  'links of another organization with the same number do not count': {
    key: NUMBER,
    through: { ...BY_NUMBER, tenant: 'org' },
    isLoaded: byNumber,
    counts: (article, link) => link.org === article.org,
  },
  'links of another type of subject do not count': {
    key: ID,
    through: { ...BY_ID, where: { subject: 'article' } },
    isLoaded: byId,
    counts: (_, link) => link.subject === 'article',
  },
  'links by a composite key': {
    key: ID,
    through: {
      ...BY_ID,
      from: [
        { column: 'org', row: 'org' },
        { column: 'article_no', row: 'no', type: 'integer' },
      ],
    },
    isLoaded: byNumber,
    counts: (article, link) => link.org === article.org,
  },
  'links with all of it': {
    key: NUMBER,
    through: {
      ...BY_NUMBER,
      tenant: 'org',
      where: { subject: ['article', 'page'], deleted_at: { is: null }, active: true, level: { not: null } },
    },
    isLoaded: byNumber,
    counts: (article, link) =>
      link.org === article.org &&
      (link.subject === 'article' || link.subject === 'page') &&
      link.deleted_at === null &&
      Boolean(link.active) &&
      link.level !== null,
  },
  'links with a number': {
    key: ID,
    through: { ...BY_ID, where: { level: [1, 3] } },
    isLoaded: byId,
    counts: (_, { level }) => level === 1 || level === 3,
  },
  'links that an expression tells': {
    key: ID,
    through: {
      table: sql('(SELECT * FROM article_links WHERE level > 1)'),
      from: sql((column) => `lower(${column('article_id')})`),
      to: 'folder',
      where: sql((column) => `${column('deleted_at')} IS NULL AND ${column('active')}`),
    },
    isLoaded: (article, link) => article.id === String(link.article_id).toLowerCase(),
    counts: (_, link) => Number(link.level) > 1 && link.deleted_at === null && Boolean(link.active),
    isExpression: true,
  },
}

const IN_FOLDER: FilterNode = { related: 'folder', type: 'folder', in: ['f1', 'f2'] }
const NOT_IN_FOLDER: FilterNode = { not: { related: 'folder', type: 'folder', in: ['f1'] } }

/** The filters, and by hand which links make a row one of theirs. */
export const LINK_FILTERS: readonly (readonly [Filter, (folders: readonly unknown[]) => boolean])[] = [
  [relatedBy(IN_FOLDER), (folders) => folders.includes('f1') || folders.includes('f2')],
  [relatedBy(NOT_IN_FOLDER), (folders) => !folders.includes('f1')],
]

export const OF_ACME: Filter = {
  ...{ format: makeFilter(IN_FOLDER).format, revision: 1, type: 'document', tenant: 'acme', kind: 'always' },
} as Filter

function relatedBy(where: FilterNode): Filter {
  return { ...makeFilter(where), reads: { attributes: [], relations: ['folder'], key: false } } as Filter
}

export function makeMapping({ key, through }: Pick<LinkLaw, 'key' | 'through'>): Mapping {
  return { tenant: 'org', key, relations: { folder: { resource: 'folder', through, property: 'links' } } }
}

/** Integers as numbers, which drivers give in other forms too. */
export const numbered = (row: Loaded): Loaded =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, /_no$|^no$|^level$/.test(name) ? asNumber(value) : value]),
  )
const asNumber = (value: unknown) => (value === null ? null : Number(value))

/** Ids of the articles that checks of them allow, and of those that the definition by hand means. */
export function listIds(
  law: LinkLaw,
  filter: Filter,
  holds: (folders: readonly unknown[]) => boolean,
  articles: readonly Loaded[],
  links: readonly Loaded[],
  options: ResourceOptions,
) {
  const own = articles.filter(({ org }) => org === filter.tenant)
  const ids = (means: (article: Loaded) => boolean) => own.filter(means).map(({ id }) => id)
  const counting = (article: Loaded) => links.filter((link) => law.isLoaded(article, link) && law.counts(article, link))
  return {
    byHand: ids((article) => holds(counting(article).map(({ folder }) => folder))),
    byCheck: ids((article) => {
      const loaded = links.filter((link) => law.isLoaded(article, link))
      const given = law.isExpression ? counting(article).map(({ folder }) => folder) : loaded
      const { tenant, ...resource } = toResource({ ...article, links: given }, makeMapping(law), options)
      return matches(filter, { ...resource, tenant: tenant! })
    }),
  }
}
