// What a use case may read, and what it returns. A use case is a pure function of a view and its input; it never
// writes. The writer runs it against the state after the earlier ones of the batch, then commits its changes.

import type { IndexName, KindName, KindOfIndex, Objects, SearchedKind } from '../kinds/index.ts'
import type { Change, LogId, Position } from '../log/change.ts'

export interface Range {
  /** rows to skip; default 0 */
  readonly offset?: number
  /** rows at most; default all (iterate lazily and stop early instead of collecting) */
  readonly limit?: number
}

/** Places in the creation order, ascending. */
export type Places = readonly number[]

/**
 * Rows behind a place: what was created later. A place is never given to another object, so a reader who goes on behind
 * the last place that it saw misses nothing and sees nothing twice, whatever is written meanwhile.
 */
export interface PlaceRange extends Range {
  /** the place; with it `offset` counts from there. Default: from the first one */
  readonly after?: number
}

/** An object with its place in the creation order. */
export interface Placed<T> {
  readonly place: number
  readonly object: T
}

/** Where a reader of a span goes on: behind the row with this instant and place. */
export interface SpanPlace {
  /** ms since 1970 */
  readonly at: number
  readonly place: number
}

/** A part of an index whose values are instants: those from `from` on and before `to`, in ms since 1970. */
export interface Span {
  readonly index: IndexName
  /** what the values begin with; default nothing */
  readonly prefix?: string
  readonly from: number
  readonly to: number
}

/** A part of an index: the values from `from` on and before `to`, as UTF-8 bytes. */
export interface ValueRange {
  readonly index: IndexName
  readonly from: string
  readonly to: string
}

/**
 * A consistent read of the logs at one moment. A view is valid only within the synchronous turn in which it was taken.
 * `ref` is an id (dashed or dashless, any case) or a key; an id wins.
 */
export interface View {
  readonly log: LogId
  readonly position: Position
  /** When the last entry of the log was written, in ms since 1970; undefined when that is not known. */
  writtenAt(): number | undefined
  get<K extends KindName>(kind: K, key: string): Objects[K] | undefined
  find<K extends KindName>(kind: K, ref: string): Objects[K] | undefined
  /** @throws OBJECT_NOT_FOUND; `path` says where in the input the reference stood */
  require<K extends KindName>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K]
  /** @throws OBJECT_EXISTS when the key is taken, KEY_IS_ID when it reads as the id of an object of that kind */
  refuse(kind: KindName, key: string): void
  count(kind: KindName): number
  /** Objects of a kind in creation order. */
  list<K extends KindName>(kind: K, range?: Range): Iterable<Objects[K]>
  /** Objects that an index holds under `value`, in creation order. */
  by<I extends IndexName>(index: I, value: string, range?: Range): Iterable<Objects[KindOfIndex<I>]>
  countBy(index: IndexName, value: string): number
  /** The view of another log, at the same moment. */
  other(log: LogId): View
}

/** A role in a tenant that a user has. */
export interface TenantRole {
  readonly role: string
  readonly tenant: string
}

/** A view whose lists can be gone on with. */
export interface PlacedView extends View {
  /** Objects of a kind with their places, in creation order. */
  listPlaced<K extends KindName>(kind: K, range?: PlaceRange): Iterable<Placed<Objects[K]>>
  /** Objects that an index holds under `value`, with their places, in creation order. */
  byPlaced<I extends IndexName>(index: I, value: string, range?: PlaceRange): Iterable<Placed<Objects[KindOfIndex<I>]>>
}

