// Installs the packed package beside bundlers and runtimes, and has each follow an environment: a check, many changes over
// the feed, one change of more objects than one turn applies, and the end of the program. Then the Next application of
// examples/next is clicked through in Chromium. npm run test:runtimes -- [--changes 1000] [--only NAME,…] [--record]
//   --record   writes docs/runtimes.md
// Exit code 1 when something went wrong. What npm cannot bring to this machine is skipped and named.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clickThrough } from './runtimes/click-through.mjs'
import { Driver, openEnvironment } from './runtimes/environment.mjs'
import { findVersion, install } from './runtimes/install.mjs'
import { writePage } from './runtimes/page.mjs'
import { NEXT_START, RUNNERS } from './runtimes/runners.mjs'

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '1000' },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})
const changes = Number(values.changes)
const only = values.only?.toLowerCase().split(',')
const chosen = RUNNERS.filter(({ name }) => only?.some((part) => name.toLowerCase().startsWith(part)) ?? true)
const folder = mkdtempSync(join(tmpdir(), 'zerohop-runtimes-'))
/** The last row. */
const EXAMPLE = 'examples/next in Chromium'
const children = new Set()
const rows = []

try {
  const missing = install(folder, chosen)
  const present = chosen.filter((each) => !missing.has(each.package))
  const programs = present.map((runner) => ({ ...runner, version: findVersion(folder, runner.package) }))
  for (const program of programs) await attempt(program, () => build(program))
  await followAll(programs)
  for (const { name, package: wanted } of chosen.filter((each) => missing.has(each.package)))
    rows.push({
      name,
      result: `skipped: npm brings no \`${wanted}\` that starts on ${process.platform} ${process.arch}`,
    })
  for (const { name, version, thread, failure } of programs)
    rows.push({ name, version, changes, thread, result: failure === undefined ? 'as written' : `failed: ${failure}` })
  const next = programs.find(({ application, failure }) => application === 'next' && failure === undefined)
  if (next !== undefined) {
    const result = await clickThrough(join(folder, next.application), startNext).catch(
      ({ message }) => `failed: ${message}`,
    )
    rows.push({ name: EXAMPLE, version: next.version, result })
  }
  for (const { name, version = '', thread = '', result } of rows)
    console.log(
      [`${name} ${version}: ${result}`, ...(thread ? [`file of the worker thread ${thread}`] : [])].join('; '),
    )
  if (values.record) writePage(rows, [...RUNNERS.map(({ name }) => name), EXAMPLE])
} finally {
  for (const child of children) end(child)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
const failed = rows.filter(({ result }) => result.startsWith('failed'))
const skipped = rows.filter(({ result }) => result.startsWith('skipped'))
console.log(
  `${rows.length - failed.length - skipped.length} passed, ${failed.length} failed, ${skipped.length} skipped`,
)
process.exitCode = failed.length === 0 && rows.length > skipped.length ? 0 : 1

/** Does it, unless the program has failed before, and keeps why it failed. */
async function attempt(program, work) {
  if (program.failure !== undefined) return
  try {
    await work()
  } catch (error) {
    program.failure = error.message
  }
}

function build({ builds }) {
  for (const [file, ...args] of builds?.(folder) ?? []) {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, encoding: 'utf8', env })
    if (status !== 0) throw new Error(`${file}: exit code ${status}\n${stdout}${stderr}`)
  }
}

/** All programs follow one environment at the same time; each is asked after each step, and must say what was written. */
async function followAll(programs) {
  const environment = await openEnvironment(folder)
  const driver = new Driver()
  const address = await driver.listen()
  const { url, apiKey, commit, head } = environment
  const expect = async (user, tenant, allow) => {
    const question = { user, tenant, revision: head() }
    for (const program of programs)
      await attempt(program, async () => {
        const { reply } = await driver.ask(program.name, question, program.running.ended)
        if (reply.allow !== allow) throw new Error(`${JSON.stringify(question)}: ${JSON.stringify(reply)}`)
      })
  }
  for (const program of programs) await attempt(program, () => begin(program, { url, apiKey, driver: address }, driver))
  await expect('u3', 'left', true)
  await commit('createTenant', { key: 'many' })
  for (let at = 0; at <= changes; at++)
    await commit(at % 2 === 0 ? 'assign' : 'unassign', { user: 'u5', role: 'one', tenant: 'many' })
  await expect('u5', 'many', changes % 2 === 0)
  await commit('deleteTenant', { ref: 'left' })
  await expect('u3', 'left', false)
  await commit('assign', { user: 'u3', role: 'one', tenant: 'many' })
  await expect('u3', 'many', true)
  for (const program of programs) await attempt(program, () => finish(program, driver))
  driver.close()
  await environment.close()
}

async function begin(program, follow, driver) {
  const { name, start, application } = program
  program.running = spawned(start, { FOLLOW: JSON.stringify({ ...follow, name }) })
  if (application !== undefined) await fetch(`${await program.running.address()}/follow`)
  const { events } = await driver.next(name, program.running.ended)
  const refused = events.find(({ event }) => event === 'no worker thread')
  program.thread = refused === undefined ? 'found' : `not there, said at the start (\`${refused.code}\`)`
}

/** A program that is done ends by itself, but for a server. */
async function finish({ name, running, application }, driver) {
  driver.ask(name, { end: true })
  if (application !== undefined) return end(running.child)
  await running.ended.catch((error) => {
    if (error.exitCode !== 0) throw error
  })
}

/** `ended` always rejects: nothing that is waited for may outlast the program. */
function spawned([file, ...args], more) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DENO_NO_UPDATE_CHECK: '1', ...more }
  const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  children.add(child)
  let text = ''
  let look = () => undefined
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      text += part
      look()
    })
  const ended = new Promise((_, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode, signal) => {
      children.delete(child)
      reject(Object.assign(new Error(`it ended with ${exitCode ?? signal}: ${text}`), { exitCode }))
    })
  })
  ended.catch(() => undefined)
  const seen = new Promise((resolve) => {
    look = () => {
      const [found] = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    }
  })
  return { child, ended, address: () => Promise.race([seen, ended]) }
}

/** `next start` of the example. */
function startNext(env) {
  const { child, address } = spawned([...NEXT_START, 'next'], env)
  return { address, end: () => end(child) }
}

function end(child) {
  try {
    process.kill(-child.pid) // with what it started
  } catch {
    // it has ended
  }
}
