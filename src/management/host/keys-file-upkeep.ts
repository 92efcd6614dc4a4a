// Keeps `keys.json` in step with the API keys, whichever way they change (HTTP, a command of the operator, offline): a
// rotated key is replaced by its new secret, a deleted one is removed. The log of the organization tells to which key
// an old secret belonged.
import type { LogId } from '../../log/change.ts'
import type { Store } from '../../store/store.ts'
import { hashSecret } from '../objects/api-key.ts'
import { updateKeys } from '../objects/keys-file.ts'
import type { ManagementUseCases } from './registry.ts'

/** Brings the file up to date now and after each commit to the organization, as long as the store is open. */
export function keepKeysFile(data: string, store: Store<ManagementUseCases>, organization: LogId): void {
  const update = (): void => {
    try {
      updateKeys(data, (secret) => currentSecret(store, organization, secret))
    } catch {
      // The disk is full or read-only: the old key is revoked nevertheless, and the file is updated at the next start.
    }
  }
  update()
  store.listen((event) => {
    if (event.event === 'committed' && event.log === organization) update()
  })
}

/** The current secret of the same key; undefined when the key was deleted, or its secret cannot be read back. */
function currentSecret(store: Store<ManagementUseCases>, organization: LogId, secret: string): string | undefined {
  const hash = hashSecret(secret)
  const found = store.findApiKey(hash)?.key
  if (found !== undefined) return found.secret_of === undefined ? secret : store.readSecret(found.secret_of)
  const id = rotatedKey(store, organization, hash)
  return id === undefined || store.view(organization).find('api_key', id) === undefined
    ? undefined
    : store.readSecret(id)
}

/**
 * Id of the key whose secret had this hash until it was rotated; undefined when it was deleted, or the log no longer
 * goes back so far.
 */
function rotatedKey(store: Store<ManagementUseCases>, organization: LogId, hash: string): string | undefined {
  for (let { revision } = store.head(organization); revision > 0; revision--) {
    const [entry] = store.entries(organization, revision - 1, 1)
    if (entry === undefined) return undefined
    if (!entry.changes.some(({ op, kind, key }) => op === 'delete' && kind === 'api_key' && key === hash)) continue
    const [id, ...more] = entry.changes.flatMap((change) =>
      change.op === 'put' && change.kind === 'api_key' && change.value.secret_of === undefined ? [change.value.id] : [],
    )
    return more.length === 0 ? id : undefined // a rotation writes one key, beside its old secret
  }
  return undefined
}
