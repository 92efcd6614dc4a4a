// Which attributes conditions read: operands, references, and what is followed by the key of an instance.
import { describe, expect, it } from 'vitest'
import { readBy } from '../../src/model/condition-reads.ts'
import type { JsonObject } from '../../src/model/objects.ts'

describe('what conditions read', () => {
  it.each<[JsonObject, string | null, string[]]>([
    [{}, null, []],
    [{ 'user.age': { equals: 1 } }, null, ['__user/age']],
    [{ 'subject.address.city': { equals: 'x' } }, null, ['__user/address']],
    [{ 'tenant.plan': { not: ['free'] } }, null, ['__tenant/plan']],
    [{ 'context.mfa': { equals: true }, 'action.level': { equals: 1 } }, null, []],
    [{ 'resource.owner': { equals: { ref: 'user.key' } } }, 'doc', ['doc/owner', '__user/key']],
    [{ 'resource.owner': { equals: 'x' } }, null, []],
    [{ anyOf: [{ not: { 'user.a': { anyOf: [{ in: { ref: 'user.b' } }] } } }] }, null, ['__user/a', '__user/b']],
    [
      { 'user.folder': { object_match: { match: { 'state.now': { equals: 1 } }, fk_resource_type: 'folder' } } },
      null,
      ['__user/folder', 'folder', 'folder/state'],
    ],
    [
      { 'user.job': { object_match: { match: { level: { equals: { ref: 'tenant.top' } } } } } },
      null,
      ['__user/job', '__tenant/top'],
    ],
    [{ 'no condition': 1 }, null, []],
  ])('%j over %s: %j', (conditions, resource, read) => {
    expect(readBy({ conditions, resource })).toEqual(read)
  })
})
