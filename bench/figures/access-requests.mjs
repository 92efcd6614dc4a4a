// Rows about access requests over HTTP: few that are open among very many that are not. Pages of the open ones, how many there
// are, and a decision.
import { median } from '../sampling.mjs'
import { pieces, using } from './api-million.mjs'
import { openLine, requestFor } from './load.mjs'
import { withServers } from './servers.mjs'

const CONNECTIONS = 64
const TENANTS = 10
const USERS_PER_CALL = 2_000
const APPROVER = 'approver'

export async function measureAccessRequests(results, { effort, progress }) {
  const { closed, open, rounds } = {
    full: { closed: 99_000, open: 1_000, rounds: 31 },
    quick: { closed: 9_000, open: 1_000, rounds: 9 },
    tiny: { closed: 40, open: 20, rounds: 2 },
  }[effort]
  await withServers(async (servers) => {
    const server = await servers.api()
    await using(server, async (api) => {
      await fill(api)
      progress(`access-requests: ${(closed + open).toLocaleString('en-US')} requests`)
      await askFor(api, server, { role: 'at-once', tenant: 'tenant-0', count: closed })
      for (let at = 0; at < TENANTS; at++)
        await askFor(api, server, { role: 'on-call', tenant: `tenant-${at}`, count: open / TENANTS })
      await measure(results, api, { closed, open, rounds })
    })
  })
}

/** Roles that are given at once, and roles that are decided on, and who decides. */
async function fill(api) {
  const requestable = { by: 'everybody', max_duration: 3_600, reason: 'optional' }
  await api.ask('POST', '$S/roles', { key: 'lead', name: 'Lead' })
  const role = (key, more) => api.ask('POST', '$S/roles', { key, name: key, requestable: { ...requestable, ...more } })
  await role('at-once', { approvers: ['lead'], auto: true, reason: 'required' })
  await role('on-call', { approvers: ['lead'] })
  const tenants = Array.from({ length: TENANTS }, (_, at) => ({ key: `tenant-${at}`, name: `Tenant ${at}` }))
  await api.ask('POST', '$F/bulk/tenants', { operations: tenants })
  await api.ask('POST', '$F/users', { key: APPROVER })
  await api.ask('POST', '$F/role_assignments', { user: APPROVER, role: 'lead', tenant: 'tenant-0' })
}

/** So many users each ask once for a role, over many connections. */
async function askFor(api, { api: port, facts, key }, { role, tenant, count }) {
  const name = (at) => `${role}-${tenant}-${at}`
  const bodies = function* () {
    for (const operations of pieces(count, USERS_PER_CALL, (at) => ({ key: name(at) }))) yield { operations }
  }
  await api.askAll('POST', '$F/bulk/users', bodies())
  const lines = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLine(port)))
  let next = 0
  try {
    await Promise.all(
      lines.map(async (line) => {
        while (next < count) {
          const body = JSON.stringify({ as: name(next++), role, tenant, duration: 60, reason: 'bench' })
          const request = requestFor('POST', `${facts}/access_requests`, key, body)
          const [status, text] = await new Promise((resolve) => line.ask(request, (...answer) => resolve(answer)))
          if (status !== 200) throw new Error(`a request for access was answered ${status}: ${text.slice(0, 200)}`)
        }
      }),
    )
  } finally {
    for (const { socket } of lines) socket.destroy()
  }
}

async function measure(results, api, { closed, open, rounds }) {
  const all = `${open.toLocaleString('en-US')} open of ${(closed + open).toLocaleString('en-US')} requests`
  const ofTenant = open / TENANTS
  const pages = [
    ['first page of the open ones', 'state=pending&per_page=30', open],
    ['their number, as the console asks for it', 'state=pending&per_page=1', open],
    ['those of a tenant', 'state=pending&tenant=tenant-3&per_page=30', ofTenant],
    ['those of a user', 'state=pending&user=on-call-tenant-3-1', 1],
    ['first page of all', 'per_page=30', open + closed],
  ]
  for (const [what, query, expected] of pages) {
    const took = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      const { total_count } = await api.ask('GET', `$F/access_requests?page=1&${query}`)
      took.push(performance.now() - start)
      if (total_count !== expected) throw new Error(`${query}: ${total_count} requests, not ${expected}`)
    }
    results.addFigure({ name: `access requests, ${what}, ${all}`, value: median(took), unit: 'ms' })
  }
  const { data } = await api.ask('GET', `$F/access_requests?page=1&state=pending&tenant=tenant-0&per_page=${rounds}`)
  const took = []
  for (const { id } of data.slice(0, Math.min(rounds, ofTenant))) {
    const start = performance.now()
    const { state } = await api.ask('POST', `$F/access_requests/${id}/approve`, { as: APPROVER })
    took.push(performance.now() - start)
    if (state !== 'approved') throw new Error(`an approved request is ${state}`)
  }
  results.addFigure({ name: `access requests, approving one, ${all}`, value: median(took), unit: 'ms' })
}
