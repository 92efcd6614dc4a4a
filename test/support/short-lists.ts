// The list of the roles of a grant that have times, where it says that it is shorter than what lies in memory: what follows
// is not read. By no change of a policy does a role that is in force lie behind a list.
import { ENCODED, Grant, TIMED, TimedRoles } from '../../assembly/abi.ts'
import { Verdict } from '../../assembly/limits.ts'
import { loadKernel } from '../../src/image/file/image-file.ts'
import { Image } from '../../src/image/image.ts'
import { findPermission, findSymbol } from '../../src/image/look-up.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { ENVIRONMENT, makePosition } from './deltas.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange

/** Of two roles one has ended at 15, and the other has started. */
const POLICY: readonly PolicyChange[] = [
  put('resource', 'doc', { actions: ['read'] }),
  ...['ended', 'started'].map((key) => put('role', key, { permissions: ['doc:read'], extends: [] })),
  put('tenant', 'acme', {}),
  put('user', 'ana', {}),
  put('role_assignment', 'ana/ended/acme', { user: 'ana', role: 'ended', tenant: 'acme', valid_until: 5 }),
  put('role_assignment', 'ana/started/acme', { user: 'ana', role: 'started', tenant: 'acme', valid_from: 10 }),
]
const NOW = 15

/** Describes what a kernel wrongly finds in such a list, or behind it; undefined when it reads the list and no more. */
export function saysOfShortLists(source: KernelSource): string | undefined {
  const kernel = loadKernel(Image.build(ENVIRONMENT, makePosition(1), POLICY).save(), source)
  const { calls } = kernel
  const [user, tenant] = [findSymbol(kernel, 'user', 'ana'), findSymbol(kernel, 'tenant', 'acme')]
  const role = findSymbol(kernel, 'role', 'started')
  const permission = findPermission(kernel, 'doc', 'read')
  const count = kernel.word(calls.grantOfStored(user, tenant) + Grant.Roles) - TIMED + TimedRoles.Count
  kernel.now = NOW
  for (const [length, isThere] of [
    [2, true],
    [1, false],
  ] as const) {
    kernel.setWord(count, length)
    const found = {
      'a grant': calls.grantOf(user, tenant) !== 0,
      'the role': calls.decideSide(user, tenant, permission, 0, 0, ENCODED, role) === Verdict.Allow,
      'its permission': calls.decide(user, tenant, permission) === Verdict.Allow,
    }
    for (const [what, is] of Object.entries(found))
      if (is !== isThere) return `${what} is ${is ? '' : 'not '}found in a list of ${length}`
  }
  return undefined
}
