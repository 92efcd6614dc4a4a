// Values that were used last, each under two names. It keeps at least half of its bound, and costs no more than two
// look-ups: what was not used while as many others came is forgotten.

type Names<T> = Map<string, Map<string, T>>

export class LastUsed<T extends object | number | true> {
  readonly #half: number
  #recent: Names<T> = new Map()
  #older: Names<T> = new Map()
  /** values among the recent ones */
  #count = 0

  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2))
  }

  get(first: string, second: string): T | undefined {
    const recent = this.#recent.get(first)?.get(second)
    if (recent !== undefined) return recent
    const older = this.#older.get(first)?.get(second)
    if (older !== undefined) this.set(first, second, older)
    return older
  }

  /** Of names that `get` does not know. */
  set(first: string, second: string, value: T): void {
    if (this.#count >= this.#half) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#count = 0
    }
    let values = this.#recent.get(first)
    if (values === undefined) {
      values = new Map()
      this.#recent.set(first, values)
    }
    values.set(second, value)
    this.#count++
  }
}
