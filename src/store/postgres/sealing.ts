// The key under which a database seals secrets: all replicas must have the same, so a text that was sealed under it is
// on record.
import { ZerohopError } from '../../model/errors.ts'
import { sealWith, unseal } from '../secrets.ts'
import type { Connection } from './connection.ts'

const VERIFIER = 'sealing verifier'

/**
 * Compares the secrets key with that of the other replicas; the first one sets it. Returns the id of the data.
 * @throws CONFIG_INVALID
 */
export async function requireSecretsKey(connection: Connection, secretsKey: Uint8Array): Promise<string> {
  const verifier = sealWith(secretsKey)(VERIFIER, VERIFIER)
  await connection.query('UPDATE zerohop.meta SET sealing_verifier = $1 WHERE sealing_verifier IS NULL', [verifier])
  const [meta] = await connection.query<{ sealed: Buffer; cluster: string }>(
    'SELECT sealing_verifier AS sealed, cluster::text AS cluster FROM zerohop.meta',
  )
  if (meta !== undefined && unseal(secretsKey, VERIFIER, meta.sealed) === VERIFIER) return meta.cluster
  throw new ZerohopError('CONFIG_INVALID', {
    reason: 'ZEROHOP_SECRETS_KEY is not the key under which this database seals secrets: all replicas need the same',
  })
}
