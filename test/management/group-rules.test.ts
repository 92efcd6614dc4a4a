// How many users one write of a rule for groups may concern: at the limit it is carried out, beyond it is refused.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { directoryMemberKey } from '../../src/kinds/directory-member.ts'
import { put } from '../../src/log/change.ts'
import { createGroupRule, deleteGroupRule } from '../../src/management/objects/group-rules.ts'
import { GROUP_RULE_USERS_MAX } from '../../src/model/limits.ts'
import { Draft } from '../../src/store/draft.ts'
import type { Mint } from '../../src/store/view.ts'
import { type ManagementData, openManagementData } from './harness.ts'

let management: ManagementData
beforeAll(async () => {
  management = await openManagementData()
  await management.run('createRole', { key: 'editor' })
})
afterAll(() => management.close())

it('a rule whose groups have as many users as one write may concern is made, and one more user is refused', () => {
  let ids = 0
  const mint: Mint = { id: () => (++ids).toString(16).padStart(32, '0'), secret: () => 'a'.repeat(44), now: 1 }
  const stamps = { created_at: 1, updated_at: 1 }
  const draft = new Draft(management.view())
  const makeGroup = (members: number): string => {
    const id = mint.id()
    draft.stage([
      put('directory_group', { id, key: id, ...stamps, display_name: `All ${id}`, external_id: null, version: 1 }),
    ])
    for (let at = 0; at < members; at++) {
      const user = `user-${ids}`
      draft.stage([
        put('directory_member', { id: mint.id(), key: directoryMemberKey(id, user), ...stamps, group: id, user }),
      ])
    }
    return id
  }
  makeGroup(GROUP_RULE_USERS_MAX)
  const create = () =>
    draft.take(
      createGroupRule(draft, { group: { by: 'display_name', match: 'prefix', value: 'all' }, role: 'editor' }, mint),
    )
  const rule = create()
  draft.take(deleteGroupRule(draft, { ref: rule.id }, mint))
  makeGroup(1)
  expect(create).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
})
