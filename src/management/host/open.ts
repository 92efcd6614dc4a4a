// Opens the management side of a data folder: the store with its writer thread, the snapshots for followers, and on a
// new folder the first organization. The caller (the command line, `zerohop/embedded`) passes the source of random ids;
// nothing here listens or prints.
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { DatabaseAuditLog } from '../../decision-log/database-audit-log.ts'
import { FolderAuditLog } from '../../decision-log/folder-audit-log.ts'
import { type LogId, withoutRequest } from '../../log/change.ts'
import { Signer } from '../../log/signature.ts'
import { inBackground } from '../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { OnEvent } from '../../model/events.ts'
import { openStore, type ReplicaOptions, type Store } from '../../store/store.ts'
import { removeAbandonedFolders } from '../../store/temporary-folder.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { type KeysFile, writeKeysOnce } from '../objects/keys-file.ts'
import { type CheckpointEvent, Checkpoints } from '../past/checkpoints.ts'
import { PastRevisions } from '../past/past-revisions.ts'
import { Snapshots } from '../snapshot/snapshot.ts'
import type { ExampleName } from './example-policies.ts'
import { keepKeysFile } from './keys-file-upkeep.ts'
import type { ManagementUseCases } from './registry.ts'

export interface ManagementDataOptions {
  /** the data folder; made when it is missing */
  readonly data: string
  readonly secretsKeyFile?: string
  /** 32 random hex digits: the id of the first organization */
  readonly newId: () => string
  /** fixes the first organization key instead of minting one */
  readonly bootstrapKey?: string
  /** leaves the example policy out of a new folder */
  readonly noExample?: boolean
  /** the example policy of a new folder; default `hello` */
  readonly example?: ExampleName
  /** Ed25519 private key as PEM: images and deltas for followers are signed with it */
  readonly signingKey?: string | undefined
  /** receives the progress when the folder is of an older format and is upgraded */
  readonly upgrading?: ((done: number, total: number) => void) | undefined
  /** receives what goes wrong with the checkpoints of the past */
  readonly onCheckpoint?: OnEvent<CheckpointEvent> | undefined
  /** the log of record is in a database that other replicas share, and the folder is a cache */
  readonly replica?: ReplicaOptions | undefined
}

export interface ManagementData {
  readonly store: Store<ManagementUseCases>
  readonly snapshots: Snapshots
  /** Records of decisions; they are no part of any log, and no backup has them. Closed with the store. */
  readonly audit: AuditLog
  /** images of past revisions */
  readonly past: PastRevisions
  /** what those are made of; of replicas that is on record */
  readonly checkpoints: Checkpoints | undefined
  /** the first organization */
  readonly organization: LogId
  /** true when this call created it */
  readonly isNew: boolean
}

/**
 * Opens a data folder; a new one gets its first organization and `keys.json` (mode 0600).
 * @throws what `openStore` throws, and CONFIG_INVALID when the bootstrap key is not a valid key
 */
