// A sync of a million rows, run three times: `npm run bench:sync`. Prints time and memory of the first run, which writes all
// of it, of one that has nothing to write, and of one in which every hundredth row has changed. Linux only: memory is what the
// system counts for the processes.
import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const USERS = Number(process.argv[2] ?? 300_000)
const ROLES = Number(process.argv[3] ?? 700_000)
const COMMAND = join(import.meta.dirname, '../dist/bundle/zerohop.js')
const TENANTS = 1_000
/** What a million rows may take, and how long a run of them that has nothing to write. */
const MEGABYTES_MAX = 300
const UNCHANGED_SECONDS_MAX = 60

const folder = mkdtempSync(join(tmpdir(), 'zerohop-bench-sync-'))
const [api, pdp] = [await freePort(), await freePort()]
const server = spawn(process.execPath, [COMMAND, 'serve', '--no-example', '--data', join(folder, 'data')], {
  env: { ...process.env, ZEROHOP_API_PORT: api, PDP_PORT: pdp, ZEROHOP_CONSOLE: 'off' },
  stdio: 'ignore',
})
try {
  const url = `http://127.0.0.1:${api}`
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) await pause(100)
  const key = JSON.parse(readFileSync(join(folder, 'data/keys.json'), 'utf8')).environments.development
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const tenants = Array.from({ length: TENANTS }, (_, n) => ({ key: `tenant-${n}` }))
  const policy = { zerohop: 2, roles: ['reader', 'editor', 'owner'].map((role) => ({ key: role })), tenants }
  const body = JSON.stringify({ policy })
  const applied = await fetch(`${url}/v2/projects/default/envs/development/apply`, { method: 'POST', headers, body })
  if (!applied.ok) throw new Error(await applied.text())
  await writeRows(0)
  const file =
    'sync: 1\nsource: { ndjson: {} }\nowner: app\nusers: { file: users.ndjson }\nrole_assignments: { file: roles.ndjson }\n'
  writeFileSync(join(folder, 'sync.yaml'), file)
  const env = { ...process.env, ZEROHOP_API: url, PDP_API_KEY: key }
  await measure('all written', env)
  await measure('nothing changed', env, UNCHANGED_SECONDS_MAX)
  await writeRows(100)
  await measure('every hundredth row changed', env)
} finally {
  server.kill('SIGTERM')
  await new Promise((resolve) => server.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
}

/** Neighbours of a list are not neighbours in the order of keys. */
function scatter(n, count) {
  return (n * 7_919) % count
}

async function write(name, count, row) {
  const out = createWriteStream(join(folder, name))
  for (let n = 0; n < count; n++)
    if (!out.write(`${JSON.stringify(row(n))}\n`)) await new Promise((resolve) => out.once('drain', resolve))
  await new Promise((resolve) => out.end(resolve))
}

/** @param every how many rows one of them is another one than in the first run; 0: none is */
async function writeRows(every) {
  const isChanged = (n) => every > 0 && n % every === 0
  await write('users.ndjson', USERS, (n) => ({
    key: `user-${scatter(n, USERS)}`,
    email: `user-${n}@${isChanged(n) ? 'changed' : 'example'}.com`,
  }))
  await write('roles.ndjson', ROLES, (n) => ({
    user: `user-${n % USERS}`,
    role: ['reader', 'editor', 'owner'][Math.floor(n / USERS) % 3],
    tenant: `tenant-${scatter(isChanged(n) ? n + 1 : n, TENANTS)}`,
  }))
}

/** Runs the command, and prints what it and the server took. */
async function measure(what, env, secondsMax = Number.POSITIVE_INFINITY) {
  const begun = performance.now()
  const before = readUse(server.pid)
  const child = spawn(process.execPath, [COMMAND, 'sync', 'apply', '--yes', '--force', '--allow-deletes', '1000000'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const most = { command: 0, server: 0, seconds: 0 }
  const poll = setInterval(() => {
    const [of, by] = [readUse(child.pid), readUse(server.pid)]
    most.command = Math.max(most.command, of?.megabytes ?? 0)
    most.seconds = Math.max(most.seconds, of?.seconds ?? 0)
    most.server = Math.max(most.server, by?.own ?? 0)
  }, 100)
  await new Promise((resolve) => child.once('close', resolve))
  clearInterval(poll)
  const seconds = (performance.now() - begun) / 1000
  const last = out.trimEnd().split('\n').at(-1)
  if (most.command > MEGABYTES_MAX || seconds > secondsMax) {
    console.log(`above the limits of ${MEGABYTES_MAX} MB and ${secondsMax} s`)
    process.exitCode = 1
  }
  const used = readUse(server.pid).seconds - before.seconds
  console.log(`${what}: ${seconds.toFixed(1)} s; ${last}`)
  console.log(`  command: ${most.seconds.toFixed(1)} s of processor time, ${most.command.toFixed(0)} MB at most`)
  console.log(
    `  server: ${used.toFixed(1)} s of processor time, ${most.server.toFixed(0)} MB at most without its data file`,
  )
}

/** undefined of a process that has ended */
function readUse(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
    const times = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    const seconds = (Number(times[11]) + Number(times[12])) / 100
    return { megabytes: kilobytes('VmHWM') / 1024, own: kilobytes('RssAnon') / 1024, seconds }
  } catch {
    return undefined
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}
