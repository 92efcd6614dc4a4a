// What the tests of the store share: a temporary folder, an open store with the test use cases, an actor.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Role } from '../../src/kinds/role.ts'
import type { RoleAssignment } from '../../src/kinds/role-assignment.ts'
import type { Tenant } from '../../src/kinds/tenant.ts'
import type { User } from '../../src/kinds/user.ts'
import type { Actor } from '../../src/log/change.ts'
import type { ErrorCode } from '../../src/model/errors.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'
import type { Decided, Mint, View } from '../../src/store/view.ts'

type Use<I, R> = (view: View, input: I, mint: Mint) => Decided<R>

/** The types of test/store/use-cases.mjs. */
export type TestUseCases = {
  createUser: Use<{ key: string; first_name?: string }, User>
  renameUser: Use<{ key: string; first_name: string }, User>
  deleteUser: Use<{ key: string }, number>
  createRole: Use<{ key: string; extends?: string[] }, Role>
  setExtends: Use<{ key: string; extends: string[] }, null>
  createTenant: Use<{ key: string }, Tenant>
  assign: Use<{ user: string; role: string; tenant: string }, RoleAssignment>
  createMember: Use<{ key: string }, string>
  countUp: Use<null, number>
  nothing: Use<null, string>
  createEnvironment: Use<{ log: string; key: string }, string>
  createApiKey: Use<{ hash: string }, { id: string; secret: string }>
  deleteApiKey: Use<{ hash: string }, null>
  refuseAll: Use<{ field: string }, never>
  readOther: Use<{ log: string }, number>
  break: Use<null, never>
  breakState: Use<null, null>
  uncloneable: Use<{ key: string }, never>
  fill: Use<{ bytes: number }, string>
  die: Use<null, null>
}

export type TestStore = Store<TestUseCases>

export const LOG = '1'.repeat(32)
export const OTHER_LOG = '2'.repeat(32)

export const BY: Actor = {
  api_key_id: 'a'.repeat(32),
  request_id: 'r-1',
  address: '127.0.0.1',
  method: 'POST',
  path: '/v2/facts/default/development/users',
  operation: 'create_user',
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a store with the test use cases; who opens it closes it. */
export function openWithTestUseCases(data: string, rest: Partial<StoreOptions> = {}): Promise<TestStore> {
  const writerThread = new URL('./writer-thread.mjs', import.meta.url)
  return openStore<TestUseCases>({ data, writerThread, ...rest })
}

/** Opens a store with the test use cases; it is closed after the test. */
export async function openTestStore(data: string, rest: Partial<StoreOptions> = {}): Promise<TestStore> {
  const store = await openWithTestUseCases(data, rest)
  onTestFinished(() => store.close())
  return store
}

/** The roles and the tenant that the assignments of the tests need. */
export async function seed(store: TestStore, log = LOG): Promise<void> {
  await store.commit(log, 'createRole', { key: 'admin' }, BY)
  await store.commit(log, 'createRole', { key: 'viewer' }, BY)
  await store.commit(log, 'createTenant', { key: 'default' }, BY)
}

/** Matches an error of ours by its code. */
export const error = (code: ErrorCode): object => ({ name: 'ZerohopError', code })

export const listKeys = (objects: Iterable<{ key: string }>): string[] => [...objects].map(({ key }) => key)
