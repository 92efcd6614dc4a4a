// Store, management and decisions in one process, no network: opens a folder, writes a policy, asks.
// node examples/embedded.mjs [FOLDER]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'zerohop/embedded'

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'zerohop-'))
const zerohop = await open({ data: folder })
const { pdp, resources, roles, users, tenants, assignments } = zerohop

await resources.create({ key: 'document', actions: { read: {}, write: {} } })
await roles.create({ key: 'reader', permissions: ['document:read'] })
await roles.create({ key: 'editor', permissions: ['document:write'], extends: ['reader'] })
await tenants.create({ key: 'acme' })
await users.create({ key: 'ana' })
await assignments.assign({ user: 'ana', role: 'editor', tenant: 'acme' }) // on disk, and decided by, when it resolves

const document = { type: 'document', tenant: 'acme' }
console.log(`may ana read in acme? ${pdp.check('ana', 'read', document)}`)
console.log(`may ana read elsewhere? ${pdp.check('ana', 'read', 'document')}`)

await assignments.unassign({ user: 'ana', role: 'editor', tenant: 'acme' })
console.log(`and without the role? ${pdp.check('ana', 'read', document)}`)

await zerohop.close()
if (process.argv[2] === undefined) rmSync(folder, { recursive: true })
