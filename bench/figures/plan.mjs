// Rows of plans over HTTP: a server on an environment of a million facts says what a change would do, and does it,
// while another connection measures how long other requests of the management API wait.
import { readFileSync } from 'node:fs'
import {
  DOCUMENT_READER,
  DRAFTS,
  FACTS,
  factCalls,
  POLICY,
  tenantKey,
  userKey,
  worldChanges,
} from '../access-world.mjs'
import { median } from '../sampling.mjs'
import { pieces, using } from './api-million.mjs'
import { requestFor } from './load.mjs'
import { withServers } from './servers.mjs'

/** Of times in /proc, on every Linux that Node.js runs on. */
const TICK_MS = 10

export async function measurePlans(results, { effort, progress }) {
  const { users, rounds } = {
    full: { users: 100_000, rounds: 5 },
    quick: { users: 10_000, rounds: 2 },
    tiny: { users: 200, rounds: 1 },
  }[effort]
  const facts = worldChanges(users).filter(({ kind }) => FACTS.has(kind)).length
  const size = `${users.toLocaleString('en-US')} users, ${facts.toLocaleString('en-US')} facts`
  await withServers(async (servers) => {
    const filled = await servers.api()
    progress(`plan: ${facts.toLocaleString('en-US')} facts in bulk`)
    await using(filled, (api) => fill(api, users))
    await filled.stop()
    await measureOn(filled.data, servers, results, { users, rounds, size, progress })
  })
}

/** Two servers on a filled folder, one after the other: only the second one finds an image there to begin with. */
async function measureOn(data, servers, results, { users, rounds, size, progress }) {
  for (const ofStart of [firstCases(), cases(users)]) {
    const server = await servers.api(data)
    await using(server, (api) => measure(results, api, server, { cases: ofStart, rounds, size, progress }))
    await server.stop()
  }
}

/** Writes the world over the API. */
async function fill(api, users) {
  await api.ask('POST', '$E/apply', { policy: POLICY, prune: true, cascade: true })
  for (const { method, path, most, items } of factCalls(users)) {
    const isArray = path === '$F/role_assignments/bulk'
    const bodies = function* () {
      for (const operations of pieces(items.length, most, (at) => items[at]))
        yield isArray ? operations : { operations }
    }
    await api.askAll(method, path, bodies())
  }
}

async function measure(results, api, server, { cases, rounds, size, progress }) {
  const waits = new Waits(await api.pinger(), requestFor('GET', `${server.facts}/users/${userKey(1)}`, server.key, ''))
  const quiet = await waits.during(() => new Promise((resolve) => setTimeout(resolve, 2_000)))
  results.addFigure({
    name: `longest wait of a request while no plan is made, ${size}`,
    value: quiet.longest,
    unit: 'ms',
  })
  try {
    for (const { name, path = 'plan', body, before, check, most, times = rounds } of cases) {
      progress(`plan: ${name}`)
      const samples = []
      const waited = []
      const used = []
      for (let round = 0; round < times; round++) {
        await before?.(api, round)
        const usedBefore = processorMs(server)
        const { value, ms, longest: wait } = await waits.during(() => api.ask('POST', `$E/${path}`, body))
        const { users: gaining, complete } = value.access.gained
        const { users: losing } = value.access.lost
        const found = `${gaining} ${losing} ${complete}`
        if (found !== `${check.gained ?? 0} ${check.lost ?? 0} true`) throw new Error(`${name}: ${found}`)
        samples.push(ms)
        if (usedBefore !== undefined) used.push(processorMs(server) - usedBefore)
        waited.push(wait)
      }
      results.addFigure({ name: `${name}, ${size}`, value: median(samples), unit: 'ms', ...(most ? { most } : {}) })
      // what else the machine does is not in it
      if (used.length > 0)
        results.addFigure({ name: 'processor time of the server during that plan', value: median(used), unit: 'ms' })
      results.addFigure({
        name: `longest wait of another request during that plan${times === 1 ? '' : `, the least of ${times} rounds`}`,
        value: Math.min(...waited), // what else the machine does makes one longer now and then
        unit: 'ms',
        most: 50,
      })
    }
  } finally {
    waits.close()
  }
}

