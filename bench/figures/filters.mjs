// Rows of filters: how long one takes to make, the page of a list by a filter beside the page by the ids of a listing,
// and a check with relations sent beside one with the same relations stored.
import { toSql } from '../../dist/src/filters.js'
import { loadImage } from '../../dist/src/index.js'
import { withPostgres } from '../postgres.mjs'
import { median } from '../sampling.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

const FOLDERS = 1_000
const RULES = 50
const DEPARTMENTS = 10
const PAGE = 20
const LISTED = 10_000
/** Rounds of checks after which all of them are compiled, also on a busy machine. */
const WARM = 500
const MAPPING = {
  tenant: 'org_id',
  key: 'id',
  attributes: { amount: { column: 'amount', type: 'double' }, status: { column: 'status', type: 'text' } },
  relations: { folder: { resource: 'folder', column: 'folder_id' } },
}

export async function measureFilters(results, { effort, progress }) {
  const { rows, rounds } = {
    full: { rows: 100_000, rounds: 60 },
    quick: { rows: 100_000, rounds: 20 },
    tiny: { rows: 2_000, rounds: 2 },
  }[effort]
  const pdp = loadImage(Image.build(ENVIRONMENT, FIRST, policy(0)).save())
  progress('filters: making one')
  measureMaking(results, pdp, rounds * 10)
  progress('filters: relations sent with a check')
  measureSent(results, rounds)
  progress(`filters: a page of ${rows.toLocaleString('en-US')} rows`)
  await measurePages(results, pdp, rows, rounds)
}

function measureMaking(results, pdp, rounds) {
  const make = () => pdp.filter('ana', 'read', 'document', { tenant: 'acme' })
  const samples = sampled(rounds, make)
  const { where } = make()
  if (JSON.stringify(where).match(/"f\d+"/g)?.length !== FOLDERS)
    throw new Error('the filter does not name all folders')
  results.addFigure({
    name: `a filter of a user with ${FOLDERS.toLocaleString('en-US')} folders and ${RULES} set rules, median`,
    value: median(samples),
    unit: 'ms',
    most: 1,
  })
}

function measureSent(results, rounds) {
  const pdp = loadImage(Image.build(ENVIRONMENT, FIRST, policy(FOLDERS)).save())
  const asked = Array.from({ length: FOLDERS }, (_, at) => at).filter((at) => at % 5 !== 4)
  const stored = asked.map((at) => ({ type: 'document', key: `d${at}`, tenant: 'acme' }))
  const sent = asked.map((at) => ({ type: 'document', tenant: 'acme', relations: { folder: [`folder:f${at}`] } }))
  const all = (questions) => () => {
    for (const question of questions) if (!pdp.check('ana', 'write', question)) throw new Error('denied')
  }
  const warm = rounds < 10 ? rounds : WARM
  for (let round = 0; round < warm; round++) for (const questions of [sent, stored]) all(questions)()
  const pairs = Array.from({ length: rounds }, () => [timed(all(sent)), timed(all(stored))])
  results.addFigure({
    name: 'a check with a relation sent, beside one with the same relation stored',
    value: (median(pairs.map(([one]) => one)) * 1_000_000) / asked.length,
    unit: 'ns',
    peer: 'stored',
    ratio: median(pairs.map(([one, other]) => one / other)),
    most: 1.3,
  })
}

async function measurePages(results, pdp, rows, rounds) {
  const stored = loadImage(Image.build(ENVIRONMENT, FIRST, policy(rows)).save())
  const { default: pg } = await import('pg')
  await withPostgres(async ({ database }) => {
    const client = new pg.Client(await database())
    await client.connect()
    try {
      await fill(client, rows)
      const pages = { filter: () => pageByFilter(pdp, client), ids: () => pageByIds(stored, client) }
      const [one, other] = [await pages.filter(), await pages.ids()]
      if (one.join() !== other.join() || one.length !== PAGE) throw new Error('the two ways show different pages')
      const pairs = []
      for (let round = 0; round < rounds; round++) pairs.push([await took(pages.filter), await took(pages.ids)])
      results.addFigure({
        name: `a page of ${PAGE} of ${rows.toLocaleString('en-US')} rows by a filter, beside all ids of a listing`,
        value: median(pairs.map(([mine]) => mine)),
        unit: 'ms',
        peer: 'ids, then IN',
        ratio: median(pairs.map(([mine, theirs]) => mine / theirs)),
        below: 1,
      })
    } finally {
      await client.end()
    }
  })
}

async function pageByFilter(pdp, client) {
  const filter = pdp.filter('ana', 'read', 'document', { tenant: 'acme' })
  const { text, values } = toSql(filter, MAPPING, 'postgres')
  return page(client, text, values)
}

