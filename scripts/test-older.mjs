// Builds an older version out of the history, and runs its programs beside those of this one: npm run test:older
// -- [--commit 27983b98] [--keep FOLDER] [--record]
//   --commit   the older version; default: the last one before grants for a time
//   --keep     builds it there, or uses what was built there
//   --record   writes what was asked to docs/runs.md
// An older PDP follows an environment that has nothing in its image that it does not know, and refuses one that has, instead
// of deciding without it; an older server refuses a folder with each, and its backup, and opens the others; an older replica
// beside a newer one goes on until something is written that it does not know. It needs the history: without it nothing is run, and it says so.
// Exit code 1 when something went wrong.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withPostgres } from '../bench/postgres.mjs'
import { FEATURES } from './older/features.mjs'
import { recordRun } from './record-run.mjs'

const { values } = parseArgs({
  options: {
    commit: { type: 'string', default: '27983b988e41' },
    keep: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
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
  if (older !== undefined && values.record) record()
} catch (error) {
  for (const { output } of programs) console.error(output())
  console.error(error.message)
  process.exitCode = 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function record() {
  const asked = `a PDP, a folder, a backup and a replica of ${values.commit.slice(0, 10)} with this version, each without and with ${listFeatures()}`
  recordRun('test:older', { asked, result: 'each refuses what it does not know', seconds: performance.now() / 1000 })
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
    if (feature.refusal === undefined) {
      const pdp = await pdps[at].ask()
      await eventually(() => pdp.isAllowed('ben'), `${name}: an older PDP goes on to follow`)
      console.log(`an older PDP goes on to follow an environment with ${name}`)
      continue
    }
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
  await openByOlder(older, plain)
  for (const environment of environments) if (environment.feature) await refuseByOlder(older, plain, key, environment)
  await withPostgres(async ({ database }) => {
    for (const feature of FEATURES) await followByOlder(older, await database(), feature)
  })
}

/** A folder that has nothing new is opened by the older version, and its backup restored. */
async function openByOlder(older, plain) {
  const copy = copyFolder(plain)
  const opened = start(older, ['api'], { ZEROHOP_DATA: copy, ZEROHOP_API_PORT: '0' })
  await opened.address()
  await opened.stop()
  console.log('an older server opens a folder that has nothing new')
  const restored = restoreBy(older, plain)
  if (restored.status !== 0) throw new Error(`a backup that has nothing new was refused: ${restored.stderr}`)
  console.log('an older version restores a backup that has nothing new')
}

/** A folder with the feature alone is refused, and so is its backup. */
async function refuseByOlder(older, plain, key, { name, feature, facts }) {
  const data = copyFolder(plain)
  const server = start(ROOT, ['api'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0' })
  await feature.bring(facts.by(caller(await server.address(), key)))
  await server.stop()
  const refusal = new RegExp(`has format ${feature.format}, this version reads 3`)
  const refused = start(older, ['api'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0' })
  const code = await refused.ended
  if (code === 0 || !refusal.test(refused.output()))
    throw new Error(`a folder with ${name} was not refused: ${refused.output()}`)
  const { status, stderr } = restoreBy(older, data)
  if (status === 0 || !refusal.test(stderr)) throw new Error(`a backup with ${name} was not refused: ${stderr}`)
  console.log(`an older version refuses a folder and a backup with ${name}: ${firstMatch(refused, refusal)}`)
}

function copyFolder(from) {
  const to = join(folder, randomName('copy'))
  cpSync(from, to, { recursive: true })
  return to
}

/** Restores by the older version what this one backs up. */
function restoreBy(older, from) {
  const backup = join(folder, randomName('backup'))
  run(process.execPath, [join(ROOT, PROGRAM), 'backup', backup, '--data', from])
  const args = [join(older, PROGRAM), 'restore', backup, '--data', `${backup}.restored`]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

/** A replica of the older version on a database that one of this version uses: until the feature is there, and then. */
async function followByOlder(older, database, feature) {
  const settings = { ZEROHOP_DATABASE_URL: database, ...replicaKeys() }
  const replica = (version, name) =>
    start(version, ['api', '--no-example'], {
      ...settings,
      ZEROHOP_DATA: join(folder, randomName(name)),
      ZEROHOP_API_PORT: '0',
    })
  const newer = replica(ROOT, 'newer')
  const url = await newer.address()
  const environment = await openEnvironment(caller(url, settings.ZEROHOP_BOOTSTRAP_KEY), feature)
  const beside = replica(older, 'older')
  const other = await beside.address()
  const readBeside = caller(other, environment.secret)
  const path = `/v2/facts/default/${nameKey(feature)}/role_assignments?user=ana`
  const seen = await eventually(() => readBeside('GET', path), 'an older replica reads')
  if (seen.length !== 1) throw new Error(`${feature.name}: an older replica reads ${JSON.stringify(seen)}`)
  await feature.bring(environment.facts)
  await eventually(async () => (await fetch(`${other}/ready`)).status === 503, `${feature.name}: it is not ready`)
  const refusal = /DATABASE_REFUSED/
  await eventually(() => refusal.test(beside.output()), `${feature.name}: an older replica says why it stops`)
  const answer = await fetch(other + path, { headers: { authorization: `Bearer ${environment.secret}` } })
  if (answer.ok) throw new Error(`${feature.name}: an older replica goes on to answer`)
  if (!(await fetch(`${url}/ready`)).ok) throw new Error(`${feature.name}: the newer replica is not ready`)
  console.log(`an older replica refuses an environment with ${feature.name}: ${answer.status}`)
  await Promise.all([newer.stop(), beside.stop()])
}

/** What replicas of one database share. */
function replicaKeys() {
  const file = join(folder, 'secrets.key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return { ZEROHOP_SECRETS_KEY_FILE: file, ZEROHOP_BOOTSTRAP_KEY: 'older-and-newer-replicas' }
}

/** An environment with a role that `ana` has, an API key, and what brings the feature. */
async function openEnvironment(api, feature) {
  const name = feature?.name ?? 'nothing new'
  const key = nameKey(feature)
  const { id, project_id, organization_id } = await api('POST', '/v2/projects/default/envs', { key, name })
  const body = { organization_id, project_id, environment_id: id, object_type: 'env', access_level: 'admin' }
  const { secret } = await api('POST', '/v2/api-key', body)
  const by =
    (asked) =>
    (method, path, ...sent) =>
      asked(method, path.replace('{e}', `default/${key}`).replace('{env}', `default/envs/${key}`), ...sent)
  const call = Object.assign(by(api), { by })
  await call('POST', '/v2/schema/{e}/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  await call('POST', '/v2/schema/{e}/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await call('POST', '/v2/facts/{e}/tenants', { key: 'acme', name: 'Acme' })
  for (const user of ['ana', 'ben', 'cleo']) await call('POST', '/v2/facts/{e}/users', { key: user })
  const assign = (user) => call('POST', '/v2/facts/{e}/role_assignments', { user, role: 'reader', tenant: 'acme' })
  await assign('ana')
  return { name, feature, secret, assign, facts: call }
}

function nameKey(feature) {
  return (feature?.name ?? 'plain').replaceAll(/[^a-z]+/g, '-')
}

function listFeatures() {
  return FEATURES.map(({ name }) => name).join(', ')
}

function randomName(name) {
  return `${name}-${randomBytes(4).toString('hex')}`
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
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...{ 'x-reason': 'a test of versions', ...headers },
      },
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

/** What the program said first that matches. */
function firstMatch(program, pattern) {
  return pattern.exec(program.output())[0]
}
