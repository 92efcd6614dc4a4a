// Rows about last uses over HTTP: where a million decisions were recorded, how long it takes to say when role assignments,
// permissions and users were last used.
import { randomBytes } from 'node:crypto'
import { formatLine } from '../../dist/src/client/decision-record.js'
import { FolderAuditLog } from '../../dist/src/decision-log/folder-audit-log.js'
import { median } from '../sampling.mjs'
import { pieces, using } from './api-million.mjs'
import { withServers } from './servers.mjs'

/** How many times as long as reading 300 KB of JSON one question may take: less than 20 ms where that takes 1.8. */
const RATIO_MAX = 10
const ACTIONS = Array.from({ length: 20 }, (_, at) => `action-${at}`)
const TENANTS = 100
const LINES_PER_BATCH = 30_000
const USERS_PER_CALL = 2_000

const userKey = (at) => `user-${at}`
const tenantKey = (at) => `tenant-${at % TENANTS}`

export async function measureLastUsed(results, { effort, progress }) {
  const { decisions, users, rounds } = {
    full: { decisions: 1_000_000, users: 10_000, rounds: 31 },
    quick: { decisions: 100_000, users: 10_000, rounds: 9 },
    tiny: { decisions: 400, users: 40, rounds: 2 },
  }[effort]
  await withServers(async (servers) => {
    const first = await servers.api()
    let environment
    await using(first, async (api) => {
      await fill(api, users)
      environment = (await api.ask('GET', '/v2/api-key/scope')).environment_id
    })
    await first.stop()
    progress(`last-used: ${decisions.toLocaleString('en-US')} decisions are recorded`)
    const last = await record(first.data, environment, { decisions, users })
    const server = await servers.api(first.data)
    await using(server, (api) => measure(results, api, { last, rounds, decisions, users }))
  })
}

async function fill(api, users) {
  const actions = Object.fromEntries(ACTIONS.map((key) => [key, {}]))
  await api.ask('POST', '$S/resources', { key: 'ledger', name: 'Ledger', actions })
  const permissions = ACTIONS.map((action) => `ledger:${action}`)
  await api.ask('POST', '$S/roles', { key: 'bookkeeper', name: 'Bookkeeper', permissions })
  const tenants = Array.from({ length: TENANTS }, (_, at) => ({ key: tenantKey(at), name: tenantKey(at) }))
  await api.ask('POST', '$F/bulk/tenants', { operations: tenants })
  await api.askAll(
    'POST',
    '$F/bulk/users',
    (function* () {
      for (const operations of pieces(users, USERS_PER_CALL, (at) => ({ key: userKey(at) }))) yield { operations }
    })(),
  )
  const assignment = (at) => ({ user: userKey(at), role: 'bookkeeper', tenant: tenantKey(at) })
  await api.askAll('POST', '$F/role_assignments/bulk', pieces(users, USERS_PER_CALL, assignment))
}

/** Records decisions of each user in turn, of the last weeks. @returns the instant of the newest of each user */
async function record(data, environment, { decisions, users }) {
  const log = new FolderAuditLog(data)
  const instance = randomBytes(16).toString('hex')
  const apiKey = randomBytes(16).toString('hex')
  const [now, last] = [Date.now(), new Map()]
  const line = (seq) => {
    const user = (seq * 7_919) % users
    const at = now - (decisions - seq) * 1_000
    last.set(userKey(user), at)
    const asked = { tenant: tenantKey(user), action: ACTIONS[seq % ACTIONS.length], resourceType: 'ledger' }
    const found = { allow: true, reason: undefined, micros: 10, revision: 1, sent: undefined, now: undefined }
    const sent = { request: `r-${seq}`, resourceKey: null, isTenantSent: true, omitted: [] }
    const whole = { at, environment, apiKey, user: userKey(user), ...asked, ...found, ...sent }
    return `{"instance":"${instance}","seq":${seq}${formatLine(whole, 0)}`
  }
  try {
    for (let from = 1; from <= decisions; from += LINES_PER_BATCH) {
      const count = Math.min(LINES_PER_BATCH, decisions - from + 1)
      const lines = Array.from({ length: count }, (_, at) => line(from + at)).join('')
      const { stored } = await log.append({ lines: Buffer.from(lines), isCompressed: false })
      if (stored !== count) throw new Error(`${stored} of ${count} records were stored`)
    }
  } finally {
    await log.close()
  }
  return last
}

async function measure(results, api, { last, rounds, decisions, users }) {
  const user = userKey(7)
  const uses = '$F/last_used'
  const questions = [
    ['a role of one user', `${uses}/role_assignments?user=${user}&role=bookkeeper`, 1],
    ['the 20 permissions of a type', `${uses}/permissions?resource=ledger`, ACTIONS.length],
    ['one user', `${uses}/users?user=${user}`, 1],
    ['100 role assignments', `${uses}/role_assignments?role=bookkeeper&limit=100`, Math.min(users, 100)],
    ['what was unused for 30 days, of one user', `${uses}/role_assignments?user=${user}&unused_for=30d`, 0],
  ]
  for (const [what, path, rows] of questions) {
    const took = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      const { data } = await api.ask('GET', path)
      took.push(performance.now() - start)
      if (data.length !== rows) throw new Error(`${path}: ${data.length} rows, not ${rows}`)
      for (const row of data.filter((each) => each.user !== undefined)) {
        const at = last.get(row.user.key ?? row.user)
        if (Date.parse(row.last_used) !== at)
          throw new Error(`${path}: ${row.last_used} is not ${new Date(at).toISOString()}`)
      }
    }
    results.addFigure({
      name: `last use of ${what}, ${decisions.toLocaleString('en-US')} decisions`,
      ...{ value: median(took), unit: 'ms', most: decisions >= 1_000_000 ? RATIO_MAX : undefined },
    })
  }
}
