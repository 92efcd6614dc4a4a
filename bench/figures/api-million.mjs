// Management rows with a million users: import in bulk, deep pages, search beside the event loop, and the memory of the
// process. The process is `zerohop api` on a disk; it is only used over HTTP, except for its memory, which is read from
// the system.
import { median } from '../sampling.mjs'
import { openLine, requestFor } from './load.mjs'
import { findMemory, withServers } from './servers.mjs'

/** The contract's limits of one call. */
const USERS_PER_CALL = 3_000
export const ASSIGNMENTS_PER_CALL = 2_000
/** Concurrent calls. */
const IMPORTERS = 4
const ROWS = 100
const TENANT = 'crowded'

export async function measureMillion(results, { effort, progress }) {
  const plan = {
    full: { users: 1_000_000, rounds: 31 },
    quick: { users: 100_000, rounds: 15 },
    tiny: { users: 600, rounds: 2 },
  }[effort]
  await withServers(async (servers) => {
    const first = await servers.api()
    await using(first, async (api) => {
      progress(`api: ${plan.users.toLocaleString('en-US')} users in bulk`)
      await measureImport(results, api, plan)
      const imported = findMemory(first)
      if (imported)
        results.addFigure({ name: 'RSS after the import, mapped data file included', value: imported.all, unit: 'MB' })
    })
    await first.stop()
    const server = await servers.api(first.data)
    await using(server, async (api) => {
      progress('api: deep pages')
      await measurePages(results, api, plan)
      progress('api: search')
      await measureSearch(results, api, plan)
      measureMemory(results, server, plan)
    })
  })
}

/** Opens connections to the API of a server for `work`, and closes them. */
export async function using(server, work) {
  const api = await Caller.open(server)
  try {
    await work(api)
  } finally {
    api.close()
  }
}

/** Connections to the API, each asking one thing at a time. */
class Caller {
  #server
  #lines

  static async open(server) {
    const caller = new Caller()
    caller.#server = server
    caller.#lines = await Promise.all(Array.from({ length: IMPORTERS }, () => openLine(server.api)))
    return caller
  }

