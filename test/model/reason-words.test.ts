// Reasons of recorded decisions in words: every code that a record can have is in the table, and none is empty.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { shortReason } from '../../src/http/pdp/record-decision.ts'
import type { RbacCode } from '../../src/image/explain/explanation.ts'
import { NOT_RECORDED, RBAC_REASONS, RECORDED_REASONS, reasonText } from '../../src/model/reason-words.ts'

/** Every code of roles in tenants: the type keeps it complete. */
const CODES: Readonly<Record<RbacCode, true>> = {
  ...{ allow: true, no_such_resource: true, no_such_action: true, no_such_tenant: true },
  ...{ user_not_synced: true, user_suspended: true, no_user_roles: true, no_role_in_tenant: true, no_permission: true },
}

it('every reason that is recorded has words', () => {
  const denied = (Object.keys(CODES) as RbacCode[]).filter((code) => code !== 'allow')
  expect(Object.keys(RBAC_REASONS).toSorted()).toEqual(denied.toSorted())
  const deny = denied.map((code) => shortReason({ allow: false, code, rebac: code as never, abac: code as never }))
  const allow = (['rbac', 'rebac', 'abac'] as const).map((model) =>
    shortReason({
      allow: true,
      code: model === 'rbac' ? 'allow' : 'no_permission',
      rebac: model === 'rebac' ? 'allow' : 'no_graph_roles',
      abac: model === 'abac' ? 'allow' : 'no_matching_rules',
    }),
  )
  expect(allow).toEqual(['rbac', 'rebac', 'abac'])
  for (const reason of [...deny, ...allow]) {
    expect(Object.hasOwn(RECORDED_REASONS, reason), reason).toBe(true)
    expect(reasonText(reason)).not.toMatch(/_|^$/)
  }
})

it('the words of a reason are never empty', () => {
  expect([null, '', 'allow', 'deny'].map(reasonText)).toEqual(Array.from({ length: 4 }, () => NOT_RECORDED))
  // of a newer version
  expect(reasonText('no_time_left')).toBe('no time left')
})

it('docs name every code of a reason', () => {
  const documented = readFileSync(new URL('../../docs/semantics.md', import.meta.url), 'utf8')
  expect(Object.keys(RBAC_REASONS).filter((code) => !documented.includes(`\`${code}\``))).toEqual([])
})
