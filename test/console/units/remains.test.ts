// What a user still has when all roles are removed.
import { describe, expect, it } from 'vitest'
import { listRemaining } from '../../../console/src/pages/users/remains.ts'

const rule = (user_set: string) => ({ kind: 'set_rule', user_set, resource_set: 'small' }) as const
const role = { kind: 'role', role: 'editor' } as const
type Source = ReturnType<typeof rule> | typeof role
const line = (source: Source, action: string, rest: object = {}) => ({
  ...{ user: 'ana', tenant: 'acme' as string | null, resource: 'invoice', resource_instance: null as string | null },
  ...{ action, access: 'allowed' as const, source, derived: false, when: null, change: null },
  ...rest,
})
const lost = (action: string, key?: string) => ({
  ...{ user: 'ana', action, tenant: 'acme', because: rule('editors') },
  resource: { type: 'invoice', ...(key === undefined ? {} : { key }) },
})

describe('what remains', () => {
  it('is what rules allow and the removal does not take, by rule', () => {
    const lines = [
      line(role, 'read'),
      line(rule('finance'), 'approve'),
      line(rule('finance'), 'read', { access: 'conditional' }),
      line(rule('editors'), 'delete'),
      line(rule('editors'), 'delete', { resource_instance: '18' }),
      line(rule('owners'), 'share', { resource_instance: '18' }),
      line(rule('anywhere'), 'export', { tenant: null }),
      line(rule('maybe'), 'pay', { access: 'conditional' }),
    ]
    expect(listRemaining(lines, [lost('delete'), lost('share', '18'), lost('export')])).toEqual([
      { rule: 'finance × small', permissions: ['invoice:approve', 'invoice:read'], isConditional: false },
      { rule: 'maybe × small', permissions: ['invoice:pay'], isConditional: true },
    ])
    expect(listRemaining(lines, []).map(({ rule }) => rule)).toEqual([
      'finance × small',
      'editors × small',
      'owners × small',
      'anywhere × small',
      'maybe × small',
    ])
  })
})
