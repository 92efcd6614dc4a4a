// A story: one policy that is written revision by revision, in every way at once. What management refuses is not part
// of it, so that all ways tell the same.
import { numbers } from '../../property/numbers.ts'
import type { Operation } from '../world.ts'
import { World } from '../world.ts'
import { type Environment, type Source, writeTaken } from './source.ts'
import type { Kept, Step, Way } from './way.ts'

export class Story {
  readonly world = new World()
  readonly ways: ReadonlyMap<Way, Kept>
  readonly #source: Source | undefined
  readonly #environment: Environment | undefined
  #revisions = 0

  private constructor(ways: ReadonlyMap<Way, Kept>, source: Source | undefined, environment: Environment | undefined) {
    this.ways = ways
    this.#source = source
    this.#environment = environment
  }

  /** @param source holds the story, where a way needs that */
  static async open(ways: readonly Way[], seed: number, source?: Source): Promise<Story> {
    const environment = await source?.environment()
    const of = source === undefined || environment === undefined ? {} : { source, environment }
    const kept = new Map<Way, Kept>()
    for (const way of ways) kept.set(way, await way.open({ next: numbers(seed), ...of }))
    return new Story(kept, source, environment)
  }

  /** Writes one revision. Returns what of it was written. */
  async write(operations: readonly Operation[]): Promise<Step> {
    const [source, environment] = [this.#source, this.#environment]
    const taken =
      source === undefined || environment === undefined
        ? operations
        : await writeTaken(source.store, environment.log, this.world, operations)
    const written = taken.map((operation) => ({ operation, changes: this.world.run(operation) }))
    const step: Step = { number: this.#revisions++, written, world: this.world }
    for (const kept of this.ways.values()) await kept.write(step)
    return step
  }

  async close(): Promise<void> {
    for (const kept of this.ways.values()) await kept.close?.()
  }
}
