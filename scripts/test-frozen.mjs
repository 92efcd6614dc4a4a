// npm run test:frozen: a PDP with a limit of staleness, under load, through rounds in which it is frozen, its management
// API is killed or frozen, or both at once. Every answer is held against what was knowable when its question was sent:
// none may come from an image older than the limit, and no process may end. Prints figures; Linux only.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withServers } from '../bench/figures/servers.mjs'

const HELP = `Usage: npm run test:frozen [-- options]

  --rounds N     rounds with each number of workers, default 20; 4 have each kind once
  --workers LIST numbers of workers, default 1,2
  --limit S      the limit of staleness in seconds, default 3

Exit 0: no answer beyond the limit, and no process that ended. 1: otherwise. 2: a wrong argument.`

/** Milliseconds between two questions, and for how much longer than the limit a round lasts. */
const ASK_MS = 10
const BEYOND_MS = 1_500
const BACK_MS_MAX = 60_000
const KINDS = ['frozen, management killed', 'management killed', 'frozen, access revoked', 'management frozen']

/** Exit 2 on a wrong argument: nothing is started. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '20' },
        workers: { type: 'string', default: '1,2' },
        limit: { type: 'string', default: '3' },
        help: { type: 'boolean', default: false },
      },
    })
    const rounds = Number(values.rounds)
    const limitMs = Number(values.limit) * 1_000
    const workers = values.workers.split(',').map(Number)
    if (![rounds, ...workers].every((each) => Number.isSafeInteger(each) && each > 0) || !(limitMs >= 1_000))
      throw new Error('--rounds and --workers are whole numbers from 1, --limit a number from 1')
    return { rounds, workers, limitMs, help: values.help }
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`)
    process.exit(2)
  }
}

async function run({ rounds, workers, limitMs }) {
  let isRight = true
  for (const count of workers) {
    const { answers, undecided, beyond, exits } = await withServers((servers) =>
      runOne(servers, rounds, count, limitMs),
    )
    const figures = `${rounds} rounds, ${answers} answers, ${undecided} could not decide`
    console.log(
      `${count} worker${count === 1 ? '' : 's'}: ${figures}, ${beyond} answers beyond the limit, ${exits} exits`,
    )
    if (beyond > 0 || exits > 0 || answers === 0 || undecided === 0) isRight = false
  }
  return isRight ? 0 : 1
}

async function runOne(servers, rounds, workers, limitMs) {
  const management = await Management.start(servers)
  const { pdp, pid } = await servers.pdp(
    { api: management.port, key: management.key },
    { PDP_MAX_STALENESS: limitMs / 1_000, PDP_WORKERS: workers, PDP_DECISION_LOG: 'off' },
  )
  const load = new Load(pdp, management.key)
  const figures = { answers: 0, undecided: 0, beyond: 0, exits: 0 }
  for (let round = 0; round < rounds; round++) {
    await management.assign('POST')
    await load.until((answer) => answer.allow)
    const before = listProcessTree(pid)
    const asked = load.begin()
    const { deadline, isBeyond } = await go(KINDS[round % KINDS.length], { management, pids: before, limitMs })
    const answers = await load.end()
    for (const answer of asked.filter(({ status }) => status !== undefined)) {
      figures.answers++
      if (answer.status === 503) figures.undecided++
      if (answer.sentAt > deadline && isBeyond(answer)) figures.beyond++
    }
    if (answers < asked.length) throw new Error('questions were not answered')
    figures.exits += before.filter((each) => !listProcessTree(pid).includes(each)).length
    await management.back()
  }
  load.close()
  return figures
}

/** One round; returns from when on which answers are beyond the limit. */
async function go(kind, { management, pids, limitMs }) {
  const isAnswer = ({ status }) => status === 200
  const isAllowed = ({ allow }) => allow
  const isFrozen = kind.startsWith('frozen')
  if (isFrozen) signal(pids, 'SIGSTOP')
  if (kind.endsWith('killed')) await management.kill()
  else if (kind.endsWith('revoked')) await management.assign('DELETE')
  else management.freeze()
  const deadline = performance.now() + limitMs
  await pause(limitMs + BEYOND_MS / 2)
  if (isFrozen) signal(pids, 'SIGCONT')
  await pause(BEYOND_MS)
  return { deadline, isBeyond: kind.endsWith('revoked') ? isAllowed : isAnswer }
}