/** Milliseconds that all threads of a server were on a processor so far; undefined where the system does not say. */
function processorMs({ pid }) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
    return (Number(user) + Number(system)) * TICK_MS
  } catch {
    return undefined
  }
}

/** How long requests wait that another connection sends one after the other. */
class Waits {
  #line
  #request

  constructor(line, request) {
    this.#line = line
    this.#request = request
  }

  /** What the work returned, how long it took and the longest wait meanwhile, in ms. */
  async during(work) {
    let longest = 0
    let isOver = false
    const asking = (async () => {
      while (!isOver) {
        const start = performance.now()
        const status = await new Promise((resolve) => this.#line.ask(this.#request, resolve))
        if (status !== 200) throw new Error(`a request beside a plan was answered with ${status}`)
        longest = Math.max(longest, performance.now() - start)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })()
    const start = performance.now()
    const value = await work()
    const ms = performance.now() - start
    isOver = true
    await asking
    return { value, ms, longest }
  }

  close() {
    this.#line.socket.destroy()
  }
}

const update = (kind, key, value) => ({ changes: [{ op: 'update', kind, key, value }] })
const withRole = (key, fields) => ({
  policy: { ...POLICY, roles: POLICY.roles.map((role) => (role.key === key ? { ...role, ...fields } : role)) },
})

const lessOne = { changes: [{ op: 'delete', kind: 'role_assignment', key: `${userKey(0)}/member/${tenantKey(0)}` }] }

function firstCases() {
  return [
    {
      name: 'plan of an assignment less, where no image was ever made',
      body: lessOne,
      check: { lost: 1 },
      times: 1,
    },
  ]
}

/** The plans that are measured, in this order, with how many users gain and lose by each. */
function cases(users) {
  const rule = { user_set: 'member', permission: 'document:share', resource_set: 'document' }
  const wider = { ...DRAFTS.conditions, 'resource.state': { in: ['draft', 'new'] } }
  const reader = { permissions: ['document:read', 'document:share'], granted_to: DOCUMENT_READER.granted_to }
  const oneWrite = (api, round) => api.ask('POST', '$F/users', { key: `late-${round}` })
  const manyWrites = (api, round) =>
    api.ask('POST', '$F/bulk/users', {
      operations: Array.from({ length: 3_000 }, (_, at) => ({ key: `l${round}-${at}` })),
    })
  return [
    {
      name: 'plan of an assignment less, the first after a start',
      body: lessOne,
      check: { lost: 1 },
      most: 1_000,
      times: 1,
    },
    { name: 'plan of an assignment less, once more', body: lessOne, check: { lost: 1 }, most: 100 },
    { name: 'plan of the policy as it is', body: { policy: POLICY, prune: true }, check: {}, most: 100 },
    {
      name: 'plan of an assignment less, one revision later',
      body: lessOne,
      before: oneWrite,
      check: { lost: 1 },
      most: 100,
    },
    { name: 'plan of an assignment less, 3,000 users later', body: lessOne, before: manyWrites, check: { lost: 1 } },
    {
      name: 'plan of a renamed description',
      body: update('role', 'member', { description: 'members' }),
      check: {},
      most: 10,
    },
    {
      name: 'plan of a permission more for a role of all users, in one tenant each',
      body: withRole('member', { permissions: ['document:read', 'document:write'] }),
      check: { gained: users },
      most: 1_000,
    },
    {
      name: 'plan of a permission more for a role of all users, in two tenants each',
      body: withRole('guest', { permissions: ['folder:open', 'document:share'] }),
      check: { gained: users },
      most: 2_000,
    },
    {
      name: 'plan of a permission more for a role derived on documents',
      body: update('resource_role', 'document/reader', reader),
      check: { gained: users },
    },
    {
      name: 'plan of a set rule for a role of all users',
      body: { changes: [{ op: 'create', kind: 'set_rule', key: '', value: rule }] },
      check: { gained: users },
    },
    {
      name: 'plan of another condition for the resources of a rule that all users have',
      body: update('condition_set', 'drafts', { conditions: wider }),
      check: {},
      most: 3_000,
    },
    {
      name: 'apply of a permission more for a role of all users, in one tenant each',
      path: 'apply',
      body: withRole('member', { permissions: ['document:read', 'document:write'] }),
      check: { gained: users },
      times: 1,
    },
  ]
}
