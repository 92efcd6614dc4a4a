// A store on a new data folder with one organization, for tests of the use cases: each is committed as the servers do
// it.
import { randomBytes } from 'node:crypto'
import { type Change, withoutRequest } from '../../src/log/change.ts'
import type { Bootstrap, Bootstrapped } from '../../src/management/host/bootstrap.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { InputOf, ResultOf, View } from '../../src/store/view.ts'
import { threadUrl } from '../../src/threads/thread-url.ts'
import { temporaryFolder } from '../support/folders.ts'

export const BY = withoutRequest('test')

export interface ManagementData {
  readonly store: Store<ManagementUseCases>
  readonly made: Bootstrapped
  /** id of `development` */
  readonly environment: string
  view(): View
  revision(): number
  /** commits a use case in `development` */
  run<N extends keyof ManagementUseCases & string>(
    name: N,
    input: InputOf<ManagementUseCases[N]>,
  ): Promise<ResultOf<ManagementUseCases[N]>>
  /** the changes of the last revision, as `op kind key` */
  lastChanges(): string[]
  close(): Promise<void>
}

export async function openManagementData(input: Bootstrap = { noExample: true }): Promise<ManagementData> {
  const writerThread = threadUrl(new URL('../../src/management/host/', import.meta.url).href, './writer-thread.ts')
  const store = await openStore<ManagementUseCases>({ data: temporaryFolder('management'), writerThread })
  const made = (await store.commit(randomBytes(16).toString('hex'), 'bootstrap', input, BY)).result
  const environment = made.environments[0]?.id ?? ''
  const view = () => store.view(environment)
  const revision = () => store.head(environment).revision
  return {
    store,
    made,
    environment,
    view,
    revision,
    run: async (name, of) => (await store.commit(environment, name, of, BY)).result,
    lastChanges: () => (store.entries(environment, revision() - 1)[0]?.changes ?? []).map(printChange).sort(),
    close: () => store.close(),
  }
}

export function printChange({ op, kind, key }: Change): string {
  return `${op} ${kind} ${key}`
}