export async function openManagementData(options: ManagementDataOptions): Promise<ManagementData> {
  const { data, secretsKeyFile } = options
  inBackground('the removal of abandoned exports', removeAbandonedFolders())
  const signer = options.signingKey === undefined ? undefined : new Signer(options.signingKey)
  const store = await openStore<ManagementUseCases>({
    data,
    writerThread: threadUrl(import.meta.url, './writer-thread.ts'),
    ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }),
    ...(options.upgrading === undefined ? {} : { upgrading: options.upgrading }),
    ...(options.replica === undefined ? {} : { replica: options.replica }),
  })
  try {
    const existing = listAllOrganizations(store)[0]
    if (existing === undefined) requireUndamaged(store)
    const { organization, isNew } = existing ? { organization: existing, isNew: false } : await setUp(store, options)
    /* canary: fork-after-a-loss */ if (store.historyLost !== undefined) await forkLogs(store)
    // of several replicas, only the one that set up the database has the file with the first keys
    if (isNew || !store.isReplicated) writeKeysOnce(data, () => readKeysFile(store, organization))
    keepKeysFile(data, store, organization)
    const audit = openAuditLog(options)
    store.closeWith(audit)
    const snapshots = new Snapshots(store, data, signer)
    const past = new PastRevisions(store, { data, database: options.replica?.settings })
    const checkpoints = options.replica === undefined ? new Checkpoints(store, data, options.onCheckpoint) : undefined
    return { store, snapshots, past, checkpoints, audit, organization, isNew }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Records of decisions are kept where the log of record is. */
export function openAuditLog({ data, replica }: Pick<ManagementDataOptions, 'data' | 'replica'>): AuditLog {
  return replica === undefined ? new FolderAuditLog(data) : new DatabaseAuditLog(data, replica.settings)
}

/** The organizations of a store, the oldest first. One whose control log is damaged is stopped and left out. */
export function listAllOrganizations(store: Pick<Store<ManagementUseCases>, 'logs' | 'view' | 'damage'>): LogId[] {
  return store.logs().filter((log) => store.damage(log) === undefined && store.view(log).count('organization') > 0)
}

/** Ids of the environments that are not deleted, and not damaged. */
export function listEnvironments(store: Store<ManagementUseCases>): LogId[] {
  return listAllOrganizations(store)
    .flatMap((control) => [...store.view(control).list('environment')].map(({ id }) => id))
    .filter((id) => store.exists(id) && store.damage(id) === undefined)
}

/**
 * A folder without an organization is new; one whose organizations are all damaged must never be taken for that.
 * @throws DATA_DAMAGED
 */
function requireUndamaged(store: Store<ManagementUseCases>): void {
  for (const log of store.logs()) {
    const damage = store.damage(log)
    if (damage !== undefined) throw damage
  }
}

/**
 * Gives every log an entry that no follower can have seen. A PDP that had what the database lost would otherwise keep
 * it until the log has passed its revision: with this, it finds that its history is another one, and takes a fresh
 * image. Returns how many logs there are.
 */
export async function forkLogs(store: Store<ManagementUseCases>): Promise<number> {
  const logs = store.logs()
  for (const log of logs) await store.commit(log, 'noteRead', null, withoutRequest('historyLost'))
  store.forgetLoss()
  return logs.length
}

/** Creates the first organization, unless another replica does so at the same time. */
async function setUp(
  store: Store<ManagementUseCases>,
  options: ManagementDataOptions,
): Promise<{ readonly organization: LogId; readonly isNew: boolean }> {
  try {
    return { organization: await bootstrap(store, options), isNew: true }
  } catch (error) {
    if (!store.isReplicated || !isZerohopError(error, 'OBJECT_EXISTS')) throw error
    await store.confirm()
    const organization = listAllOrganizations(store)[0]
    if (organization === undefined) throw error
    return { organization, isNew: false }
  }
}

async function bootstrap(store: Store<ManagementUseCases>, options: ManagementDataOptions): Promise<LogId> {
  const organization = options.newId()
  const input = {
    ...(options.bootstrapKey === undefined ? {} : { organizationKey: options.bootstrapKey }),
    noExample: options.noExample ?? false,
    ...(options.example === undefined ? {} : { example: options.example }),
  }
  try {
    await store.commit(organization, 'bootstrap', input, withoutRequest('bootstrap'), { isFirst: true })
  } catch (error) {
    if (error instanceof ZerohopError && error.code === 'INPUT_INVALID')
      throw new ZerohopError('CONFIG_INVALID', { reason: `the bootstrap key is refused: ${error.message}` })
    throw error
  }
  return organization
}

/** The valid keys of the first organization, by their scope. */
function readKeysFile(store: Store<ManagementUseCases>, organization: LogId): KeysFile {
  const view = store.view(organization)
  const environments = new Map<string, string>()
  let first: string | undefined
  for (const key of view.list('api_key')) {
    const secret = store.readSecret(key.id)
    if (secret === undefined) continue
    if (key.level === 'org') first ??= secret
    const environment =
      key.level !== 'env' || key.environment_id === null ? undefined : view.find('environment', key.environment_id)
    if (environment !== undefined && !environments.has(environment.environment))
      environments.set(environment.environment, secret)
  }
  return { ...(first === undefined ? {} : { organization: first }), environments: Object.fromEntries(environments) }
}
