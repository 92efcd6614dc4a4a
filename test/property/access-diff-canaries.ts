// Access diffs that are wrong in one point each: what stands in place of the code behind each tag in
// src/image/access-diff. Some example of access-diff-examples.ts tells each from the right one.
import type { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import type { Canary } from '../support/canary.ts'
import { importWith } from '../support/canary-module.ts'

/** By what the access diff then forgets. */
export const CANARIES = {
  'roles-that-extend': 'void child',
  'changed-assignment': 'false',
  'changed-derivation': 'false',
  'sources-of-a-derivation': 'void at',
  'changed-tuple': 'true',
  'below-an-assignment': '[where]',
  'sets-below-a-parent': 'void child',
  'declared-attribute': 'false',
  'followed-instances': '...[]',
  'attributes-of-a-user': 'void key',
  'tenants-of-a-user': '[]',
  'attributes-of-a-tenant': 'alone',
  'deleted-tenant': "'changed'",
  'attributes-of-an-instance': 'false',
  'rule-on-a-deleted-instance': 'false && instances.length > 0 && readsInstance(rule)',
  'moved-instance': '',
  'changed-set-rule': "''",
  // that those who are alike have the same values, and that a rule may tell them by their keys
  'alike-by-values': 'true',
  'alike-by-keys': 'true',
  'covered-by-the-type': 'false',
  'conditional-on-a-type': 'all',
  'order-of-sources': 'compareText(name, first) > 0',
  'roles-as-user-sets': '[permission]',
  'new-users': "ofUser === 0 ? undefined : 'deleted_user'",
}

/** The same of a diff of two instants, by what it then leaves out (access-diff-in-time.test.ts). */
export const CANARIES_IN_TIME = { 'rules-that-read-time': 'false' }

/** The access diff with a canary, written to a folder. */
export async function diffWith(canary: Canary, folder: string): Promise<typeof accessDiff> {
  const entry = 'src/image/access-diff/access-diff.ts'
  const module = await importWith<{ accessDiff: typeof accessDiff }>(canary, entry, folder)
  return module.accessDiff
}
