// Deletes the keys of tenants that were deleted, as a revision of the system in each organization, a bounded number in
// each. Keys lie in the log of the organization and tenants in that of the environment, so the delete of a tenant cannot
// take its keys along. Nothing depends on when that happens: such a key finds nothing.
import { setImmediate } from 'node:timers/promises'
import { type LogId, withoutRequest } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import { DEAD_KEY_AGE_MS, DEAD_KEYS_PER_REVISION } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import { listAllOrganizations } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

const BY = withoutRequest('deleteDeadKeys')

/**
 * Returns how many keys were deleted. What fails in one organization is left to the next time, and the others go on.
 * @param failed called with each error
 */
export async function deleteAllDeadKeys(
  store: Store<ManagementUseCases>,
  now: number,
  failed: (error: unknown) => void,
): Promise<number> {
  let deleted = 0
  for (const organization of listAllOrganizations(store)) {
    try {
      deleted += await deleteDeadKeysIn(store, organization, now - DEAD_KEY_AGE_MS)
    } catch (error) {
      failed(error)
    }
  }
  return deleted
}

async function deleteDeadKeysIn(
  store: Store<ManagementUseCases>,
  organization: LogId,
  before: number,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const ids = findDead(store, organization, before)
    if (ids.length === 0) return deleted
    const { result } = await store.commit(organization, 'deleteDeadKeys', { ids, before }, BY)
    if (result === 0) return deleted // another replica was faster
    deleted += result
    await setImmediate() // waiting writes go first
  }
}

/** Ids of the first keys whose tenant was deleted. */
function findDead(store: Store<ManagementUseCases>, organization: LogId, before: number): string[] {
  const ids: string[] = []
  for (const key of store.view(organization).list('api_key')) {
    const { id, tenant_id, environment_id, secret_of, created_at } = key
    if (tenant_id === undefined || environment_id === null || secret_of !== undefined || created_at >= before) continue
    if (isGone(store, environment_id, tenant_id)) ids.push(id)
    if (ids.length >= DEAD_KEYS_PER_REVISION) break
  }
  return ids
}

/** False where the environment cannot be read: its keys are deleted with it. */
function isGone(store: Store<ManagementUseCases>, environment: LogId, tenant: string): boolean {
  try {
    return store.exists(environment) && store.view(environment).find('tenant', tenant) === undefined
  } catch (error) {
    if (isZerohopError(error, 'DATA_DAMAGED')) return false
    throw error
  }
}
