// Faults of the host about what everybody has (D16) that make filters wrong.
import { Header } from '../../assembly/abi.ts'
import type { Image } from '../../src/image/image.ts'
import type { Canary } from '../support/canary.ts'
import { importWith } from '../support/canary-module.ts'

export const OF_EVERYBODY_IN_FILTERS: Canary = {
  'filters-of-who-is-not-stored': 'user === 0',
  'keys-of-everybody': 'false',
  // a user set by what everybody has (D17)
  'role-sides-of-everybody': 'held',
  'direct-keys-of-everybody': `[...grantsOfUser(kernel, user), ...grantsOfUser(kernel, kernel.field(${Header.Everybody}))]`,
  'ends-of-everybody': 'Number.POSITIVE_INFINITY',
  'filters-over-a-change-of-everybody':
    "if (!changes.some(({ kind, key }) => kind === 'role_assignment' && key.startsWith('*/'))) this.#filters = undefined",
}

export const imageWith = async (canary: Canary, folder: string): Promise<typeof Image> =>
  (await importWith<{ Image: typeof Image }>(canary, 'src/image/image.ts', folder)).Image