class Management {
  static async start(servers) {
    const { api, data, key, pid, stop } = await servers.api()
    await stop()
    const management = new Management(servers, api, data, key, pid)
    await management.#open()
    return management
  }

  constructor(servers, port, data, key) {
    Object.assign(this, { servers, port, data, key })
  }

  async #open() {
    this.child = this.servers.zerohop(['api', '--data', this.data], { ZEROHOP_API_PORT: this.port })
    await answered(async () => (await this.#scope()) === 200)
  }

  async #scope() {
    const headers = { authorization: `Bearer ${this.key}` }
    const answer = await fetch(`http://127.0.0.1:${this.port}/v2/api-key/scope`, { headers })
    await answer.arrayBuffer()
    return answer.status
  }

  async kill() {
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }

  freeze() {
    this.child.kill('SIGSTOP')
  }

  /** Alive again, whatever was done to it. */
  async back() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) await this.#open()
    else this.child.kill('SIGCONT')
  }

  /** Gives ben the role that the questions ask about, or takes it. */
  async assign(method) {
    const answer = await fetch(`http://127.0.0.1:${this.port}/v2/facts/default/development/role_assignments`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'ben', role: 'admin', tenant: 'default' }),
    })
    await answer.arrayBuffer()
    if (![200, 201, 204, 409].includes(answer.status))
      throw new Error(`the assignment was answered with ${answer.status}`)
  }
}

/** Questions at a steady pace, also while nobody answers: they then wait in the sockets of the PDP. */
class Load {
  #agent = new Agent({ keepAlive: true })
  #open = new Set()

  constructor(port, key) {
    Object.assign(this, { port, key })
  }

  /** Answers that satisfy. */
  async until(isRight) {
    await answered(async () => isRight(await this.#ask({})))
  }

  begin() {
    const asked = []
    this.timer = setInterval(() => {
      const answer = {}
      asked.push(answer)
      const done = this.#ask(answer).finally(() => this.#open.delete(done))
      this.#open.add(done)
    }, ASK_MS)
    this.asked = asked
    return asked
  }

  /** Resolves with the number of those that were answered. */
  async end() {
    clearInterval(this.timer)
    await Promise.all(this.#open)
    return this.asked.filter(({ status }) => status !== undefined).length
  }

  close() {
    this.#agent.destroy()
  }

  #ask(answer) {
    const body = JSON.stringify({ user: { key: 'ben' }, action: 'say', resource: { type: 'hello', tenant: 'default' } })
    const headers = {
      authorization: `Bearer ${this.key}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    return new Promise((resolve) => {
      const asking = request(
        { host: '127.0.0.1', port: this.port, path: '/allowed', method: 'POST', headers, agent: this.#agent },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => {
            Object.assign(answer, { status: response.statusCode, allow: text.startsWith('{"allow":true') })
            resolve(answer)
          })
          response.on('error', () => resolve(answer))
        },
      )
      asking.on('error', () => resolve(answer))
      answer.sentAt = performance.now()
      asking.end(body)
    })
  }
}

async function answered(isSo) {
  const until = performance.now() + BACK_MS_MAX
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > until) throw new Error(`nothing as expected within ${BACK_MS_MAX} ms`)
    await pause(50)
  }
}

/** The process and its children. */
function listProcessTree(pid) {
  const isChild = (name) => {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return (Number(parent) === pid || Number(name) === pid) && state !== 'Z'
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number)
}

function signal(pids, name) {
  for (const pid of pids) process.kill(pid, name)
}

const options = readOptions()
if (options.help) console.log(HELP)
else process.exitCode = await run(options)
