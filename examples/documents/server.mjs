// A multi-tenant application that asks about its own rows: lists by a filter, single documents by a check, buttons by a
// snapshot. node examples/documents/server.mjs [PORT]. docs/node-application.md explains it.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import fastify from 'fastify'
import Database from 'libsql'
import { createClient } from 'zerohop/client'
import { memberRoutes } from 'zerohop/fastify'
import { toResource, toSql } from 'zerohop/filters'
import { connect, managementServer, openManagement, readKeys } from 'zerohop/server'
import { openWithPolicy } from './policy.mjs'

/** Where the table holds what the policy speaks of. Lists, checks and the page all go by it. */
const DOCUMENTS = {
  tenant: 'tenant',
  key: 'id',
  attributes: { status: { column: 'status', type: 'text' }, owner: { column: 'owner', type: 'text' } },
  relations: { folder: { resource: 'folder', column: 'folder' } },
}
/** In a real application: the identity provider, and the tenant that the user has chosen. */
const SESSIONS = { ana: 'acme', ben: 'acme', cyd: 'acme', eve: 'umbra' }

const port = Number(process.argv[2] ?? 3000)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(`\`${process.argv[2]}\` is not a port: node examples/documents/server.mjs [PORT]\n`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'documents-'))
const { pdp, client, ...zerohop } = await startZerohop(folder)
const db = tables()
const read = (file) => readFileSync(join(import.meta.dirname, file), 'utf8')

const app = fastify()
app.decorateRequest('user', null)
app.decorateRequest('tenant', null)
function findUser(cookies = '') {
  const [, user = ''] = /(?:^|; )user=(\w+)/.exec(cookies) ?? []
  return Object.hasOwn(SESSIONS, user) ? user : undefined
}
/** Whoever asks anything below /api is signed in. The hook belongs to the routes, however their address is spelled. */
async function signedIn(request, reply) {
  const user = findUser(request.headers.cookie)
  if (user === undefined) return reply.code(401).send({ error: 'sign in first' })
  request.user = user
  request.tenant = SESSIONS[user]
}
app.setErrorHandler((error, _, reply) => {
  const cannotDecide = ['NOT_READY', 'STALE', 'POISONED', 'UNDECIDED', 'CLOSED'].includes(error.code)
  reply.code(cannotDecide ? 503 : (error.statusCode ?? 500)).send({ error: error.message })
})

/** A document that may not be read is answered like one that does not exist. */
function readable(request, reply) {
  const byKey = db.prepare('SELECT * FROM documents WHERE id = ? AND tenant = ?')
  const [row] = byKey.all(request.params.id, request.tenant)
  if (row !== undefined && may(request.user, 'read', row)) return row
  reply.code(404).send({ error: 'there is no such document' })
  return undefined
}
const may = (user, action, row) =>
  pdp.check(user, action, toResource(row, DOCUMENTS, { type: 'document', dialect: 'sqlite' }))
const refused = (reply) => reply.code(403).send({ error: 'you may not do this' })

async function routes(api) {
  api.addHook('onRequest', signedIn)

  api.get('/documents', ({ user, tenant }) => {
    const filter = pdp.filter(user, 'read', 'document', { tenant })
    const { text, values } = toSql(filter, DOCUMENTS, 'sqlite', { table: 'documents' })
    return db.prepare(`SELECT * FROM documents WHERE ${text} ORDER BY title LIMIT 20`).all(...values)
  })

  api.get('/documents/:id', (request, reply) => readable(request, reply) ?? reply)

  api.post('/documents', { schema: { body: bodySchema(['title', 'folder']) } }, (request, reply) => {
    const { title, folder: into } = request.body
    const row = { id: null, tenant: request.tenant, title, folder: into, status: 'draft', owner: request.user }
    if (!may(request.user, 'create', row)) return refused(reply)
    const created = { ...row, id: randomUUID() }
    insert(created)
    return reply.code(201).send(created)
  })

  api.patch('/documents/:id', { schema: { body: bodySchema([]) } }, (request, reply) => {
    const row = readable(request, reply)
    if (row === undefined) return reply
    const changed = { ...row, ...request.body }
    // As it is stored, and as it will be: moving a document into a folder takes a right there too.
    const isMoved = changed.folder !== row.folder
    if (!may(request.user, 'edit', row) || !may(request.user, 'edit', changed)) return refused(reply)
    if (isMoved && !may(request.user, 'create', { ...changed, id: null })) return refused(reply)
    db.prepare('UPDATE documents SET title = ?, folder = ? WHERE id = ?').run(changed.title, changed.folder, row.id)
    return changed
  })

  api.get('/permissions', ({ user, tenant }, reply) => {
    reply.header('cache-control', 'private, no-store')
    return pdp.snapshot(user, { tenants: [tenant], types: ['document'] })
  })
}

app.register(routes, { prefix: '/api' })

// What administrators of a tenant do on the page Members: the session says who asks, the policy whether they may.
const findMember = async ({ headers }) => {
  const user = findUser(headers.cookie)
  return user && { user, tenant: SESSIONS[user] }
}
app.register(memberRoutes(pdp, { client, findMember, read: 'members:see' }), { prefix: '/authz' })

servePage('/', 'page', 'Documents')
servePage('/members', 'members', 'Members', '<link rel="stylesheet" href="/members.css">')
app.get('/members.css', (_, reply) => reply.type('text/css').send(read('members.css')))

function servePage(path, name, title, head = '') {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, `${name}.jsx`)],
    bundle: true,
    write: false,
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title>${head}
<div id="app"></div><script type="module" src="/${name}.js"></script></html>`
  app.get(`/${name}.js`, (_, reply) => reply.type('text/javascript').send(outputFiles[0].text))
  app.get(path, (_, reply) => reply.type('text/html').send(html))
}

/**
 * The management API in this process, for the example: in production it is `zerohop serve`, and this application has its
 * address and the key of its environment.
 */
async function startZerohop(data) {
  await (await openWithPolicy(data)).close()
  const management = await openManagement({ data })
  const api = managementServer(management)
  const url = await api.listen({ port: 0, host: '127.0.0.1' })
  const apiKey = readKeys(data).environments.development
  const connected = await connect({ url, apiKey })
  const close = async () => {
    await connected.close()
    await api.close()
    await management.store.close()
  }
  return { pdp: connected, client: createClient({ url, apiKey }), close }
}

/** What a request may say of a document: never its tenant, owner or status. */
function bodySchema(required) {
  const text = { type: 'string', minLength: 1, maxLength: 200 }
  return { type: 'object', required, properties: { title: text, folder: text }, additionalProperties: false }
}

function insert({ id, tenant, title, folder: into, status, owner }) {
  return db.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)').run(id, tenant, title, into, status, owner)
}

function tables() {
  const opened = new Database(':memory:')
  opened.exec(`CREATE TABLE documents (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, title TEXT NOT NULL, folder TEXT,
    status TEXT, owner TEXT); CREATE INDEX by_title ON documents (tenant, title);`)
  const row = opened.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)')
  row.run('d1', 'acme', 'Accounts', 'reports', 'draft', 'cyd')
  row.run('d2', 'acme', 'Brochure', 'sales', 'public', 'cyd')
  row.run('d3', 'acme', 'Contract', 'sales', 'draft', 'ben')
  row.run('d4', 'umbra', 'Dossier', 'reports', 'draft', 'eve')
  return opened
}

const address = await app.listen({ port, host: '127.0.0.1' })
process.stdout.write(`the example listens on ${address}\n`)
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await app.close()
    await zerohop.close()
    db.close()
    rmSync(folder, { recursive: true })
  })
