// Starts and stops what the HTTP rows measure: zerohop processes on folders of their own, and the bare server beside
// them.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const START_MS_MAX = 30_000

/** Everything started within `use` is stopped and every folder removed when it ends. */
export async function withServers(use) {
  const servers = new Servers()
  try {
    return await use(servers)
  } finally {
    servers.close()
  }
}

class Servers {
  #processes = []
  #folders = []

  constructor() {
    process.once('exit', () => this.close())
  }

  folder() {
    const folder = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
    this.#folders.push(folder)
    return folder
  }

  /** `zerohop serve` on a new folder: management API and PDP in one process, with the example policy. */
  async serve(variables = {}) {
    const data = this.folder()
    const [api, pdp] = [await freePort(), await freePort()]
    this.zerohop(['serve', '--data', data], {
      ZEROHOP_API_PORT: api,
      PDP_PORT: pdp,
      PDP_DECISION_LOG: 'off',
      ...variables,
    })
    await ready(`http://127.0.0.1:${pdp}/ready`)
    return { api, pdp, data, ...(await keysIn(data, api)) }
  }

  /** `zerohop api`, on a new folder unless one is given. `stop` ends it as an operator would. */
  async api(data = this.folder(), env = {}) {
    const api = await freePort()
    const child = this.zerohop(['api', '--data', data], { ZEROHOP_API_PORT: api, ...env })
    await ready(`http://127.0.0.1:${api}/v2/api-key/scope`, [200, 401])
    const stop = () => {
      child.kill('SIGTERM')
      return once(child, 'exit')
    }
    return { api, pid: child.pid, data, stop, ...(await keysIn(data, api)) }
  }

  /** The management API on a new folder, with one more route that does all but write. */
  async apiWithUnwritten() {
    const data = this.folder()
    const { port } = await this.module('./unwritten-server.mjs', [data])
    return { api: port, data, ...(await keysIn(data, port)) }
  }

  /** `zerohop pdp` in a process of its own that follows the management API at `api`. */
  async pdp({ api, key }, env = {}) {
    const pdp = await freePort()
    const started = performance.now()
    const child = this.zerohop(['pdp'], {
      PDP_PORT: pdp,
      PDP_API_KEY: key,
      PDP_CONTROL_PLANE: `http://127.0.0.1:${api}`,
      PDP_OFFLINE_MODE_BACKUP_DIR: this.folder(),
      ZEROHOP_DATA: this.folder(),
      ...env,
    })
    await ready(`http://127.0.0.1:${pdp}/ready`, [200], 2)
    return { pdp, pid: child.pid, startMs: performance.now() - started, stop: () => child.kill('SIGKILL') }
  }

  zerohop(args, env) {
    return this.#start(process.execPath, [COMMAND, ...args], env)
  }

  /** A command of `zerohop` against a server, to its end. */
  async command({ api, key }, args) {
    const env = { PDP_API_KEY: key, ZEROHOP_API: `http://127.0.0.1:${api}` }
    const [code] = await once(this.zerohop(args, env), 'exit')
    if (code !== 0) throw new Error(`zerohop ${args.join(' ')} ended with ${code}`)
  }

  npm(args, env) {
    return this.#start('npm', args, env)
  }

  #start(command, args, env) {
    const texts = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ZEROHOP_DRAIN_SECONDS: '0', ...texts },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-2000)
    })
    child.on('exit', (code, signal) => {
      if (code || signal === 'SIGABRT')
        process.stderr.write(`${command} ${args.join(' ')} ended with ${code ?? signal}: ${errors}\n`)
    })
    this.#processes.push(child)
    return child
  }

  /** A module of the bench as a server; its first message names the port. */
  async module(file, args = []) {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#processes.push(child)
    return new Promise((resolve, reject) => {
      child.once('message', ({ port }) => resolve({ port, child }))
      child.once('exit', () => reject(new Error(`${file} ended before it was ready`)))
    })
  }

  /** Also when the run is broken off: no server and no folder may stay behind. */
  close() {
    for (const child of this.#processes) child.kill('SIGKILL')
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function keysIn(data, api) {
  const { environments } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
  const key = environments.development
  const scope = await (
    await fetch(`http://127.0.0.1:${api}/v2/api-key/scope`, { headers: { authorization: `Bearer ${key}` } })
  ).json()
  return {
    key,
    facts: `/v2/facts/${scope.project_id}/${scope.environment_id}`,
    schema: `/v2/schema/${scope.project_id}/${scope.environment_id}`,
    environment: `/v2/projects/${scope.project_id}/envs/${scope.environment_id}`,
  }
}

/** Processor time of all processes that answer at the port, in seconds; with a token of the operator where one is needed. */
export async function readSeconds(port, token = '') {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
  const found = /^process_cpu_seconds_total ([\d.e+-]+)$/m.exec(text)
  if (found === null) throw new Error(`no processor time at /metrics: ${text.slice(0, 200)}`)
  return Number(found[1])
}

/** The same of bare-server.mjs. */
export async function askSeconds(child) {
  child.send('processor time')
  const [{ seconds }] = await once(child, 'message')
  return seconds
}

export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function ready(url, statuses = [200], everyMs = 20) {
  const end = performance.now() + START_MS_MAX
  while (performance.now() < end) {
    const status = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (statuses.includes(status)) return
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  throw new Error(`${new URL(url).pathname} was not ready in ${START_MS_MAX / 1000} s`)
}

/**
 * The resident memory of a process in MB; undefined where the system does not tell it. The file of LMDB is mapped, so pages of it that were read or written count until the system wants them back.
 */
export function findMemory({ pid }) {
  let status
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return undefined
  }
  const megabytes = (field) => (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6
  return { all: megabytes('VmRSS'), own: megabytes('RssAnon') }
}
