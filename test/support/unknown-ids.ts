// Ids that no symbol has, at the kernel's own exports. The host denies what is unknown before it asks about sets, so no
// case gets there.
import { ENCODED, Header } from '../../assembly/abi.ts'
import { PERMISSIONS_MAX, Verdict } from '../../assembly/limits.ts'
import { loadKernel } from '../../src/image/file/image-file.ts'
import { Image } from '../../src/image/image.ts'
import { findSymbol } from '../../src/image/look-up.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { ENVIRONMENT, makePosition } from './deltas.ts'

const set = (key: string, type: 'userset' | 'resourceset', resource: string | null): PolicyChange => ({
  op: 'put',
  kind: 'condition_set',
  key,
  value: { type, resource, conditions: {}, parent: null },
})

const POLICY: readonly PolicyChange[] = [
  { op: 'put', kind: 'tenant', key: 'default', value: {} },
  { op: 'put', kind: 'user', key: 'ana', value: {} },
  { op: 'put', kind: 'resource', key: 'doc', value: { actions: ['read'] } },
  set('everybody', 'userset', null),
  set('everything', 'resourceset', 'doc'),
  {
    op: 'put',
    kind: 'set_rule',
    key: 'everybody/doc:read/everything',
    value: { user_set: 'everybody', permission: 'doc:read', resource_set: 'everything' },
  },
]

/** Describes what a kernel wrongly answers about ids that no symbol has; undefined when it answers nothing (D1). */
export function saysOfUnknownIds(source: KernelSource): string | undefined {
  const kernel = loadKernel(Image.build(ENVIRONMENT, makePosition(1), POLICY).save(), source)
  const { calls } = kernel
  const user = findSymbol(kernel, 'user', 'ana')
  const tenant = findSymbol(kernel, 'tenant', 'default')
  const permission = calls.findPermission(kernel.writePair('doc', 'read'))
  // What is known is allowed, before each question: nothing of it may be left for who is unknown.
  const asks: readonly (readonly [user: number, tenant: number, permission: number])[] = [
    [0, tenant, permission],
    [user, 0, permission],
    [user, tenant, 0],
  ]
  for (const ids of asks) {
    if (calls.decideSets(user, tenant, permission, 0, 0, ENCODED) !== Verdict.Allow)
      return 'who is known is not allowed'
    if (calls.decideSets(...ids, 0, 0, ENCODED) !== Verdict.Deny) return `sets allow ${ids}`
    if (calls.decide(...ids) !== Verdict.Deny) return `roles allow ${ids}`
  }
  for (let id = kernel.field(Header.PermissionTop) + 1; id <= PERMISSIONS_MAX; id++) {
    if (calls.permissionRecord(id) !== 0) return `there is a permission ${id}`
  }
  return undefined
}
