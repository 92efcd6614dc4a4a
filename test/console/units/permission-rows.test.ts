// Everything a user may do, as rows: permissions of a resource together, and only what was searched.
import { expect, it } from 'vitest'
import { listInstances, listTenants } from '../../../console/src/pages/users/permission-rows.ts'

const PERMISSIONS = {
  ...{ revision: 7, revision_at: '2026-11-23T08:00:00.000+00:00' },
  tenants: [
    { tenant: 'acme', roles: ['editor'], permissions: ['invoice:create', 'invoice:read', 'report:read'] },
    { tenant: 'globex', roles: ['guest'], permissions: [] },
  ],
  instances: [
    { resource: 'folder', resource_instance: 'q4', tenant: 'acme', roles: ['owner'], permissions: ['folder:share'] },
  ],
}

it('gathers the actions of a resource, and keeps tenants where a role allows nothing', () => {
  expect(listTenants(PERMISSIONS, '')).toEqual([
    {
      ...{ tenant: 'acme', roles: ['editor'] },
      rows: [
        { tenant: 'acme', resource: 'invoice', actions: ['create', 'read'], roles: [] },
        { tenant: 'acme', resource: 'report', actions: ['read'], roles: [] },
      ],
    },
    { tenant: 'globex', roles: ['guest'], rows: [] },
  ])
  expect(listInstances(PERMISSIONS, '')).toEqual([
    { tenant: 'acme', resource: 'folder:q4', roles: ['owner'], actions: ['share'] },
  ])
})

it('searches resources, then actions, in any letter case', () => {
  const found = (search: string) => listTenants(PERMISSIONS, search).flatMap(({ rows }) => rows)
  expect(found('INVOICE').map(({ resource, actions }) => [resource, actions])).toEqual([
    ['invoice', ['create', 'read']],
  ])
  expect(found('read').map(({ resource, actions }) => [resource, actions])).toEqual([
    ['invoice', ['read']],
    ['report', ['read']],
  ])
  expect(found('share')).toEqual([])
  expect(listInstances(PERMISSIONS, 'Q4')).toHaveLength(1)
  expect(listInstances(PERMISSIONS, 'read')).toEqual([])
})
