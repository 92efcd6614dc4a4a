// Small policies as changes: what the tests of the PDP write.
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey } from '../../src/model/objects.ts'

export const putUser = (key: string): PolicyChange => ({ op: 'put', kind: 'user', key, value: {} })
export const putTenant = (key: string): PolicyChange => ({ op: 'put', kind: 'tenant', key, value: {} })
export const putRole = (key: string, permissions: readonly string[]): PolicyChange => ({
  op: 'put',
  kind: 'role',
  key,
  value: { permissions, extends: [] },
})
export const give = (user: string, role: string, tenant = 'default'): PolicyChange => ({
  op: 'put',
  kind: 'role_assignment',
  key: assignmentKey(user, role, tenant),
  value: { user, role, tenant },
})
export const take = (user: string, role: string, tenant = 'default'): PolicyChange => ({
  op: 'delete',
  kind: 'role_assignment',
  key: assignmentKey(user, role, tenant),
})

/** `hello` with `say` and `wave`; ana may both in `default`, ben may wave; zoe may nothing. */
export const HELLO: readonly PolicyChange[] = [
  { op: 'put', kind: 'resource', key: 'hello', value: { actions: ['say', 'wave'] } },
  putRole('admin', ['hello:say', 'hello:wave']),
  putRole('viewer', ['hello:wave']),
  ...['default', 'acme'].map(putTenant),
  ...['ana', 'ben', 'zoe'].map(putUser),
  give('ana', 'admin'),
  give('ben', 'viewer'),
]
