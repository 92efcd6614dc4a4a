// An outbox: the application writes a row and an event in one transaction; a worker sends the events to Zerohop, in order
// and as often as it takes. `node examples/outbox.mjs http://localhost:8080` with APP_DATABASE_URL and PDP_API_KEY.
import pg from 'pg'
import { createClient, dataOf } from 'zerohop/client'

const db = new pg.Client({ connectionString: process.env.APP_DATABASE_URL })
await db.connect()
await db.query(`CREATE TABLE IF NOT EXISTS members ("user" text, role text, tenant text, PRIMARY KEY ("user", role, tenant));
  CREATE TABLE IF NOT EXISTS outbox (id bigserial PRIMARY KEY, is_there boolean, fact jsonb)`)
const zerohop = createClient({ url: process.argv[2], apiKey: process.env.PDP_API_KEY })
const path = { p: 'default', e: 'development' }

/** The application: the row and its event, or neither. */
async function setMember(user, role, tenant, isThere) {
  await db.query('BEGIN')
  if (isThere) await db.query('INSERT INTO members VALUES ($1, $2, $3)', [user, role, tenant])
  else await db.query('DELETE FROM members WHERE "user" = $1 AND role = $2 AND tenant = $3', [user, role, tenant])
  await db.query('INSERT INTO outbox (is_there, fact) VALUES ($1, $2)', [isThere, { user, role, tenant }])
  await db.query('COMMIT')
}

/** The worker: an event is removed when it is written, and sent again when it is not known to be. */
async function sendEvents() {
  for (let sent = 0; ; sent++) {
    await db.query('BEGIN')
    const { rows } = await db.query('SELECT * FROM outbox ORDER BY id LIMIT 1 FOR UPDATE')
    if (rows[0] === undefined) return db.query('COMMIT').then(() => sent)
    const { id, is_there: isThere, fact: body } = rows[0]
    const params = { path, query: isThere ? {} : { on_missing: 'ignore' } }
    dataOf(await zerohop[isThere ? 'PUT' : 'DELETE']('/v2/facts/{p}/{e}/role_assignments', { params, body }))
    await db.query('DELETE FROM outbox WHERE id = $1', [id])
    await db.query('COMMIT')
  }
}

await setMember('ana', 'viewer', 'default', true)
await setMember('ben', 'viewer', 'default', true)
await setMember('ben', 'viewer', 'default', false)
console.log(`${await sendEvents()} events sent, revision ${zerohop.revision}`)
await db.end()
