// A view with changes on top that are not committed yet: for use cases that write several objects which depend on each
// other, such as a resource with its roles, a cascade, or a bulk. Staged changes of one object collapse into the last
// one. Nothing is written here; the use case answers with `changes()`.

import type { IndexName, KindName, KindOfIndex, Objects } from '../kinds/index.ts'
import type { Change, LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { parseId } from '../model/keys.ts'
import { DRAFT_ABSENCES_MAX, DRAFT_READS_MAX } from '../model/limits.ts'
import { INDEXES } from './indexes.ts'
import { LastUsed } from './last-used.ts'
import type { Decided, Range, View } from './view.ts'

type AnyObject = Objects[KindName]
type ValuesOf = (object: AnyObject) => readonly string[]

/** One object that was touched. */
interface Touched {
  /** as it is in the view below */
  readonly before: AnyObject | undefined
  /** as it is now; undefined when it is deleted */
  now: AnyObject | undefined
  change: Change
}

/** What is staged of one kind. */
interface Staged {
  /** by key, in the order of the first touch */
  readonly touched: Map<string, Touched>
  /** difference in the number of objects from the view below */
  more: number
  /** keys by id, built on the first look-up by id */
  ids: Map<string, string> | undefined
}

/** What is staged under one value of an index. */
interface Entry {
  /** keys that the view below lists there and whose objects are staged */
  readonly hidden: Set<string>
  /** keys of staged objects that the value now lists */
  readonly shown: Set<string>
}

/** An index over the staged objects, built on first use: most drafts never use most indexes. */
interface StagedIndex {
  readonly kind: KindName
  readonly values: ValuesOf
  readonly entries: Map<string, Entry>
}

export class Draft implements View {
  readonly log: LogId
  readonly position: Position
  readonly #below: View
  readonly #kinds = new Map<KindName, Staged>()
  readonly #indexes = new Map<IndexName, StagedIndex>()
  readonly #order: Touched[] = []
  /**
   * What the view below said: a bulk or a policy names the same types, roles and tenants again and again, looks several
   * times for what is not there yet, and each read of a stored object parses it. Not over another draft, which may change
   * below this one.
   */
  readonly #reads: LastUsed<AnyObject> | undefined
  /** what it does not have, and its numbers of an index */
  readonly #missing: LastUsed<true> | undefined
  readonly #counts: LastUsed<number> | undefined

  constructor(below: View) {
    this.#below = below
    const isOverDraft = below instanceof Draft
    this.#reads = isOverDraft ? undefined : new LastUsed(DRAFT_READS_MAX)
    this.#missing = isOverDraft ? undefined : new LastUsed(DRAFT_ABSENCES_MAX)
    this.#counts = isOverDraft ? undefined : new LastUsed(DRAFT_ABSENCES_MAX)
    this.log = below.log
    this.position = below.position
  }

  /** Stages changes on top of the view below and of earlier changes. */
  stage(changes: readonly Change[]): this {
    for (const change of changes) this.#stage(change)
    return this
  }

  /** Stages the changes of a use case that ran on this draft, and returns its result. */
  take<T>({ changes, result }: Decided<T>): T {
    this.stage(changes)
    return result
  }

  /** What was staged, one change for each object, in the order in which the objects were first touched. */
  changes(): Change[] {
    return Array.from(this.edits(), ({ change }) => change)
  }

  /** The same, each with the object as it is in the view below. */
  *edits(): Iterable<{ readonly before: AnyObject | undefined; readonly change: Change }> {
    for (const { before, now, change } of this.#order)
      if (before !== undefined || now !== undefined) yield { before, change }
  }

  writtenAt(): number | undefined {
    return this.#below.writtenAt()
  }

  get<K extends KindName>(kind: K, key: string): Objects[K] | undefined {
    const touched = this.#kinds.get(kind)?.touched.get(key)
    // what is staged under a kind is of that kind
    return touched === undefined ? this.#getBelow(kind, key) : (touched.now as Objects[K] | undefined)
  }

  find<K extends KindName>(kind: K, ref: string): Objects[K] | undefined {
    const id = ref.length < 32 ? undefined : parseId(ref)
    const staged = this.#kinds.get(kind)
    if (id === undefined || staged === undefined)
      return id === undefined ? this.get(kind, ref) : this.#below.find(kind, ref)
    const stagedKey = mapIdsToKeys(staged).get(id)
    if (stagedKey !== undefined) return this.get(kind, stagedKey)
    const below = this.#below.find(kind, ref)
    const now = below && this.get(kind, below.key)
    return now?.id === below?.id ? (now ?? this.get(kind, ref)) : this.get(kind, ref)
  }

  require<K extends KindName>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    const found = this.find(kind, ref)
    if (found !== undefined) return found
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
  }

  refuse(kind: KindName, key: string): void {
    if (this.get(kind, key) !== undefined) throw new ZerohopError('OBJECT_EXISTS', { kind, key })
    if (this.find(kind, key) !== undefined) throw new ZerohopError('KEY_IS_ID', { kind, key })
  }

  count(kind: KindName): number {
    return this.#below.count(kind) + (this.#kinds.get(kind)?.more ?? 0)
  }

  *list<K extends KindName>(kind: K, range: Range = {}): Iterable<Objects[K]> {
    const staged = this.#kinds.get(kind)
    if (staged === undefined) return yield* this.#below.list(kind, range)
    yield* slice(eachRow<Objects[K]>(this.#below.list(kind), staged, staged.touched.keys()), range)
  }

  *by<I extends IndexName>(index: I, value: string, range: Range = {}): Iterable<Objects[KindOfIndex<I>]> {
    const staged = this.#kinds.get(INDEXES[index].kind)
    const entry = staged && this.#indexed(index, staged).entries.get(value)
    if (entry === undefined || staged === undefined) return yield* this.#below.by(index, value, range)
    const below = listKept(this.#below.by(index, value), entry)
    yield* slice(eachRow<Objects[KindOfIndex<I>]>(below, staged, entry.shown, entry.hidden), range)
  }

  countBy(index: IndexName, value: string): number {
    const staged = this.#kinds.get(INDEXES[index].kind)
    const entry = staged && this.#indexed(index, staged).entries.get(value)
    return this.#countBelow(index, value) + (entry === undefined ? 0 : entry.shown.size - entry.hidden.size)
  }

  other(log: LogId): View {
    return this.#below.other(log)
  }

  #getBelow<K extends KindName>(kind: K, key: string): Objects[K] | undefined {
    const reads = this.#reads
    if (reads === undefined) return this.#below.get(kind, key)
    // what is remembered under the name of a kind is of that kind
    const known = reads.get(kind, key) as Objects[K] | undefined
    if (known !== undefined || this.#missing?.get(kind, key) === true) return known
    const object = this.#below.get(kind, key)
    if (object === undefined) this.#missing?.set(kind, key, true)
    else reads.set(kind, key, object)
    return object
  }

  #countBelow(index: IndexName, value: string): number {
    let count = this.#counts?.get(index, value)
    if (count === undefined) {
      count = this.#below.countBy(index, value)
      this.#counts?.set(index, value, count)
    }
    return count
  }

  #stage(change: Change): void {
    const { kind, key } = change
    let staged = this.#kinds.get(kind)
    if (staged === undefined) {
      staged = { touched: new Map(), more: 0, ids: undefined }
      this.#kinds.set(kind, staged)
    }
    const after = change.op === 'put' ? (change.value as AnyObject) : undefined
    const known = staged.touched.get(key)
    const before = known === undefined ? this.#getBelow(kind, key) : known.now
    if (known === undefined) {
      const touched: Touched = { before, now: after, change }
      staged.touched.set(key, touched)
      this.#order.push(touched)
    } else {
      known.now = after
      known.change = change
    }
    staged.more += (after ? 1 : 0) - (before ? 1 : 0)
    if (before) staged.ids?.delete(before.id)
    if (after) staged.ids?.set(after.id, key)
    for (const index of this.#indexes.values()) {
      if (index.kind === kind) move(index, key, before, after, known === undefined)
    }
  }

  #indexed(name: IndexName, staged: Staged): StagedIndex {
    const known = this.#indexes.get(name)
    if (known !== undefined) return known
    // an index is only ever asked about objects of its kind
    const { kind, values } = INDEXES[name] as { readonly kind: KindName; readonly values: ValuesOf }
    const index: StagedIndex = { kind, values, entries: new Map() }
    for (const [key, { before, now }] of staged.touched) move(index, key, before, now, true)
    this.#indexes.set(name, index)
    return index
  }
}

/**
 * Writes into an index that an object was `before` and is `after`; `first` says that `before` is what the view below
 * has.
 */
function move(
  { values, entries }: StagedIndex,
  key: string,
  before: AnyObject | undefined,
  after: AnyObject | undefined,
  first: boolean,
): void {
  for (const value of before ? values(before) : []) {
    const entry = ensureEntry(entries, value)
    if (first) entry.hidden.add(key)
    else entry.shown.delete(key)
  }
  for (const value of after ? values(after) : []) ensureEntry(entries, value).shown.add(key)
}

function ensureEntry(entries: Map<string, Entry>, value: string): Entry {
  let entry = entries.get(value)
  if (entry === undefined) {
    entry = { hidden: new Set(), shown: new Set() }
    entries.set(value, entry)
  }
  return entry
}

function mapIdsToKeys(staged: Staged): Map<string, string> {
  if (staged.ids === undefined) {
    staged.ids = new Map()
    for (const [key, { now }] of staged.touched) if (now) staged.ids.set(now.id, key)
  }
  return staged.ids
}

/** The rows of the view below that are still listed under the value, unchanged. */
function* listKept<T extends AnyObject>(below: Iterable<T>, { hidden, shown }: Entry): Iterable<T> {
  for (const row of below) if (!hidden.has(row.key) || shown.has(row.key)) yield row
}

/** The rows below as they stand now, then those of `keys` that are not below. */
function* eachRow<T extends AnyObject>(
  below: Iterable<T>,
  { touched }: Staged,
  keys: Iterable<string>,
  hidden?: ReadonlySet<string>,
): Iterable<T> {
  for (const row of below) {
    const known = touched.get(row.key)
    const now = known === undefined ? row : (known.now as T | undefined)
    if (now !== undefined) yield now
  }
  for (const key of keys) {
    const known = touched.get(key)
    const isBelow = hidden === undefined ? known?.before !== undefined : hidden.has(key)
    if (!isBelow && known?.now !== undefined) yield known.now as T
  }
}

function* slice<T>(rows: Iterable<T>, { offset = 0, limit = Number.POSITIVE_INFINITY }: Range): Iterable<T> {
  let at = 0
  for (const row of rows) {
    if (at >= offset + limit) return
    if (at++ >= offset) yield row
  }
}
