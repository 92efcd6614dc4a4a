// An application that a bundler has put into one file, far from the package: it follows an environment all the same.
// Large changes are applied by a worker thread whose file is not there, or that ends before it has answered: then they
// are applied without one. What cannot be done without the file is refused by name, at the start.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { build, type Format } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BULK_ASSIGNMENTS_MAX, BULK_USERS_MAX, DELTA_IN_TURN_MAX } from '../../src/model/limits.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'

const ROOT = process.cwd()
/** Users with so many roles each, all in one tenant: its end is one change of more objects than one turn applies. */
const USERS = 7_000
const ROLES = ['one', 'two', 'three']

/** How long an application waits for its environment and for a revision: several of them start at once here. */
const WAIT_MS = 100_000

/** Asks one question a line, of its standard input. */
const APP = (zerohop: string): string => `
import { connect } from ${JSON.stringify(zerohop)}
import { createInterface } from 'node:readline'
const say = (line) => console.log(JSON.stringify(line))
const onEvent = ({ event, error }) => say({ event, code: error?.code, message: error?.message })
async function run([url, apiKey]) {
  const pdp = await connect({ url, apiKey, onEvent, timeoutMs: ${WAIT_MS} })
  say({ following: true })
  for await (const line of createInterface({ input: process.stdin })) {
    const { user, tenant, revision } = JSON.parse(line)
    try {
      await pdp.atLeast(revision, { timeoutMs: ${WAIT_MS} })
      say({ allow: pdp.check(user, 'say', { type: 'hello', tenant }) })
    } catch (error) {
      say({ refused: error.code, message: error.message })
    }
  }
  await pdp.close()
}
run(process.argv.slice(2)).catch(({ code, message }) => {
  say({ ended: true, code, message })
  process.exit(1)
})
`

/** A program as one file, in a folder of its own. */
async function oneFile(
  name: string,
  format: Format,
  contents: string,
  external: string[] = ['lmdb'], // has native code
): Promise<string> {
  const folder = temporaryFolder('bundled')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const outfile = join(folder, `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`)
  const stdin = { contents, resolveDir: ROOT }
  const logOverride = { 'empty-import-meta': 'silent' } as const // what the package has to say itself
  await build({ stdin, outfile, format, external, logOverride, bundle: true, platform: 'node', logLevel: 'warning' })
  return outfile
}

/** The application, with another worker thread in its process. */
async function bundled(format: Format, thread?: string): Promise<string> {
  const file = await oneFile(
    'app',
    format,
    APP(join(ROOT, format === 'esm' ? 'dist/bundle/index.js' : 'dist/cjs/index.cjs')),
  )
  if (thread === undefined) return file
  writeFileSync(join(dirname(file), 'package.json'), '{"type":"module"}')
  writeFileSync(join(dirname(file), 'image-thread.js'), thread)
  return file
}

/** A thread that answers at once. */
const posts = (answer: string): string =>
  `import { parentPort } from 'node:worker_threads'\nparentPort.postMessage(${answer})`

class Running {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>
  readonly events: { event: string; code?: string; message?: string }[] = []

  constructor(file: string, args: readonly string[], flags: readonly string[] = []) {
    this.#child = spawn(process.execPath, [...flags, file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines: Interface = createInterface({ input: this.#child.stdout })
    this.#lines = lines[Symbol.asyncIterator]()
  }

