// A view with changes on top that are not committed yet: what a use case reads that writes several objects which depend on each other,
// such as a resource with its roles, a cascade, or a bulk. Staged changes of one object collapse into the last one. Nothing is written
// here; the use case answers with `changes()`.
import type { Change, LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { parseId } from '../model/keys.ts'
import type { Kind, Objects } from '../model/objects.ts'
import { indexesOf } from './state.ts'
import { INDEXES, type IndexKind, type IndexName } from './tables.ts'
import type { Decided, Range, View } from './view.ts'

type AnyObject = Objects[Kind]

/** What is staged of one kind. */
interface Staged {
  /** by key; undefined is a delete */
  readonly objects: Map<string, AnyObject | undefined>
  readonly ids: Map<string, string>
  /** keys that are not in the view below */
  readonly fresh: Set<string>
  /** objects more, or fewer, than in the view below */
  more: number
}

/** What is staged under one value of an index. */
interface Entry {
  /** keys that the view below has there and whose objects are staged */
  readonly hidden: Set<string>
  /** keys of staged objects that stand there */
  readonly shown: Set<string>
}

export class Draft implements View {
  readonly log: LogId
  readonly position: Position
  readonly #below: View
  readonly #kinds = new Map<Kind, Staged>()
  readonly #entries = new Map<string, Entry>()
  readonly #changes = new Map<string, Change>()

  constructor(below: View) {
    this.#below = below
    this.log = below.log
    this.position = below.position
  }

  /** Puts changes on top of what is there. */
  stage(changes: readonly Change[]): this {
    for (const change of changes) this.#stage(change)
    return this
  }

  /** Stages what a use case decided on this draft, and returns its result. */
  take<T>({ changes, result }: Decided<T>): T {
    this.stage(changes)
    return result
  }

  /** What was staged, one change for each object, in the order in which the objects were first touched. */
  changes(): Change[] {
    return [...this.#changes.values()]
  }

  get<K extends Kind>(kind: K, key: string): Objects[K] | undefined {
    const staged = this.#kinds.get(kind)?.objects
    return staged?.has(key) ? (staged.get(key) as Objects[K] | undefined) : this.#below.get(kind, key)
  }

  find<K extends Kind>(kind: K, ref: string): Objects[K] | undefined {
    if (!this.#kinds.has(kind)) return this.#below.find(kind, ref)
    const id = ref.length < 32 ? undefined : parseId(ref)
    const stagedKey = id === undefined ? undefined : this.#kinds.get(kind)?.ids.get(id)
    if (stagedKey !== undefined) return this.get(kind, stagedKey)
    const below = this.#below.find(kind, ref)
    const now = below && this.get(kind, below.key)
    return now?.id === below?.id ? (now ?? this.get(kind, ref)) : this.get(kind, ref)
  }

  require<K extends Kind>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    const found = this.find(kind, ref)
    if (found !== undefined) return found
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
  }

  refuse(kind: Kind, key: string): void {
    if (!this.#kinds.has(kind)) {
      this.#below.refuse(kind, key)
      return
    }
    if (this.get(kind, key) !== undefined) throw new ZerohopError('OBJECT_EXISTS', { kind, key })
    if (this.find(kind, key) !== undefined) throw new ZerohopError('KEY_IS_ID', { kind, key })
  }

  count(kind: Kind): number {
    return this.#below.count(kind) + (this.#kinds.get(kind)?.more ?? 0)
  }

  *list<K extends Kind>(kind: K, range: Range = {}): Iterable<Objects[K]> {
    const staged = this.#kinds.get(kind)
    if (staged === undefined) return yield* this.#below.list(kind, range)
    yield* slice(this.#rows(this.#below.list(kind), staged.objects, staged.fresh), range)
  }

  *by<I extends IndexName>(index: I, value: string, range: Range = {}): Iterable<Objects[IndexKind<I>]> {
    const entry = this.#entries.get(entryName(index, value))
    const staged = this.#kinds.get(INDEXES[index].kind)
    if (entry === undefined || staged === undefined) return yield* this.#below.by(index, value, range)
    const kept = new Map(
      [...entry.hidden].map((key) => [key, entry.shown.has(key) ? staged.objects.get(key) : undefined]),
    )
    const added = [...entry.shown].filter((key) => !entry.hidden.has(key))
    yield* slice(this.#rows(this.#below.by(index, value), kept, added, staged), range)
  }

  countBy(index: IndexName, value: string): number {
    const entry = this.#entries.get(entryName(index, value))
    return this.#below.countBy(index, value) + (entry === undefined ? 0 : entry.shown.size - entry.hidden.size)
  }

  other(log: LogId): View {
    return this.#below.other(log)
  }

  /** The rows below as they stand now, then those that are new. */
  *#rows<T extends AnyObject>(
    below: Iterable<T>,
    staged: ReadonlyMap<string, AnyObject | undefined>,
    added: Iterable<string>,
    from: Pick<Staged, 'objects'> = { objects: staged as Staged['objects'] },
  ): Iterable<T> {
    for (const row of below) {
      const now = staged.has(row.key) ? (staged.get(row.key) as T | undefined) : row
      if (now !== undefined) yield now
    }
    for (const key of added) {
      const object = from.objects.get(key) as T | undefined
      if (object !== undefined) yield object
    }
  }

  #stage(change: Change): void {
    const { kind, key } = change
    let staged = this.#kinds.get(kind)
    if (staged === undefined) {
      staged = { objects: new Map(), ids: new Map(), fresh: new Set(), more: 0 }
      this.#kinds.set(kind, staged)
    }
    const first = !staged.objects.has(key)
    const before = first ? this.#below.get(kind, key) : staged.objects.get(key)
    if (first && before === undefined) staged.fresh.add(key)
    const after = change.op === 'put' ? (change.value as AnyObject) : undefined
    staged.more += (after ? 1 : 0) - (before ? 1 : 0)
    staged.objects.set(key, after)
    if (before) staged.ids.delete(before.id)
    if (after) staged.ids.set(after.id, key)
    this.#index(kind, key, before, after, first)
    const name = `${kind}/${key}`
    if (after === undefined && staged.fresh.has(key)) this.#changes.delete(name)
    else this.#changes.set(name, change)
  }

  #index(kind: Kind, key: string, before: AnyObject | undefined, after: AnyObject | undefined, first: boolean): void {
    for (const { name, values } of indexesOf.get(kind) ?? []) {
      for (const value of before ? values(before) : []) {
        const entry = this.#entry(name, value)
        if (first) entry.hidden.add(key)
        else entry.shown.delete(key)
      }
      for (const value of after ? values(after) : []) this.#entry(name, value).shown.add(key)
    }
  }

  #entry(index: IndexName, value: string): Entry {
    const name = entryName(index, value)
    let entry = this.#entries.get(name)
    if (entry === undefined) {
      entry = { hidden: new Set(), shown: new Set() }
      this.#entries.set(name, entry)
    }
    return entry
  }
}

function entryName(index: IndexName, value: string): string {
  return `${index}\0${value}`
}

function* slice<T>(rows: Iterable<T>, { offset = 0, limit = Number.POSITIVE_INFINITY }: Range): Iterable<T> {
  let at = 0
  for (const row of rows) {
    if (at >= offset + limit) return
    if (at++ >= offset) yield row
  }
}
