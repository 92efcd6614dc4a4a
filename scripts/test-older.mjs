// Builds an older version out of the history, and runs its programs beside those of this one: npm run test:older
// -- [--commit 27983b98] [--keep FOLDER]
//   --commit   the older version; default: the last one before grants for a time
//   --keep     builds it there, or uses what was built there
// An older PDP follows an environment that has nothing it does not know, and refuses one that has, instead of deciding
// without it; an older server refuses such a folder, and opens the others. It needs the history: without it
// nothing is run, and it says so. Exit code 1 when something went wrong.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FEATURES } from './older/features.mjs'

const { values } = parseArgs({
  options: { commit: { type: 'string', default: '27983b988e41' }, keep: { type: 'string' } },
})
const ROOT = join(import.meta.dirname, '..')
const PROGRAM = 'dist/bundle/zerohop.js'
const PATIENCE_MS = 60_000
const STEP_MS = 100
const folder = mkdtempSync(join(tmpdir(), 'zerohop-older-'))
const children = new Set()
const programs = []

try {
  const older = buildOlder(values.keep ?? join(folder, 'version'))
  if (older === undefined) console.log(`skipped: the history of this checkout has no commit ${values.commit}`)
  else await compare(older)
} catch (error) {
  for (const { output } of programs) console.error(output())
  console.error(error.message)
  process.exitCode = 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function compare(older) {
  const data = join(folder, 'data')
  const plain = join(folder, 'plain')
  const server = start(ROOT, ['api', '--no-example'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0' })
  const url = await server.address()
  const key = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')).organization
  const api = caller(url, key)
  const environments = []
  for (const feature of [undefined, ...FEATURES]) environments.push(await openEnvironment(api, feature))
  const pdps = environments.map(({ secret }) => startPdp(older, secret, url))
  for (const [at, environment] of environments.entries()) {
    const pdp = await pdps[at].ask()
    await eventually(() => pdp.isAllowed('ana'), `${environment.name}: an older PDP answers`)
  }
  await server.stop()
  cpSync(data, plain, { recursive: true })
  console.log(`an older PDP follows ${environments.length} environments that have nothing new`)

  const again = start(ROOT, ['api'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: new URL(url).port })
  await again.address()
  for (const environment of environments) {
    await environment.feature?.bring(environment.facts)
    await environment.assign('ben')
  }
  const [unchanged] = environments
  const following = await pdps[0].ask()
  await eventually(() => following.isAllowed('ben'), 'an older PDP goes on to follow what has nothing new')
  for (const [at, { name, feature, secret }] of environments.entries()) {
    if (feature === undefined) continue
    await eventually(() => feature.refusal.test(pdps[at].output()), `${name}: an older PDP says why it stops`)
    const running = await pdps[at].ask()
    if (await running.isAllowed('ben')) throw new Error(`${name}: an older PDP goes on without what it does not know`)
    const fresh = startPdp(older, secret, url)
    await eventually(() => feature.refusal.test(fresh.output()), `${name}: a new older PDP says why it does not start`)
    if (await (await fresh.ask()).isReady())
      throw new Error(`${name}: an older PDP is ready without what it does not know`)
    await fresh.stop()
    console.log(`an older PDP refuses an environment with ${name}: ${firstMatch(pdps[at], feature.refusal)}`)
  }
  if (!(await following.isAllowed('ben'))) throw new Error(`${unchanged.name}: the answer was lost`)
  await again.stop()
  await openByOlder(older, plain, data)
}

/** A folder that has nothing new is opened by the older version, and one that has is refused. */
async function openByOlder(older, plain, data) {
  const opened = start(older, ['api'], { ZEROHOP_DATA: plain, ZEROHOP_API_PORT: '0' })
  await opened.address()
  await opened.stop()
  console.log('an older server opens a folder that has nothing new')
  const refused = start(older, ['api'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0' })
  const code = await refused.ended
  if (code === 0 || !/format/i.test(refused.output())) throw new Error(`it was not refused: ${refused.output()}`)
  console.log(
    `an older server refuses a folder with ${FEATURES.map(({ name }) => name).join(', ')}: ${lastLine(refused)}`,
  )
}

/** An environment with a role that `ana` has, an API key, and what brings the feature. */
async function openEnvironment(api, feature) {
  const name = feature?.name ?? 'nothing new'
  const key = (feature?.name ?? 'plain').replaceAll(/[^a-z]+/g, '-')
  const { id, project_id, organization_id } = await api('POST', '/v2/projects/default/envs', { key, name })
  const body = { organization_id, project_id, environment_id: id, object_type: 'env', access_level: 'admin' }
  const { secret } = await api('POST', '/v2/api-key', body)
  const call = (method, path, sent) => api(method, path.replace('{e}', `default/${key}`), sent)
  await call('POST', '/v2/schema/{e}/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  await call('POST', '/v2/schema/{e}/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await call('POST', '/v2/facts/{e}/tenants', { key: 'acme', name: 'Acme' })
  for (const user of ['ana', 'ben', 'cleo']) await call('POST', '/v2/facts/{e}/users', { key: user })
  const assign = (user) => call('POST', '/v2/facts/{e}/role_assignments', { user, role: 'reader', tenant: 'acme' })
  await assign('ana')
  return { name, feature, secret, assign, facts: call }
}

function startPdp(version, secret, url) {
  const pdp = start(version, ['pdp'], { PDP_API_KEY: secret, PDP_CONTROL_PLANE: url, PDP_PORT: '0' })
  const ask = async () => {
    const base = await pdp.address()
    const isAllowed = async (user) => {
      const response = await fetch(`${base}/allowed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user: { key: user }, action: 'read', resource: { type: 'doc', tenant: 'acme' } }),
      })
      return response.ok && (await response.json()).allow === true
    }
    return { isAllowed, isReady: async () => (await fetch(`${base}/ready`)).ok }
  }
  return { ...pdp, ask }
}

/** A program of a version, with what it printed and how it ended. */
function start(version, args, own) {
  const env = { ...process.env, ZEROHOP_DRAIN_SECONDS: '0', ...own }
  const child = spawn(process.execPath, [join(version, PROGRAM), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child)
    return code
  })
  const program = {
    ended,
    output: () => output,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    address: () => eventually(() => /Server listening at (http[^"]+)/.exec(output)?.[1], 'a program listens'),
  }
  programs.push(program)
  return program
}

/** Builds the version of the commit in the folder. Undefined without such a commit. */
function buildOlder(to) {
  if (existsSync(join(to, PROGRAM))) return to
  const archive = spawnSync('git', ['archive', values.commit], { cwd: ROOT, maxBuffer: 1024 ** 3 })
  if (archive.status !== 0) return undefined
  mkdirSync(to, { recursive: true })
  run('tar', ['x', '-C', to], { input: archive.stdout })
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
  for (const step of ['kernel', 'dist']) run(process.execPath, ['scripts/build.mjs', step], { cwd: to })
  return to
}

function run(command, args, options) {
  const { status, stderr, error } = spawnSync(command, args, options)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error ?? stderr}`)
}

function caller(url, key) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function eventually(look, what) {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > until) throw new Error(`not seen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}

function lastLine(program) {
  return program.output().trim().split('\n').at(-1)
}

/** What the program said first that matches. */
function firstMatch(program, pattern) {
  return pattern.exec(program.output())[0]
}
