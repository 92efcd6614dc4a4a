// A policy in which a group of the identity provider decides: who is in `editors` may say hello.
import type { PolicyChange } from '../../src/log/delta.ts'
import type { JsonObject } from '../../src/model/objects.ts'

const put = (kind: PolicyChange['kind'], key: string, value: JsonObject): PolicyChange =>
  ({ op: 'put', kind, key, value }) as unknown as PolicyChange

export const GROUPS_DECIDE: readonly PolicyChange[] = [
  put('resource', 'hello', { actions: ['say'] }),
  put('tenant', 'default', {}),
  put('user', 'ana', {}),
  put('condition_set', 'editors', {
    type: 'userset',
    resource: null,
    parent: null,
    conditions: { 'user.groups': { array_contains: 'editors' } },
  }),
  put('set_rule', 'editors/hello:say/__autogen_hello', {
    user_set: 'editors',
    permission: 'hello:say',
    resource_set: '__autogen_hello',
  }),
]
