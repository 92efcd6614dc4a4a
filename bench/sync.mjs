// A sync of a million rows, run twice: `npm run bench:sync`. Prints time and memory of the first run, which writes all of
// it, and of the second one, which has nothing to write. Linux only: memory is what the system counts for the process.
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
  await write('users.ndjson', USERS, (n) => ({ key: `user-${scatter(n, USERS)}`, email: `user-${n}@example.com` }))
  await write('roles.ndjson', ROLES, (n) => ({
    user: `user-${n % USERS}`,
    role: ['reader', 'editor', 'owner'][Math.floor(n / USERS) % 3],
    tenant: `tenant-${scatter(n, TENANTS)}`,
  }))
  const file =
    'sync: 1\nsource: { ndjson: {} }\nowner: app\nusers: { file: users.ndjson }\nrole_assignments: { file: roles.ndjson }\n'
  writeFileSync(join(folder, 'sync.yaml'), file)
  const env = { ...process.env, ZEROHOP_API: url, PDP_API_KEY: key }
  for (const what of ['first run, all written', 'second run, nothing changed']) {
    const { seconds, megabytes, last } = await measure(env)
    console.log(`${what}: ${seconds.toFixed(1)} s, ${megabytes} MB at most; ${last}`)
  }
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

async function measure(env) {
  const begun = performance.now()
  const child = spawn(process.execPath, [COMMAND, 'sync', 'apply', '--yes', '--force'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [out, kilobytes] = ['', 0]
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const poll = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      kilobytes = Math.max(kilobytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
    } catch {
      // it has ended
    }
  }, 100)
  await new Promise((resolve) => child.once('close', resolve))
  clearInterval(poll)
  const last = out.trimEnd().split('\n').at(-1)
  return { seconds: (performance.now() - begun) / 1000, megabytes: Math.round(kilobytes / 1024), last }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}
