// Start rows: the time from starting a process to its first answer. Only the page cache is warm.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../sampling.mjs'
import { freePort, withServers } from './servers.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COMMAND = join(ROOT, 'dist/bundle/zerohop.js')
const DOOR = new URL('../../dist/bundle/index.js', import.meta.url).href
const FASTIFY = fileURLToPath(new URL('./bare-fastify.mjs', import.meta.url))
const POLL_MS = 2
/**
 * npm does not tell its child to end: the server sees that it is alone, and gives the folder back, within this time.
 */
const NPM_END_MS = 1_000
const ANSWER_MS_MAX = 30_000
const CHECK = JSON.stringify({
  user: { key: 'ana' },
  action: 'say',
  resource: { type: 'hello', tenant: 'default' },
})

export async function measureStart(results, { effort, progress }) {
  const rounds = { full: 15, quick: 3, tiny: 1 }[effort]
  /** Rounds of each alternate, so that other work on the machine is in all of them. */
  const measure = async (measured, [peer, beside], rows) => {
    const besides = []
    const values = rows.map(() => [])
    for (let round = 0; round < rounds; round++) {
      besides.push(await beside())
      for (const [at, { run }] of rows.entries()) values[at].push(await run())
    }
    for (const [at, { name, most }] of rows.entries())
      results.addFigure({
        name: `${name}, ${measured}`,
        value: median(values[at]),
        unit: 'ms',
        peer: `${peer}, ${median(besides).toPrecision(3)} ms`,
        ratio: median(values[at].map((value, round) => value / besides[round])),
        most,
      })
  }
  progress('start: commands and the library')
  const script = (text) => run(['--input-type=module', '-e', text])
  await measure(
    'whole process',
    ['a Node process that does nothing', () => script('')],
    [
      { name: 'zerohop --help', run: () => run([COMMAND, '--help']), most: 1.8 },
      { name: "import 'zerohop'", run: () => script(`import ${JSON.stringify(DOOR)}`), most: 1.8 },
    ],
  )
  await withServers(async (servers) => {
    progress('start: servers to their first check')
    const { data, image, key } = await prepare(servers)
    const check = (args, env) => () => firstCheck(servers, args, key, env)
    const rows = [
      { name: 'zerohop serve on an existing folder', run: check(['serve', '--data', data]), most: 3 },
      { name: 'zerohop pdp --image', run: check(['pdp', '--image', image], { PDP_API_KEY: key }), most: 1.8 },
    ]
    // A tiny run is part of the tests, which must never build. npm alone takes about as long as both servers.
    if (effort !== 'tiny')
      rows.push({ name: 'npm start with nothing to build', run: check(['start'], { ZEROHOP_DATA: data }), most: 10 })
    await measure('start to first check', ['Fastify alone', () => firstAnswerOfFastify(key)], rows)
  })
}

/** Milliseconds of a whole process. */
async function run(args) {
  const begun = performance.now()
  const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`)
  return performance.now() - begun
}

/** A folder with the example policy, not in use by a process, its image, and the key of the environment. */
async function prepare(servers) {
  const data = servers.folder()
  const [api, pdp] = [await freePort(), await freePort()]
  const child = servers.zerohop(['serve', '--data', data], { ZEROHOP_API_PORT: api, PDP_PORT: pdp })
  const end = performance.now() + ANSWER_MS_MAX
  while (!existsSync(join(data, 'keys.json'))) {
    if (performance.now() > end) throw new Error(`no keys within ${ANSWER_MS_MAX / 1000} s`)
    await pause(POLL_MS)
  }
  const key = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')).environments.development
  await allowed(pdp, key)
  const image = join(data, 'policy.image')
  const plane = { PDP_API_KEY: key, PDP_CONTROL_PLANE: `http://127.0.0.1:${api}` }
  const [code] = await once(servers.zerohop(['image', 'pull', image], plane), 'exit')
  if (code !== 0) throw new Error('the image could not be fetched')
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { data, image, key }
}

/** Milliseconds from starting a server to its first right answer; `start` is npm's. */
async function firstCheck(servers, args, key, env = {}) {
  const [api, pdp] = [await freePort(), await freePort()]
  const ports = { ZEROHOP_API_PORT: api, PDP_PORT: pdp, ...env }
  const begun = performance.now()
  const child = args[0] === 'start' ? servers.npm(args, ports) : servers.zerohop(args, ports)
  await allowed(pdp, key)
  const ms = performance.now() - begun
  child.kill('SIGTERM')
  await once(child, 'exit')
  if (args[0] === 'start') await pause(NPM_END_MS)
  return ms
}

/** Milliseconds from starting a process that does nothing but listen, with Fastify, to its first answer. */
async function firstAnswerOfFastify(key) {
  const port = await freePort()
  const begun = performance.now()
  const child = spawn(process.execPath, [FASTIFY], { stdio: 'ignore', env: { ...process.env, PORT: String(port) } })
  await allowed(port, key)
  const ms = performance.now() - begun
  child.kill('SIGKILL')
  await once(child, 'exit')
  return ms
}

/** Repeats the check until it is allowed. */
async function allowed(port, key) {
  const end = performance.now() + ANSWER_MS_MAX
  while (!(await ask(port, key))) {
    if (performance.now() > end) throw new Error(`no answer within ${ANSWER_MS_MAX / 1000} s`)
    await pause(POLL_MS)
  }
}

function ask(port, key) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': CHECK.length,
  }
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/allowed', method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(text.includes('"allow":true')))
    })
    asked.on('error', () => resolve(false))
    asked.end(CHECK)
  })
}
