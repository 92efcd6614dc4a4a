// Runs the programs of examples/ as a user would, against the built package, and compares what they print. Needs the
// build.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Zerohop } from '../src/embedded.ts'
import { loadPolicy, type PolicyFacts } from '../src/policy.ts'
import { temporaryFolder } from './support/folders.ts'
import { endPostgres, startPostgres } from './support/postgres.ts'
import { serveHere } from './support/serve-here.ts'
import { endServers, freePort, readKeys, url } from './support/server.ts'
import { ROOT, readSource } from './tidy/source.ts'

const data = temporaryFolder('connect')
const ports = { api: 0, pdp: 0 }
beforeAll(async () => {
  Object.assign(ports, { api: await freePort(), pdp: await freePort() })
  await serveHere(data, ports, true)
})
afterAll(async () => {
  await endServers()
  await endPostgres()
})

/** What a program prints, line by line; rejects with its output when it fails. */
async function runExample(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const { PATH = '', HOME = '' } = process.env
  const options = { cwd: ROOT, env: { PATH, HOME, ...env }, timeout: 60_000 }
  const { stdout } = await promisify(execFile)(process.execPath, [join('examples', program), ...args], options)
  return stdout.trimEnd().split('\n')
}

const example = (file: string): string => pathToFileURL(join(ROOT, 'examples/documents', file)).href

describe('the examples', () => {
  const programs = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.mjs'))

  it('use only the entry points of the package, and nothing else that has to be installed', () => {
    for (const program of programs) {
      const { imports } = readSource(program, readFileSync(join(ROOT, 'examples', program), 'utf8'))
      const specifiers = imports.map(({ specifier }) => specifier)
      expect(
        specifiers.filter((specifier) => !/^(node:|pg$|zerohop(\/(client|embedded|server))?$)/.test(specifier)),
      ).toEqual([])
    }
  })

  it('are at most 40 lines long', () => {
    const lines = programs.map(
      (program) => readFileSync(join(ROOT, 'examples', program), 'utf8').split('\n').length - 1,
    )
    expect(Math.max(...lines)).toBeLessThanOrEqual(40)
  })

  it('embedded.mjs writes a policy into a folder and asks, and leaves a folder that can be opened again', async () => {
    const folder = temporaryFolder('embedded')
    expect(await runExample('embedded.mjs', [folder])).toEqual([
      'may ana read in acme? true',
      'may ana read elsewhere? false',
      'and without the role? false',
    ])
    const again = runExample('embedded.mjs', [folder])
    await expect(again).rejects.toMatchObject({ stderr: expect.stringContaining('OBJECT_EXISTS') })
  })

  it('documents/policy.test.mjs runs the unit tests of a policy, without a server', async () => {
    const lines = await runExample('documents/policy.test.mjs', [])
    expect(lines.join('\n')).toMatch(/^. pass 5$/m) // it fails when a test fails
  })

  it('documents/policy.yaml is the policy that the program writes', async () => {
    const { openWithPolicy } = (await import(example('policy.mjs'))) as {
      openWithPolicy(data: string): Promise<Zerohop>
    }
    const { PEOPLE } = (await import(example('people.mjs'))) as { PEOPLE: PolicyFacts }
    const written = await openWithPolicy(temporaryFolder('documents'))
    const loaded = loadPolicy(join(ROOT, 'examples/documents/policy.yaml'), { facts: PEOPLE })
    try {
      for (const user of ['ana', 'ben', 'cyd', 'eve']) {
        expect(loaded.userPermissions(user)).toEqual(written.pdp.userPermissions(user))
        const [one, other] = [loaded, written.pdp].map((pdp) => pdp.snapshot(user, { tenants: ['acme', 'umbra'] }))
        expect([one?.answers, one?.rights, one?.tenants]).toEqual([other?.answers, other?.rights, other?.tenants])
      }
    } finally {
      await written.close()
      await loaded.close()
    }
  })

  it('connect.mjs asks in its own process what `serve` decides', async () => {
    const PDP_API_KEY = readKeys(data).environments.development
    const lines = await runExample('connect.mjs', [url(ports.api)], { PDP_API_KEY })
    expect(lines.slice(0, 4)).toEqual([
      'may ana say hello? true',
      'may ben say hello? false',
      'may nobody say hello? false',
      'may ben wave? true',
    ])
    expect(lines[4]).toMatch(/^why may ana say hello\? .*admin/)
  })

  it('outbox.mjs writes a row and an event, and sends the events', async () => {
    const headers = { authorization: `Bearer ${readKeys(data).environments.development}` }
    const F = `${url(ports.api)}/v2/facts/default/development`
    const post = (path: string, body: object) =>
      fetch(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await post(`${url(ports.api)}/v2/schema/default/development/roles`, { key: 'viewer' })
    for (const key of ['ana', 'ben']) await post(`${F}/users`, { key })
    const APP_DATABASE_URL = await (await startPostgres()).database()
    const env = { APP_DATABASE_URL, PDP_API_KEY: readKeys(data).environments.development! }
    const lines = await runExample('outbox.mjs', [url(ports.api)], env)
    expect(lines).toEqual([expect.stringMatching(/^3 events sent, revision \d+$/)])
    const given = (await (await fetch(`${F}/role_assignments?role=viewer`, { headers })).json()) as { user: string }[]
    expect(given.map(({ user }) => user)).toEqual(['ana'])
  })

  it('connect.mjs says in one line that its key is wrong', async () => {
    const failed = runExample('connect.mjs', [url(ports.api)], { PDP_API_KEY: 'wrong' })
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^KEY_UNKNOWN: .+\n$/) })
  })
})