/** What applications do without filters: all ids that may be read, then the rows with those ids. */
async function pageByIds(pdp, client) {
  const ids = []
  for (let after; ; ) {
    const { keys, next } = pdp.resources('ana', 'read', 'document', { tenant: 'acme', limit: LISTED, after })
    ids.push(...keys)
    if (next === undefined) break
    after = next
  }
  return page(client, 'org_id = $1 AND id = ANY($2)', ['acme', ids])
}

async function page(client, condition, values) {
  const text = `SELECT id FROM documents WHERE ${condition} ORDER BY created DESC LIMIT ${PAGE}`
  return (await client.query(text, values)).rows.map(({ id }) => id)
}

async function fill(client, rows) {
  await client.query(`CREATE TABLE documents (id text PRIMARY KEY, org_id text NOT NULL, folder_id text, amount float8,
    status text, created bigint NOT NULL)`)
  await client.query(
    `INSERT INTO documents SELECT 'd' || at, CASE WHEN at % 5 = 4 THEN 'umbra' ELSE 'acme' END, 'f' || at % 10000,
     at % 1000, CASE WHEN at % 3 = 0 THEN 'open' ELSE 'closed' END, at * 7919 % 1000003
     FROM generate_series(0, $1::int - 1) AS at`,
    [rows],
  )
  await client.query('CREATE INDEX ON documents (org_id, created DESC)')
  await client.query('ANALYZE documents')
}

/** The policy, with so many documents stored that lie like the rows of the table. */
function policy(documents) {
  const put = (kind, key, value) => ({ op: 'put', kind, key, value })
  const derived = {
    when: { no_direct_roles_on_object: false },
    users_with_role: [
      {
        role: 'editor',
        on_resource: 'folder',
        linked_by_relation: 'folder',
        when: { no_direct_roles_on_object: false },
      },
    ],
  }
  const changes = [
    ...['acme', 'umbra'].map((key) => put('tenant', key, {})),
    put('user', 'ana', { attributes: { department: 'd0' } }),
    put('resource', 'folder', { actions: [] }),
    put('resource', 'document', {
      actions: ['read', 'write'],
      attributes: { amount: 'number', status: 'string' },
    }),
    put('resource_role', 'folder/editor', role('folder', 'editor', [], null)),
    put('resource_role', 'document/writer', role('document', 'writer', ['document:read', 'document:write'], derived)),
  ]
  for (let at = 0; at < FOLDERS; at++) {
    changes.push(put('resource_instance', `folder:f${at}`, { tenant: 'acme' }))
    const assignment = { user: 'ana', role: 'editor', tenant: 'acme', resource_instance: `folder:f${at}` }
    changes.push(put('role_assignment', `a${at}`, assignment))
  }
  for (let rule = 0; rule < RULES; rule++) {
    const users = { 'user.department': { equals: `d${rule % DEPARTMENTS}` } }
    const documentConditions = { 'resource.amount': { 'less-than': rule }, 'resource.status': { equals: 'open' } }
    changes.push(put('condition_set', `u${rule}`, { type: 'userset', resource: null, conditions: users, parent: null }))
    const resources = { type: 'resourceset', resource: 'document', conditions: documentConditions, parent: null }
    changes.push(put('condition_set', `r${rule}`, resources))
    const sets = { user_set: `u${rule}`, permission: 'document:read', resource_set: `r${rule}` }
    changes.push(put('set_rule', `u${rule}/document:read/r${rule}`, sets))
  }
  for (let at = 0; at < documents; at++) {
    const tenant = at % 5 === 4 ? 'umbra' : 'acme'
    const attributes = { amount: at % 1000, status: at % 3 === 0 ? 'open' : 'closed' }
    changes.push(put('resource_instance', `document:d${at}`, { tenant, attributes }))
    if (at % 10_000 >= FOLDERS || tenant !== 'acme') continue
    const tuple = { subject: `folder:f${at % 10_000}`, relation: 'folder', object: `document:d${at}` }
    changes.push(put('relationship_tuple', `${tuple.subject}/folder/${tuple.object}`, tuple))
  }
  return changes
}

const role = (resource, name, permissions, granted_to) => ({
  resource,
  role: name,
  permissions,
  extends: [],
  granted_to,
})

function timed(run) {
  const start = performance.now()
  run()
  return performance.now() - start
}

async function took(run) {
  const start = performance.now()
  await run()
  return performance.now() - start
}

function sampled(rounds, run) {
  for (let round = 0; round < rounds / 10; round++) run() // warm
  return Array.from({ length: rounds }, () => timed(run))
}
