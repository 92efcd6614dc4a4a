// Stores over a PostgreSQL in the process of the test, as so many replicas.
import { randomBytes, randomUUID } from 'node:crypto'
import { withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { temporaryFolder } from './folders.ts'

export const BY = withoutRequest('test')
export const SECRETS_KEY = randomBytes(32)
/** short, so that a test need not wait long for a server that does not answer */
const STATEMENT_MS = 1_500

const opened: ManagementData[] = []

export interface ReplicaOptions {
  readonly data?: string
  readonly secretsKey?: Uint8Array
  readonly listen?: boolean
  readonly statementMs?: number
}

/** Opens a replica; `closeReplicas` in `afterEach` closes it. */
export async function openReplica(
  url: string,
  { data = temporaryFolder('replica'), ...options }: ReplicaOptions = {},
): Promise<ManagementData> {
  const { secretsKey = SECRETS_KEY, listen = true, statementMs = STATEMENT_MS } = options
  const settings = { url, replica: randomUUID(), version: 'test', statementMs, listen }
  const management = await openManagementData({
    data,
    newId: () => randomBytes(16).toString('hex'),
    replica: { settings, secretsKey },
  })
  opened.push(management)
  return management
}

export async function closeReplica(management: ManagementData): Promise<void> {
  opened.splice(opened.indexOf(management), 1)
  await management.store.close()
}

export async function closeReplicas(): Promise<void> {
  await Promise.all(opened.splice(0).map(({ store }) => store.close()))
}

/** id of the environment `development` */
export const development = ({ store, organization }: ManagementData): string =>
  store.view(organization).require('environment', 'default/development').id

export const errorCode = (error: unknown): string => (error as ZerohopError).code

/** The outcomes of writes, `ok` or the code of the error. */
export const outcomes = (writes: readonly Promise<unknown>[]): Promise<string[]> =>
  Promise.all(writes.map((write) => write.then(() => 'ok', errorCode)))