/** A view of what is on disk. */
export interface StoredView extends PlacedView {
  /** The same view, whose indexes and numbers leave out the objects of a kind that stand at these places. */
  without(kind: KindName, places: Places): StoredView
  /** The places of a span, in the order of its instants. */
  placesIn(span: Span, range?: Range & { readonly after?: SpanPlace }): number[]
  countIn(span: Span): number
  /** The places under the values of a part of an index, in the order of the values as UTF-8 bytes. */
  placesUnder(values: ValueRange, range?: Pick<Range, 'limit'>): number[]
  /** How many there are under the values, up to `limit`; a million take 0.1 s. */
  countUnder(values: ValueRange, limit?: number): number
  /** Walks the objects of the kind that a part of an index lists, in its order. @throws OBJECT_NOT_FOUND */
  walk<K extends KindName>(kind: K, values: ValueRange): Walk<Objects[K]>
  /** The object at a place; undefined at a place without one. */
  at<K extends KindName>(kind: K, place: number): Objects[K] | undefined
  /** The place of an object. */
  findPlace(kind: KindName, key: string): number | undefined
  /** The roles of a user in tenants, in creation order: fast for very many, for display only (tenant-roles.ts). */
  tenantRoles(user: string): readonly TenantRole[]
  /** Finds objects of a kind by their search texts, in the state of this moment. @throws OBJECT_NOT_FOUND */
  search<K extends SearchedKind>(kind: K, wanted: Wanted): Search<Objects[K]>
}

/** What is searched for. */
export interface Wanted {
  /** parts of the texts of an object, in any letter case; an object that has one of them is found. None is empty. */
  readonly parts: readonly string[]
  /** exact texts, in the order in which the kind names them; undefined: any */
  readonly exact?: readonly (string | undefined)[]
  /** only objects that this index has under this value; it is one of that kind */
  readonly within?: { readonly index: IndexName; readonly value: string }
  /** only objects behind this place */
  readonly after?: number
}

/** A walk may go on in later turns of the event loop: it stays in the state of the moment in which it began. */
export interface Walk<T> {
  readonly revision: number
  /** The next object; undefined at the end. @throws DATA_DAMAGED */
  next(): T | undefined
  /** to be called at the end, too */
  close(): void
}

/** A search may go on in later turns of the event loop: it stays in the state of the moment in which it began. */
export interface Search<T> {
  /**
   * Searches on for one turn, or until there are `most` or a few more. Returns the places of what is found in the order
   * of creation; undefined at the end.
   * @throws DATA_DAMAGED
   */
  next(most: number): readonly number[] | undefined
  /** The object at a place that was found. @throws DATA_DAMAGED */
  read(place: number): T
  /** The place of an object of any kind. @throws DATA_DAMAGED */
  findPlace(kind: KindName, key: string): number | undefined
  /** to be called at the end, too */
  close(): void
}

/** Source of the impure inputs of a use case: fresh ids (32 hex digits) and the time of the commit (ms since 1970). */
export interface Mint {
  id(): string
  readonly now: number
  /** true: `now` is made up, so that nothing is measured from it */
  readonly isTimeless?: true
  /** `bytes` of randomness as base62 text, for API keys */
  secret(bytes: number): string
}

/** The result of a use case. Without changes no revision is made. */
export interface Decided<T> {
  readonly changes: readonly Change[]
  /** Changes of other logs that commit in the same transaction, such as the first revision of a new environment. */
  readonly also?: readonly { readonly log: LogId; readonly changes: readonly Change[] }[]
  /**
   * Secrets that the contract reads back, by id of their API key: sealed before they are written, never part of a
   * change. null deletes.
   */
  readonly secrets?: readonly { readonly id: string; readonly secret: string | null }[]
  /** HTTP status that the history shows; default 200. */
  readonly status?: number
  /** What was done, as history says it where its path does not: `3 created, 1 changed`. No secrets. */
  readonly summary?: string
  /** Writes a log entry even without changes: reading a secret, exporting and backing up are logged. */
  readonly logged?: boolean
  /** What the caller should know of it although it was carried out, a sentence each. */
  readonly warnings?: readonly string[]
  readonly result: T
}

export type UseCase = (view: View, input: never, mint: Mint) => Decided<unknown>
export type UseCases = Readonly<Record<string, UseCase>>
export type InputOf<U extends UseCase> = Parameters<U>[1]
export type ResultOf<U extends UseCase> = ReturnType<U> extends Decided<infer T> ? T : never

/** The result of a commit, which is durable on disk. `revision` is that of the log (unchanged when nothing changed). */
export interface Committed<T> {
  readonly result: T
  readonly revision: number
  /** see `Decided` */
  readonly warnings?: readonly string[]
}
