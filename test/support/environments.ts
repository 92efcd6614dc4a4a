// Environments of a real store in a temporary folder in memory, written through the use cases of management, for tests
// that need many small ones.
import { randomBytes } from 'node:crypto'
import { type LogId, withoutRequest } from '../../src/log/change.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { threadUrl } from '../../src/threads/thread-url.ts'
import { commitsFor } from './commits.ts'
import { memoryFolder } from './folders.ts'
import type { Operation, World } from './world.ts'

const WRITER = new URL('../../src/management/host/registry.ts', import.meta.url).href

export const TESTER = withoutRequest('test')

/** A store that may be closed and opened again on the same folder. */
export class Environments {
  readonly data = memoryFolder('store')
  #store: Store<ManagementUseCases> | undefined

  async store(): Promise<Store<ManagementUseCases>> {
    const options = { data: this.data, writerThread: threadUrl(WRITER, './writer-thread.ts') }
    this.#store ??= await openStore<ManagementUseCases>(options)
    return this.#store
  }

  async reopen(): Promise<Store<ManagementUseCases>> {
    await this.close()
    return this.store()
  }

  async close(): Promise<void> {
    await this.#store?.close()
    this.#store = undefined
  }

  /** Two fresh environments of an organization of their own. */
  async create(): Promise<[LogId, LogId]> {
    const store = await this.store()
    const input = { noExample: true }
    const { result } = await store.commit(randomBytes(16).toString('hex'), 'bootstrap', input, TESTER)
    const [first, second] = result.environments
    return [first!.id, second!.id]
  }

  /** Commits the operations in their order; `world` follows, and tells what exists. Returns the last revision. */
  async write(log: LogId, world: World, operations: readonly Operation[]): Promise<number> {
    const store = await this.store()
    const commits = operations.flatMap((operation) => {
      const wanted = commitsFor(world, operation)
      world.run(operation)
      return wanted.map(([name, input]) => store.commit(log, name, input as never, TESTER))
    })
    const revisions = (await Promise.all(commits)).map(({ revision }) => revision)
    return revisions.at(-1) ?? store.head(log).revision
  }
}