  /**
   * Answers as JSON; anything but 2xx ends the run. `$S` and `$F` stand for schema and facts of the environment, `$E`
   * for the environment itself.
   */
  async ask(method, path, body, line = this.#lines[0]) {
    const { schema, facts, environment, key } = this.#server
    const url = path.replace('$S', schema).replace('$F', facts).replace('$E', environment)
    const request = requestFor(method, url, key, body === undefined ? '' : JSON.stringify(body))
    const [status, text] = await new Promise((resolve) => line.ask(request, (...answer) => resolve(answer)))
    if (status < 200 || status > 299) throw new Error(`${method} ${url} answered ${status}: ${text.slice(0, 200)}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Sends every item of `bodies`, over all connections. */
  async askAll(method, path, bodies) {
    const rest = bodies[Symbol.iterator]()
    await Promise.all(
      this.#lines.map(async (line) => {
        for (let next = rest.next(); !next.done; next = rest.next()) await this.ask(method, path, next.value, line)
      }),
    )
  }

  /** Another connection, which only measures whether the event loop responds. */
  pinger() {
    return openLine(this.#server.api)
  }

  close() {
    for (const { socket } of this.#lines) socket.destroy()
  }
}

const userKey = (at) => `user-${String(at).padStart(7, '0')}`

export function* pieces(total, size, item) {
  for (let from = 0; from < total; from += size) {
    yield Array.from({ length: Math.min(size, total - from) }, (_, at) => item(from + at))
  }
}

async function measureImport(results, api, { users }) {
  await api.ask('POST', '$S/resources', { key: 'thing', name: 'thing', actions: { see: {} } })
  await api.ask('POST', '$S/roles', { key: 'seer', name: 'seer', permissions: ['thing:see'] })
  await api.ask('POST', '$F/tenants', { key: TENANT, name: TENANT })
  const count = users.toLocaleString('en-US')
  const operations = function* () {
    for (const piece of pieces(users, USERS_PER_CALL, (at) => ({ key: userKey(at) }))) yield { operations: piece }
  }
  const rate = await perSecond(users, () => api.askAll('POST', '$F/bulk/users', operations()))
  results.addFigure({
    name: `import of ${count} users by bulk calls of ${USERS_PER_CALL.toLocaleString('en-US')}`,
    value: rate,
    unit: 'users/s',
    least: 20_000,
  })
  const given = pieces(users, ASSIGNMENTS_PER_CALL, (at) => ({ user: userKey(at), role: 'seer', tenant: TENANT }))
  const assigned = await perSecond(users, () => api.askAll('POST', '$F/role_assignments/bulk', given))
  results.addFigure({
    name: `import of ${count} role assignments by bulk calls of ${ASSIGNMENTS_PER_CALL.toLocaleString('en-US')}`,
    value: assigned,
    unit: 'assignments/s',
  })
}

async function perSecond(items, work) {
  const start = performance.now()
  await work()
  return items / ((performance.now() - start) / 1000)
}

async function measurePages(results, api, { users, rounds }) {
  const deep = Math.min(1_000, Math.ceil(users / ROWS))
  const lists = [
    ['all users', '$F/users?'],
    ['users with a role', '$F/users?role=seer&'],
    ['users of a tenant', `$F/tenants/${TENANT}/users?`],
  ]
  for (const [name, path] of lists) {
    const times = { first: [], deep: [] }
    const ask = async (page) => {
      const start = performance.now()
      const { data } = await api.ask('GET', `${path}page=${page}&per_page=${ROWS}`)
      const ms = performance.now() - start
      if (data.length !== ROWS) throw new Error(`page ${page} of ${name} has ${data.length} rows`)
      return ms
    }
    for (let round = 0; round < rounds; round++) {
      times.first.push(await ask(1))
      times.deep.push(await ask(deep))
    }
    const what = `page ${deep.toLocaleString('en-US')} of ${users.toLocaleString('en-US')} rows, ${name}`
    results.addFigure({
      name: what,
      value: median(times.deep),
      unit: 'ms',
      peer: `page 1, ${median(times.first).toPrecision(2)} ms`,
      ratio: median(times.deep) / median(times.first),
      most: 10,
    })
    const longest = findBest(5, times.deep, (part) => Math.max(...part))
    results.addFigure({ name: `${what}, the longest, best of 5 rounds`, value: longest, unit: 'ms', most: 10 })
  }
}

/** The least result of `measure` over the parts of the samples, to exclude load of other processes. */
function findBest(parts, samples, measure) {
  const size = Math.ceil(samples.length / parts)
  const rounds = Array.from({ length: Math.ceil(samples.length / size) }, (_, at) =>
    samples.slice(at * size, (at + 1) * size),
  )
  return Math.min(...rounds.map(measure))
}

/** A search in the texts of every row, while another connection measures whether the event loop responds. */
async function measureSearch(results, api, { users, rounds }) {
  const times = []
  const longest = await measureLongestWait(api, async () => {
    for (let round = 0; round < Math.min(5, rounds); round++) {
      const start = performance.now()
      await api.ask('GET', '$F/users?search=no-such-user')
      times.push(performance.now() - start)
    }
  })
  const what = `search over ${users.toLocaleString('en-US')} users that finds none`
  results.addFigure({ name: what, value: median(times), unit: 'ms', most: 300 })
  results.addFigure({
    name: `longest wait of another request during that search`,
    value: longest,
    unit: 'ms',
    most: 20,
  })
}

/** How long another connection waits at most for `/health` while `work` runs, in ms. */
export async function measureLongestWait(api, work) {
  const pinger = await api.pinger()
  const ping = requestFor('GET', '/health', '', '')
  let longest = 0
  let isWorking = true
  const pinging = (async () => {
    while (isWorking) {
      const start = performance.now()
      await new Promise((resolve) => pinger.ask(ping, resolve))
      longest = Math.max(longest, performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  })()
  try {
    await work()
  } finally {
    isWorking = false
    await pinging
    pinger.socket.destroy()
  }
  return longest
}

/** The memory of a freshly started process after those pages and searches. */
function measureMemory(results, server, { users }) {
  const memory = findMemory(server)
  if (memory === undefined) {
    results.note('the memory of the API was not measured: only Linux tells it')
    return
  }
  const count = users.toLocaleString('en-US')
  const name = `RSS of the API with ${count} users and ${count} assignments, after pages and searches`
  results.addFigure({ name, value: memory.all, unit: 'MB', most: 600 })
  results.addFigure({ name: 'of that: its own memory, without the mapped data file', value: memory.own, unit: 'MB' })
}