  /** The next line that does not report an event. */
  async next(): Promise<Record<string, unknown>> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) {
        const { exitCode, signalCode } = this.#child
        throw new Error(`the application ended (${signalCode ?? exitCode}): ${JSON.stringify(this.events)}`)
      }
      const line = JSON.parse(value)
      if (line.event === undefined) return line
      this.events.push(line)
    }
  }

  ask(question: object): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`)
    return this.next()
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.stdin.end()
    await once(this.#child, 'exit')
  }
}

const OPEN = `
import { open } from ${JSON.stringify(join(ROOT, 'dist/bundle/embedded.js'))}
open({ data: process.argv[2] }).then(
  () => console.log(JSON.stringify({ opened: true })),
  ({ code, message }) => console.log(JSON.stringify({ code, message })),
)
`

describe('a writing application in one file', () => {
  it.each([
    ['esm', ['lmdb']],
    ['cjs', ['lmdb']],
    ['esm', []],
    ['cjs', []],
  ] as const)(
    'is refused at the start, by the name of the file that it lacks: %s, without %j',
    async (format, external) => {
      const file = await oneFile('open', format, OPEN, [...external])
      const app = new Running(file, [temporaryFolder('bundled-open')])
      const { code, message } = await app.next()
      await app.end()
      expect(code).toBe('PACKAGE_FILE_MISSING')
      expect(message).toContain('`writer-thread.js`')
      expect(message).toContain('--external:zerohop')
    },
  )
})

describe('an application in one file', () => {
  const data = temporaryFolder('bundled-data')
  const apps = new Map<string, Running>()
  let management: Management
  let server: ReturnType<typeof managementServer>
  let log: string

  const commit = async (name: string, input: object): Promise<number> =>
    (await management.store.commit(log, name as never, input as never, TESTER)).revision

  beforeAll(async () => {
    management = await openManagement({ data })
    server = managementServer(management)
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    log = management.store.view(management.organization).require('environment', 'default/development').id
    for (const key of ROLES) await commit('createRole', { key, permissions: ['hello:say'] })
    await commit('createTenant', { key: 'left' })
    const users = Array.from({ length: USERS }, (_, index) => ({ key: `user${index}` }))
    for (let at = 0; at < USERS; at += BULK_USERS_MAX)
      await commit('createUsers', { operations: users.slice(at, at + BULK_USERS_MAX) })
    const assigned = users.flatMap(({ key }) => ROLES.map((role) => ({ user: key, role, tenant: 'left' })))
    for (let at = 0; at < assigned.length; at += BULK_ASSIGNMENTS_MAX)
      await commit('assignMany', { assignments: assigned.slice(at, at + BULK_ASSIGNMENTS_MAX) })
    const args = [url, readKeys(data)?.environments.development ?? '']
    const files = [
      ['an ES module', await bundled('esm')],
      ['a CommonJS module', await bundled('cjs')],
      ['a thread that ends', await bundled('esm', 'process.exit(3)')],
      ['a thread that fails', await bundled('esm', 'throw new Error("no room")')],
      [
        'a thread that says that it failed',
        await bundled('esm', posts("{ failed: { code: 'INTERNAL', details: {} } }")),
      ],
      ['a thread that knows another error', await bundled('esm', posts("{ failed: { code: 'NEW', details: {} } }"))],
      ['a thread that makes something else', await bundled('esm', posts('{ result: new Uint8Array(9) }'))],
      ['a thread that answers something else', await bundled('esm', posts("'done'"))],
    ] as const
    for (const [name, file] of files) apps.set(name, new Running(file, args))
    const greedy = await bundled('esm', 'const kept = []\nfor (;;) kept.push(new Array(100_000).fill(kept))')
    apps.set('a thread that runs out of memory', new Running(greedy, args, ['--max-old-space-size=256']))
    for (const app of apps.values()) expect(await app.next()).toEqual({ following: true })
  }, 240_000)

  afterAll(async () => {
    for (const app of apps.values()) await app.end()
    await server?.close()
    await management?.store.close()
  })

  it('is refused at the start with the missing file and what to do', () => {
    for (const name of ['an ES module', 'a CommonJS module']) {
      const [first] = apps.get(name)!.events
      expect(first, name).toMatchObject({ event: 'no worker thread', code: 'PACKAGE_FILE_MISSING' })
      expect(first?.message).toContain('`image-thread.js`')
      expect(first?.message).toContain('--external:zerohop')
    }
  })

  it('applies a change of more objects than one turn takes, and denies what it took away', {
    timeout: 240_000,
  }, async () => {
    const before = management.store.head(log).revision
    for (const [name, app] of apps)
      expect(await app.ask({ user: 'user3', tenant: 'left', revision: before }), name).toEqual({ allow: true })
    const revision = await commit('deleteTenant', { ref: 'left' })
    const [entry] = management.store.entries(log, revision - 1, 1)
    expect(entry!.changes.length).toBeGreaterThan(DELTA_IN_TURN_MAX)
    for (const [name, app] of apps) {
      expect(await app.ask({ user: 'user3', tenant: 'left', revision }), name).toEqual({ allow: false })
      expect(
        app.events.filter(({ event }) => event === 'trouble'),
        name,
      ).toEqual([])
    }
    const given = await commit('assign', { user: 'user3', role: 'one', tenant: 'default' })
    for (const [name, app] of apps)
      expect(await app.ask({ user: 'user3', tenant: 'default', revision: given }), name).toEqual({ allow: true })
  })
})
