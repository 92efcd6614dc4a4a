// The published client reads an environment that has what it does not know: grants for a time, one that ended, a suspended user and roles of
// everybody. The clients of other languages do the same in scripts/clients/readers (npm run test:clients).
import { Permit } from 'permitio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bringGrants } from '../../scripts/clients/grants.mjs'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

let permit: Permit

beforeAll(async () => {
  const data = temporaryFolder('beside-grants')
  const ports = { api: await freePort(), pdp: await freePort() }
  await serveHere(data, ports)
  const token = readKeys(data).environments.development
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await bringGrants(async (method, path, body) => {
    const address = url(ports.api) + path.replace('{e}', 'default/development')
    const answer = await fetch(address, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  })
  permit = new Permit({ token, apiUrl: url(ports.api), pdp: url(ports.pdp), log: { level: 'silent' } })
})
afterAll(endServers)

it('its lists have what they had, and what it does not know beside it', async () => {
  const { users, roleAssignments, tenants, relationshipTuples, conditionSetRules } = permit.api
  const assigned = await roleAssignments.list({})
  expect(assigned.map(({ user }) => user).sort()).toEqual(['*', '*', 'from', 'suspended', 'until'])
  const detailed = await roleAssignments.list({ detailed: true })
  expect(detailed.map(({ user, role }) => `${user.key} ${role.key}`)).toContain('* auditor')
  for (const user of ['until', 'from', 'suspended'])
    expect(await users.getAssignedRoles({ user })).toMatchObject([{ user, tenant: 'ledgers' }])
  const stored = (await users.list()).data.map(({ key }) => key)
  expect(stored.sort()).toEqual(['ended', 'from', 'suspended', 'until'])
  for (const key of stored) expect((await users.get(key)).key).toBe(key)
  expect((await tenants.listTenantUsers({ tenantKey: 'ledgers' })).data).toHaveLength(3)
  expect(await relationshipTuples.list({})).toMatchObject([{ object: 'ledger:open' }])
  const rule = { userSetKey: 'ledger#keeper', permissionKey: 'ledger:audit', resourceSetKey: 'open_ledgers' }
  expect(await conditionSetRules.list(rule)).toHaveLength(1)
})

it('its questions are answered by them', async () => {
  const audit = (user: string, tenant = 'ledgers') => permit.check(user, 'audit', { type: 'ledger', tenant })
  expect(await Promise.all(['until', 'suspended', 'not-stored'].map((user) => audit(user)))).toEqual([
    true,
    false,
    true,
  ])
  expect(await audit('until', 'default')).toBe(false)
  expect(await permit.getUserPermissions('suspended')).toEqual({})
  expect(Object.keys(await permit.getUserPermissions('until'))).toContain('__tenant:ledgers')
})

it('what it writes of a user leaves what it does not know as it was', async () => {
  await permit.api.users.sync({ key: 'until', first_name: 'Una' })
  await permit.api.users.sync({ key: 'suspended', first_name: 'Sue' })
  expect(await permit.api.users.getAssignedRoles({ user: 'until' })).toMatchObject([
    { valid_until: '2100-01-01T00:00:00.000+00:00' },
  ])
  expect(await permit.check('suspended', 'audit', { type: 'ledger', tenant: 'ledgers' })).toBe(false)
})
