// What servers and `zerohop database` need to use the database of replicas.
import { randomUUID } from 'node:crypto'
import { ZerohopError } from '../../model/errors.ts'
import { VERSION } from '../../model/version.ts'
import { readSecretsKey } from '../../store/secrets.ts'
import type { ReplicaOptions } from '../../store/store.ts'
import type { DatabaseEnv, Env } from '../configuration/env.ts'

/** The settings of a replica; undefined where the data folder is the truth. @throws CONFIG_INVALID */
export function toReplica(env: Env): ReplicaOptions | undefined {
  if (env.database === undefined) return undefined
  return {
    settings: { ...env.database, replica: randomUUID(), version: VERSION },
    secretsKey: databaseKey(env),
  }
}

/** The key under which the database seals secrets. @throws CONFIG_INVALID when none is named */
export function databaseKey({ data, secretsKey, secretsKeyFile }: Env): Uint8Array {
  if (secretsKey !== undefined) return Buffer.from(secretsKey, 'hex')
  if (secretsKeyFile !== undefined) return readSecretsKey(data, secretsKeyFile).bytes
  const reason = 'ZEROHOP_DATABASE_URL needs ZEROHOP_SECRETS_KEY or ZEROHOP_SECRETS_KEY_FILE, the same on all replicas'
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

/** @throws CONFIG_INVALID when no database is named */
export function requireDatabase({ database }: Env): DatabaseEnv {
  if (database !== undefined) return database
  throw new ZerohopError('CONFIG_INVALID', { reason: 'ZEROHOP_DATABASE_URL must name the database' })
}

/** The address of a database as it may be shown: without user, password and options. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
