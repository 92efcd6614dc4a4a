// The data folder of the damage test and the questions that are asked about it: two organizations and two environments
// with every kind of object, enough for several pages in each table. Plain JavaScript over the build, because it runs
// in child processes.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { runAdmin } from '../../dist/src/management/host/admin.js'
import { openManagement } from '../../dist/src/server.js'
import { openTables } from '../../dist/src/store/tables.js'

const USERS = 150
const newId = () => randomBytes(16).toString('hex')
const user = (at) => `user-${at}@example.org`

/** Makes the folder. All pages of its data file are in use: it is a compacted copy. */
export async function makeWorld(data, users = USERS) {
  const { store } = await openManagement({ data, noExample: true })
  const bundle = JSON.parse(readFileSync(new URL('../management/bundle.json', import.meta.url), 'utf8'))
  for (let at = 0; at < users; at++) {
    bundle.users.push({ key: user(at), attributes: { level: at % 7 } })
    if (at % 2 === 0) bundle.role_assignments.push({ user: user(at), role: 'viewer', tenant: 'acme' })
    if (at % 5 === 0) bundle.role_assignments.push({ user: user(at), role: 'admin', tenant: 'default' })
    if (at % 3 === 0) bundle.resource_instances.push({ key: `doc-${at}`, resource: 'document', tenant: 'acme' })
    if (at % 9 === 0)
      bundle.relationship_tuples.push({ subject: 'folder:top', relation: 'parent', object: `document:doc-${at}` })
  }
  const deps = { store, data, newId }
  for (const environment of ['development', 'production'])
    await runAdmin(deps, 'import', { project: 'default', environment, bundle })
  await runAdmin(deps, 'org.create', { key: 'other' })
  const log = store.logs()[1]
  const by = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'test' }
  for (let at = 0; at < Math.min(users, 40); at++)
    await store.commit(log, 'updateUser', { ref: user(at), fields: { first_name: `Name ${at}` } }, by)
  for (let at = users - 50; at >= 0 && at < users - 40; at++)
    await store.commit(log, 'deleteUser', { ref: user(at) }, by)
  await store.close()
  await compact(data)
}

async function compact(data) {
  const copy = join(data, 'copy')
  mkdirSync(copy)
  const { root } = openTables(data, 'read')
  await root.backup(copy, true)
  await root.close()
  renameSync(join(copy, 'data.mdb'), join(data, 'data.mdb'))
}

/** The checks that are asked in each environment. */
export function questions() {
  const asked = []
  for (const tenant of ['acme', 'default']) {
    for (let at = 0; at < USERS; at += 3)
      asked.push({ user: { key: user(at) }, action: at % 2 ? 'read' : 'write', resource: { type: 'document', tenant } })
  }
  for (const key of ['ana', 'ben', 'nobody', user(0), user(1), user(104)]) {
    for (const resource of ['one', 'doc-9', 'doc-10'])
      asked.push({ user: { key }, action: 'write', resource: { type: 'document', key: resource, tenant: 'acme' } })
  }
  return asked
}
