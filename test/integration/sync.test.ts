// Sync at the reference backend, with both of its clients, on a real server: whoever signs in is made sure to be there,
// and cannot reset what access depends on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { connect, type Pdp } from '../../src/index.ts'
import { inProcess, type Permissions, publicClient } from '../../src/integration/permission-client.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const STORED = { email: 'eva@example.com', first_name: 'Eva', attributes: { suspended: true } }

describe.each([
  ['decisions in this process', inProcess],
  ['the published client', publicClient],
])('[D11] a sync with %s', (_, open) => {
  let permissions: Permissions
  let pdp: Pdp
  let write: ReturnType<typeof createClient>
  const path = { p: 'default', e: 'development' }

  beforeAll(async () => {
    const data = temporaryFolder('sync')
    const ports = { api: await freePort(), pdp: await freePort() }
    await serveHere(data, ports)
    const token = readKeys(data).environments.development
    write = createClient({ url: url(ports.api), apiKey: token })
    permissions = await open({ token, apiUrl: url(ports.api), pdpUrl: url(ports.pdp) })
    pdp = await connect({ url: url(ports.api), apiKey: token })
    await write.POST('/v2/schema/{p}/{e}/resources', { params: { path }, body: { key: 'doc', actions: { read: {} } } })
    const conditions = { not: { 'user.suspended': { equals: true } } }
    const active = { key: 'active', type: 'userset', conditions } as const
    await write.POST('/v2/schema/{p}/{e}/condition_sets', { params: { path }, body: active })
    const rule = { user_set: 'active', permission: 'doc:read', resource_set: '__autogen_doc' }
    await write.POST('/v2/facts/{p}/{e}/set_rules', { params: { path }, body: rule })
    await write.POST('/v2/facts/{p}/{e}/users', { params: { path }, body: { key: 'eva', ...STORED } })
  })
  afterAll(async () => {
    await pdp.close()
    await permissions.close()
    await endServers()
  })

  it('leaves a user who is there as it is, and answers that user', async () => {
    await expect(permissions.sync('eva')).resolves.toMatchObject({ key: 'eva', ...STORED })
    await pdp.atLeast(write.revision)
    expect(pdp.check('eva', 'read', 'doc')).toBe(false)
  })

  it('creates a user who is missing, once', async () => {
    const made = await permissions.sync('auth0|new')
    expect(made).toMatchObject({ key: 'auth0|new', email: null, attributes: {} })
    await expect(permissions.sync('auth0|new')).resolves.toEqual(made)
  })
})
