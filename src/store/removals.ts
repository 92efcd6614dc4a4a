// Entries of indexes that the deletes of one revision take away, collected over deletes that follow each other. A cascade
// empties whole values (all assignments of a user): then LMDB drops the value with everything under it, instead of one
// entry at a time. Nothing that reads an index may run between `unlist` and `flush`.
// docs/adr/0036-deletes-with-dependents.md.

import type { IndexName, Objects } from '../kinds/index.ts'
import { REFERENCES } from './indexes.ts'
import { indexKey, nameKey } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** Places that one value of an index loses, one after the other. */
interface Run {
  value: string
  places: number[]
}

/** A user who lost a role in a tenant. */
interface Lost {
  readonly place: number
  /** value of the index that says whether the user has the role in another tenant */
  readonly same: string
}

export class Removals {
  readonly #tables: Tables
  readonly #number: number
  readonly #runs = new Map<IndexName, Run>()
  /** places of users that assignments name, looked up while they are there */
  readonly #users = new Map<string, number | undefined>()
  /** by role and user */
  readonly #lost = new Map<string, Map<string, Lost>>()

  /** @param number that of the log */
  constructor(tables: Tables, number: number) {
    this.#tables = tables
    this.#number = number
  }

  /** The place goes from a value of an index. */
  unlist(index: IndexName, value: string, place: number): void {
    const run = this.#runs.get(index)
    if (run === undefined) this.#runs.set(index, { value, places: [place] })
    else if (run.value !== value) {
      this.#remove(index, run)
      run.value = value
      run.places = [place]
    } else if (run.places.at(-1) !== place) run.places.push(place) // an object may name a value twice
  }

  /** The user of the assignment may no longer be one of its role. */
  unrefer(assignment: Objects['role_assignment']): void {
    const { to, entry } = REFERENCES.users_of_role
    const named = entry(assignment)
    if (named === undefined) return
    const { key, value, same } = named
    if (!this.#users.has(key)) this.#users.set(key, this.#tables.keys.get(nameKey(this.#number, to, key)))
    const place = this.#users.get(key)
    if (place === undefined) return
    let users = this.#lost.get(value)
    if (users === undefined) {
      users = new Map()
      this.#lost.set(value, users)
    }
    if (!users.has(key)) users.set(key, { place, same })
  }

  /** Writes inside the caller's transaction. */
  flush(): void {
    for (const [index, run] of this.#runs) this.#remove(index, run)
    this.#runs.clear()
    for (const [role, users] of this.#lost) {
      const gone = [...users.values()].filter(({ same }) => !this.#isListed(same)).map(({ place }) => place)
      if (gone.length > 0) this.#remove('users_of_role', { value: role, places: gone })
    }
    this.#lost.clear()
    this.#users.clear()
  }

  #isListed(same: string): boolean {
    const key = indexKey(this.#number, REFERENCES.users_of_role.sameIndex, same)
    return this.#tables.indexes.get(key) !== undefined
  }

  #remove(index: IndexName, { value, places }: Run): void {
    const { indexes } = this.#tables
    const key = indexKey(this.#number, index, value)
    if (places.length > 1 && indexes.count(key) === places.length) indexes.remove(key)
    else for (const place of places) indexes.remove(key, place)
  }
}
