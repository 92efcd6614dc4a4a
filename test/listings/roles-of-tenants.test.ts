// [D18] What is about the environment, or about one tenant, passes over the roles of other tenants; what was found of them is
// right after any delta.
import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewCounts } from '../../src/image/access-review/counts.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

const tenantRole = (role: string, tenant: string): PolicyChange => ({
  ...{ op: 'put', kind: 'tenant_role', key: `${role}@${tenant}` },
  value: { tenant, role, permissions: ['doc:read'], extends: [] },
})
const gone = (role: string, tenant: string): PolicyChange => ({
  ...{ op: 'delete', kind: 'tenant_role', key: `${role}@${tenant}` },
})
const assignment = (user: string, role: string, tenant: string): PolicyChange => ({
  ...{ op: 'put', kind: 'role_assignment', key: `${user}/${role}/${tenant}` },
  value: { user, role, tenant },
})

const CHANGES: readonly PolicyChange[] = [
  { op: 'put', kind: 'resource', key: 'doc', value: { actions: ['read', 'write'] } },
  { op: 'put', kind: 'role', key: 'reader', value: { permissions: ['doc:read'], extends: [] } },
  {
    ...{ op: 'put', kind: 'resource_role', key: 'doc/editor' },
    value: { resource: 'doc', role: 'editor', permissions: ['doc:read'], extends: [], granted_to: null },
  },
  ...['acme', 'globex'].map((key): PolicyChange => ({ op: 'put', kind: 'tenant', key, value: {} })),
  ...['ana', 'ben'].map((key): PolicyChange => ({ op: 'put', kind: 'user', key, value: { attributes: {} } })),
  ...['acme', 'globex'].flatMap((tenant) => [tenantRole('clerk', tenant), tenantRole('boss', tenant)]),
  assignment('ben', 'clerk@globex', 'globex'),
  assignment('ben', 'reader', 'globex'),
]

describe('roles of tenants', () => {
  let image: Image
  beforeEach(() => {
    image = Image.build(ENVIRONMENT, makePosition(1), CHANGES)
  })

  const apply = (...changes: PolicyChange[]) => image.apply(deltaTo(image.revision + 1, changes))
  const near = () => {
    const { first = [], count } = image.explainWays('ana', 'read', 'doc', 'acme').ways.near?.in_tenant ?? {}
    return { roles: first.map(({ role }) => role).sort(), count }
  }
  const counted = (by: 'role' | 'resource') =>
    image.inside((inside) => {
      const counts = new ReviewCounts(inside, by)
      while (counts.step(1_000));
      return { groups: counts.groups.map(({ key, users }) => [key, users]), ofTenants: counts.ofTenants }
    }, 0)

  it('are named to the denied where they count, and nowhere else', () => {
    expect(near()).toEqual({ roles: ['boss@acme', 'clerk@acme', 'reader'], count: 3 })
    apply(gone('clerk', 'acme'))
    expect(near()).toEqual({ roles: ['boss@acme', 'reader'], count: 2 })
    apply(tenantRole('clerk', 'acme'), tenantRole('new', 'globex'), tenantRole('new', 'acme'))
    expect(near()).toEqual({ roles: ['boss@acme', 'clerk@acme', 'new@acme', 'reader'], count: 4 })
  })

  it('are found again when they are made anew after they were first looked for', () => {
    apply(gone('clerk', 'acme'), gone('boss', 'acme'))
    expect(near()).toEqual({ roles: ['reader'], count: 1 })
    apply(tenantRole('clerk', 'acme')) // the record is there, so the table has as many as before
    expect(near()).toEqual({ roles: ['clerk@acme', 'reader'], count: 2 })
  })

  it('are in no list of the roles of the environment', () => {
    expect(image.listings.tenantRoles()).toEqual([{ key: 'reader', permissions: ['doc:read'] }])
    expect(image.names.all()).toMatchObject({ roles: ['reader'], types: [{ type: 'doc', roles: ['editor'] }] })
    apply({ op: 'put', kind: 'role', key: 'author', value: { permissions: [], extends: [] } })
    expect(image.listings.tenantRoles().map(({ key }) => key)).toEqual(['author', 'reader'])
    expect(image.names.all().roles).toEqual(['author', 'reader'])
    apply({ op: 'delete', kind: 'resource_role', key: 'doc/editor' })
    expect(image.names.all().types.map(({ roles }) => roles)).toEqual([[]])
  })

  it('are counted together where the users of roles are counted, each user once', () => {
    const groups = (reader: number) => [
      ['doc#editor', 0],
      ['reader', reader],
    ]
    expect(counted('role')).toEqual({ groups: groups(1), ofTenants: { roles: 4, users: 1 } })
    expect(counted('resource').ofTenants).toBeUndefined()
    apply(assignment('ben', 'boss@acme', 'acme'), assignment('ana', 'boss@acme', 'acme'), gone('clerk', 'acme'))
    expect(counted('role')).toEqual({ groups: groups(1), ofTenants: { roles: 3, users: 2 } })
    const all = ['clerk@globex', 'boss@globex', 'boss@acme']
    apply(
      ...['ben/clerk@globex/globex', 'ben/boss@acme/acme', 'ana/boss@acme/acme'].map(
        (key): PolicyChange => ({ op: 'delete', kind: 'role_assignment', key }),
      ),
      ...all.map((key): PolicyChange => ({ op: 'delete', kind: 'tenant_role', key })),
    )
    expect(counted('role')).toEqual({ groups: groups(1), ofTenants: undefined })
  })
})
