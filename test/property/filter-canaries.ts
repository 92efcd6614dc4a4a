// Filters that are wrong in one point each. filters.test.ts shows that the law tells each of them from the right one.
import type { Image } from '../../src/image/image.ts'
import type { Operator } from '../../src/model/condition.ts'
import type { Filter, FilterNode, Leaf, Term } from '../../src/model/filter.ts'
import type { Json } from '../../src/model/objects.ts'
import type { Request } from '../reference/request.ts'
import { type Row, rowAttribute } from '../support/rows.ts'
import type { World } from '../support/world.ts'
import { makeFilter, meant } from './filter-law.ts'

export interface WrongFilter {
  /** how it is made, where that is wrong */
  readonly of?: (image: Image, asked: Request, tenant: string, areRows: boolean) => Filter
  /** what it means, where that is wrong */
  readonly means?: (filter: Filter, row: Row, world: World) => boolean
}

/** The filter with its leaves changed; `isNegated` under a `not`. */
function rewritten(filter: Filter, write: (leaf: Leaf, isNegated: boolean) => FilterNode): Filter {
  const node = (each: FilterNode): FilterNode => {
    if ('and' in each) return { and: each.and.map(node) }
    if ('or' in each) return { or: each.or.map(node) }
    return 'not' in each ? write(inside(each.not), true) : write(inside(each), false)
  }
  const inside = (leaf: Leaf): Leaf => ('match' in leaf ? { ...leaf, where: node(leaf.where) } : leaf)
  return filter.kind === 'when' ? { ...filter, where: node(filter.where) } : filter
}

const leaves = (write: (leaf: Leaf) => Leaf): WrongFilter => ({
  of: (image, asked, tenant, areRows) =>
    rewritten(makeFilter(image, asked, tenant, areRows), (leaf, isNegated) =>
      isNegated ? { not: write(leaf) } : write(leaf),
    ),
})
const terms = (write: (term: Term) => Term): WrongFilter =>
  leaves((leaf) => ('op' in leaf ? { ...leaf, left: write(leaf.left), right: write(leaf.right) } : leaf))
const instead = (one: Operator, other: Operator): WrongFilter =>
  leaves((leaf) => ('op' in leaf && leaf.op === one ? { ...leaf, op: other } : leaf))

const OPPOSITES: Partial<Record<Operator, Operator>> = {
  equals: 'not-equals',
  'not-equals': 'equals',
  'less-than': 'greater-than-equals',
  'less-than-equals': 'greater-than',
  'greater-than': 'less-than-equals',
  'greater-than-equals': 'less-than',
}

const always: FilterNode = { and: [] }
const never: FilterNode = { or: [] }

export const WRONG_FILTERS: Readonly<Record<string, WrongFilter>> = {
  'an operator is inverted under `not`': {
    of: (image, asked, tenant, areRows) =>
      rewritten(makeFilter(image, asked, tenant, areRows), (leaf, isNegated) => {
        if (!isNegated) return leaf
        const opposite = 'op' in leaf ? OPPOSITES[leaf.op] : undefined
        return 'op' in leaf && opposite !== undefined ? { ...leaf, op: opposite } : { not: leaf }
      }),
  },
  'a negated leaf is dropped': {
    of: (image, asked, tenant, areRows) =>
      rewritten(makeFilter(image, asked, tenant, areRows), (leaf, isNegated) => (isNegated ? always : leaf)),
  },
  'a stored attribute shows through a NULL': {
    means: (filter, row, { policy }) =>
      meant(filter, row, (from, name) => {
        const value = rowAttribute(from, name)
        const stored = policy.resource_instance.get(`${filter.type}:${row.key}`)?.attributes ?? {}
        return value === null && Object.hasOwn(stored, name) ? (stored[name] as Json) : value
      }),
  },
  'keys of other tenants are not excluded': { of: (image, asked, tenant) => makeFilter(image, asked, tenant, true) },
  'keys of other tenants are excluded, though the row decides': {
    of: (image, asked, tenant) => makeFilter(image, asked, tenant, false),
  },
  'a declared type is forgotten': terms((term) => ('path' in term ? { ...term, type: 'json' } : term)),
  'an instant is compared as text': terms((term) => ('value' in term ? { value: term.value } : term)),
  'a member is read as the attribute': terms((term) =>
    'path' in term ? { ...term, path: term.path.slice(0, 1) } : term,
  ),
  'the key of the row is missing': terms((term) => ('key' in term ? { value: null } : term)),
  'keys are left out': leaves((leaf) => ('key' in leaf ? { key: { in: leaf.key.in.slice(1) } } : leaf)),
  'what a row is related to is left out': leaves((leaf) =>
    'related' in leaf ? { ...leaf, in: leaf.in.slice(1) } : leaf,
  ),
  'any relation counts': {
    means: (filter, row) => {
      const all = Object.values(row.relations).flat()
      const relations =
        filter.kind === 'when' ? Object.fromEntries(filter.reads.relations.map((name) => [name, all])) : {}
      return meant(filter, { ...row, relations })
    },
  },
  'a direct role does not stop a derivation': {
    of: (image, asked, tenant, areRows) => {
      const node = (each: FilterNode): FilterNode => {
        if ('or' in each) return { or: each.or.map(node) }
        if (!('and' in each)) return each
        const related = each.and.find((part) => 'related' in part)
        return related ?? { and: each.and.map(node) }
      }
      const filter = makeFilter(image, asked, tenant, areRows)
      return filter.kind === 'when' ? { ...filter, where: node(filter.where) } : filter
    },
  },
  'some item is every item': leaves((leaf) =>
    'match' in leaf && leaf.match === 'any' ? { ...leaf, match: 'all' } : leaf,
  ),
  'every item is some item': leaves((leaf) =>
    'match' in leaf && leaf.match === 'all' ? { ...leaf, match: 'any' } : leaf,
  ),
  'a match is of anything': {
    of: (image, asked, tenant, areRows) =>
      rewritten(makeFilter(image, asked, tenant, areRows), (leaf, isNegated) => {
        const wrong = 'match' in leaf && leaf.match === 'object'
        if (wrong) return isNegated ? never : always
        return isNegated ? { not: leaf } : leaf
      }),
  },
  'not-equals is of different values only': instead('not-equals', 'equals'),
  'less-than takes what is equal': instead('less-than', 'less-than-equals'),
  'greater-than-equals leaves out what is equal': instead('greater-than-equals', 'greater-than'),
  'contains is at the beginning': instead('contains', 'starts-with'),
  'some of a list is all of it': instead('array_intersect', 'array_subset'),
  'all of a list is some of it': instead('array_subset', 'array_intersect'),
}
