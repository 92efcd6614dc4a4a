// What is left of a deleted environment.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * What is left of an environment: where it was, so that its history can be read and its PDPs told, until the retention
 * of history ends. Id and key are its own.
 */
export interface DeletedEnvironment extends Stored {
  readonly project_id: string
  readonly project: string
  readonly environment: string
  /** SHA-256 of the keys that died with it, in hex: who still comes with one is told why it is dead */
  readonly key_hashes: readonly string[]
}

export const deletedEnvironment = {
  number: 133,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    deleted_environments_of_key: ({ key_hashes }) => key_hashes,
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'deleted_environment', DeletedEnvironment>
