// Writes that can be repeated: each item of a body becomes so, or is found so, and what became of it is said. One of them
// twice is one; two that are the same fact with different content are refused. How a fact of each kind is written is in
// fact-kinds.ts; all of one body is one revision, and none where nothing changes.
import { isDeepStrictEqual } from 'node:util'
import type { KindName } from '../../kinds/index.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import type { Path } from '../rules/fields.ts'
import type { On, Outcome, WriteReport } from '../schemas/fact-writes.ts'
import { type Items, within } from './bulk-items.ts'

/** A fact as it stands after a write. */
export interface Made {
  readonly key: string
  readonly created: boolean
  /** what the single call answers with */
  readonly object: unknown
}

/** A stored fact, compared with an item. */
export interface Compared {
  /** whether it has all that the item says */
  readonly agrees: boolean
  readonly object: unknown
}

/** What became of the items; of the one item of a single call also the fact. */
export interface Settlement {
  readonly items: WriteReport['items']
  readonly object?: unknown
}

export type Make<Item> = (view: View, item: Item, mint: Mint) => Decided<Made>

/** How facts of one kind are written by whoever repeats writes. */
export interface FactKind<Item, Ref> {
  /** what OBJECT_EXISTS names where it is there already */
  readonly kind: KindName
  /** @throws OBJECT_EXISTS where it is there */
  readonly create: Make<Item>
  /** What `POST` does that says nothing about duplicates. */
  readonly post: { readonly one: Make<Item>; readonly many: Make<Item> }
  /** Makes it so; null where no `PUT` does. */
  readonly put: Make<Item> | null
  /** What is sent beside the stored fact of that key. */
  readonly compare: (view: View, key: string, item: Item, mint: Mint) => Compared
  /** What an item says beside the names of the fact. */
  readonly content: (view: View, item: Item) => object
  /** The key of a stored fact. @throws OBJECT_NOT_FOUND for what it names */
  readonly find: (view: View, ref: Ref) => string | undefined
  /** The key of what may be missing, as a report says it. */
  readonly nameOf: (ref: Ref) => string | null
  readonly remove: (view: View, ref: Ref, mint: Mint) => Decided<unknown>
  /** `DELETE` of many passes over what is missing, if nothing else is said */
  readonly passesOver?: true
}

/** Items of a call. A path without an index is that of a call of one item. */
export type Settled<I> = Items<I> & { readonly isOne: boolean; readonly on: On | null }

type Report = WriteReport['items'][number]

/**
 * Writes by `POST` or `PUT`. @param admit whether an item is written at all; what is not counts as missing
 * @throws ITEMS_DIFFER, LIMIT_EXCEEDED, OBJECT_EXISTS, and what the single call throws
 */
export function makeItems<Item, Ref>(
  fact: FactKind<Item, Ref>,
  method: 'POST' | 'PUT',
  view: View,
  items: Settled<Item>,
  mint: Mint,
  admit: (draft: Draft, item: Item) => boolean = () => true,
): Decided<Settlement> {
  const { on, isOne } = items
  const usual = method === 'PUT' ? fact.put : isOne ? fact.post.one : fact.post.many
  const make = on === null ? usual : fact.create
  if (make === null) throw new ZerohopError('INTERNAL')
  const seen = new Map<string, { readonly at: number; readonly content: object; readonly report: Report }>()
  let last: { readonly status?: number; readonly object: unknown } | undefined
  const settle = (draft: Draft, item: Item, at: number): Report => {
    if (!admit(draft, item)) return { key: null, outcome: 'missing' }
    const content = withoutNull(fact.content(draft, item))
    const decided = attempt(fact, make, draft, item, mint)
    const { key } = decided
    const before = seen.get(key)
    if (before !== undefined) {
      if (isDeepStrictEqual(before.content, content)) return before.report
      throw new ZerohopError('ITEMS_DIFFER', { kind: fact.kind, key, first: before.at, second: at })
    }
    let outcome: Outcome
    if (decided.made !== undefined) {
      outcome = findOutcome(decided.made)
      draft.stage(decided.made.changes)
      last = { ...decided.made, object: decided.made.result.object }
    } else {
      if (on !== 'ignore') throw decided.error
      const { agrees, object } = fact.compare(draft, key, item, mint)
      outcome = agrees ? 'same' : 'kept'
      last = { object }
    }
    const report = { key, outcome } as const
    seen.set(key, { at, content, report })
    return report
  }
  const { changes, result } = settleEach(view, items, settle)
  if (!isOne || last === undefined) return { changes, result }
  const { status, object } = last
  return { changes, ...(status === undefined ? {} : { status }), result: { ...result, object } }
}

/** Writes by `DELETE`. @throws LIMIT_EXCEEDED, OBJECT_NOT_FOUND, and what the single call throws */
export function removeItems<Item, Ref>(
  fact: FactKind<Item, Ref>,
  view: View,
  items: Settled<Ref>,
  mint: Mint,
): Decided<Settlement> {
  const passes = items.on === 'ignore' || (items.on === null && !items.isOne && fact.passesOver === true)
  const seen = new Map<string, Report>()
  return settleEach(view, items, (draft, ref): Report => {
    try {
      const key = fact.find(view, ref)
      const before = key === undefined ? undefined : seen.get(key)
      if (before !== undefined) return before
      const removed = fact.remove(draft, ref, mint)
      draft.take(removed)
      const isKept = key !== undefined && draft.get(fact.kind, key) !== undefined
      const report = { key: key ?? fact.nameOf(ref), outcome: isKept ? 'kept' : 'deleted' } as const
      if (key !== undefined) seen.set(key, report)
      return report
    } catch (error) {
      if (passes && isZerohopError(error, 'OBJECT_NOT_FOUND')) return { key: fact.nameOf(ref), outcome: 'missing' }
      if (passes && isZerohopError(error, 'CLAIMED_BY_OTHERS'))
        return { key: error.details.key as string, outcome: 'kept' }
      throw error
    }
  })
}

function settleEach<I>(
  view: View,
  { items, path, what, limit, isOne }: Settled<I>,
  settle: (draft: Draft, item: I, at: number) => Report,
): Decided<Settlement> {
  if (items.length > limit)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: `the ${what} of one call`, limit }, { path })
  const draft = new Draft(view)
  const reports = items.map((item, at) => {
    if (isOne) return settle(draft, item, at)
    return within([...path, at] satisfies Path, () => settle(draft, item, at))
  })
  return { changes: draft.changes(), result: { items: reports } }
}

type Attempt =
  | { readonly key: string; readonly made: Decided<Made> }
  | { readonly key: string; readonly made: undefined; readonly error: ZerohopError }

/** What a call would write; or that the fact is there, by its key. */
function attempt<Item, Ref>(
  { kind }: FactKind<Item, Ref>,
  make: Make<Item>,
  draft: Draft,
  item: Item,
  mint: Mint,
): Attempt {
  try {
    const made = make(draft, item, mint)
    return { key: made.result.key, made }
  } catch (error) {
    if (!isZerohopError(error, 'OBJECT_EXISTS') || error.details.kind !== kind) throw error
    return { key: String(error.details.key), made: undefined, error }
  }
}

const findOutcome = ({ changes, result }: Decided<Made>): Outcome =>
  result.created ? 'created' : changes.length > 0 ? 'changed' : 'same'

/** null of a member of a body is the same as leaving it out. */
export const withoutNull = <T extends object>(sent: T): Partial<T> =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== undefined)) as Partial<T>
