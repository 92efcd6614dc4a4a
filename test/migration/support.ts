// An organization with objects of the first API version, and the command `zerohop migrate` at work on it, in a folder
// of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere, pdpHere, type ServerHere } from '../support/serve-here.ts'
import { freePort, type Keys, readKeys, url } from '../support/server.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
export const FOREIGN = 'v1compat_global_project/v1compat_global_env'
export const OURS = 'default/development'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** One organization with its API, and the command at work on it. */
export class World {
  readonly data = temporaryFolder('migration')
  readonly folder = temporaryFolder('migration-work')
  readonly #pdps = new Map<number, ServerHere>()
  port = 0
  keys: Keys = undefined as unknown as Keys

  async open(): Promise<void> {
    this.port = await freePort()
    await apiHere(this.data, this.port)
    this.keys = readKeys(this.data)
    writeFileSync(join(this.folder, 'ours.txt'), '# the team\ndefault\n')
  }

  async call(method: string, path: string, body?: unknown, key = this.keys.organization) {
    const response = await fetch(url(this.port) + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true)
    // biome-ignore lint/suspicious/noExplicitAny: whatever the API sends
    return { body: (text === '' ? undefined : JSON.parse(text)) as any, revision: response.headers.get('x-revision') }
  }

  /** `zerohop migrate …`, in this process */
  migrate(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return runHere(['migrate', ...args], { ...this.#variables(), ...env }, this.folder)
  }

  /** The same as a process. */
  start(args: readonly string[], env: Record<string, string> = {}) {
    return this.run([process.execPath, ...SHORT_LIVED, COMMAND, 'migrate', ...args], env)
  }

  /** The same in a terminal; what is printed on either stream is its output. */
  inTerminal(args: string): Promise<Ended> {
    return this.run(['script', '-qec', `${process.execPath} ${COMMAND} migrate ${args}`, '/dev/null']).ended
  }

  run([command = '', ...args]: readonly string[], env: Record<string, string> = {}) {
    const { PATH = '' } = process.env
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH, ...this.#variables(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk
    })
    const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, out, err }))
    return { child, ended }
  }

  #variables() {
    return { API_URL: url(this.port), ZEROHOP_ORGANIZATION_KEY: this.keys?.organization ?? '' }
  }

  /** A PDP of each version for an environment, by its key. Returns their ports. */
  async startPair(key: string): Promise<{ readonly v1: number; readonly v2: number }> {
    return { v2: await this.startPdp(key), v1: await this.startPdp(key, { v1: true, name: 'old till' }) }
  }

  /** A PDP for the environment of the key. Returns its port. */
  async startPdp(key: string, options: { readonly v1?: boolean; readonly name?: string } = {}): Promise<number> {
    const port = await freePort()
    const { name, ...of } = options
    const env = {
      ZEROHOP_DATA: temporaryFolder('pdp'),
      PDP_PORT: String(port),
      PDP_API_KEY: key,
      PDP_CONTROL_PLANE: url(this.port),
      ...(name === undefined ? {} : { ZEROHOP_PDP_NAME: name }),
    }
    this.#pdps.set(port, await pdpHere(env, of))
    return port
  }

  /** Ends a PDP that was started here. */
  async endPdp(port: number): Promise<void> {
    await this.#pdps.get(port)!.end()
  }

  /** Two roles, three users and their assignments, outside of environments. */
  async writeV1(): Promise<void> {
    await this.call('PUT', '/v1/resources', {
      resources: [{ type: 'report', actions: { read: { title: 'Read' }, write: { title: 'Write' } } }],
    })
    await this.call('POST', '/v1/roles', { name: 'reader', permissions: ['report:read'] })
    await this.call('POST', '/v1/roles', {
      name: 'writer',
      description: 'writes',
      attributes: { rank: 1 },
      settings: { color: 'red' },
      permissions: ['report:read', 'report:write'],
    })
    await this.call('PUT', '/v1/tenants', { externalId: 'acme', name: 'Acme', description: 'a customer' })
    for (const [key, firstName, email] of [
      ['auth0|1', 'Ana', 'ana@example.com'],
      ['auth0|2', 'Ben', 'ben@example.com'],
      ['auth0|3', 'Zoe', undefined],
    ])
      await this.call('PUT', '/v1/users', { key, firstName, email, attributes: { level: 3 } })
    for (const [user, role, scope] of [
      ['auth0|1', 'writer', 'default'],
      ['auth0|1', 'reader', 'acme'],
      ['auth0|2', 'reader', 'default'],
    ])
      await this.call('POST', '/v1/role_assignments', { user, role, scope })
  }

  async contents(environment: string) {
    const [project, env] = environment.split('/')
    const read = async (path: string) => (await this.call('GET', `/v2/${path}`)).body
    const rows = (body: unknown): { key: string }[] => (Array.isArray(body) ? body : (body as { data: never[] }).data)
    return {
      users: rows(await read(`facts/${project}/${env}/users`))
        .map(({ key }) => key)
        .sort(),
      roles: rows(await read(`schema/${project}/${env}/roles`))
        .map(({ key }) => key)
        .sort(),
      assignments: (
        rows(await read(`facts/${project}/${env}/role_assignments`)) as never[] as {
          user: string
          role: string
          tenant: string
        }[]
      )
        .map(({ user, role, tenant }) => `${user}/${role}/${tenant}`)
        .sort(),
    }
  }
}

export interface Allowed {
  readonly user: string
  readonly action: string
  readonly tenant: string
}

/** A client of v1 that asks the same questions again and again, and keeps every answer that is not "allowed". */
export class RecordingClient {
  readonly #url: string
  readonly #key: string
  readonly #questions: readonly Allowed[]
  readonly #denied: string[] = []
  #running: Promise<void> = Promise.resolve()
  #stopped = false
  asked = 0

  constructor(port: number, key: string, questions: readonly Allowed[]) {
    this.#url = `${url(port)}/allowed`
    this.#key = key
    this.#questions = questions
  }

  /** Whether the PDP still follows objects outside of environments. */
  async followsOutside(): Promise<boolean> {
    const { headers } = await this.#ask(this.#questions[0]!)
    return headers.get('x-revision-outside') !== '0'
  }

  #ask({ user, action, tenant }: Allowed): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user, action, resource: { type: 'report', context: { tenant } }, context: {} }),
    })
  }

  /** The answers to each question once that are not "allowed". */
  async askAll(): Promise<string[]> {
    const found: string[] = []
    for (const question of this.#questions) {
      const { user, action, tenant } = question
      const response = await this.#ask(question)
      const answer = await response.text()
      this.asked++
      if (!answer.startsWith('{"allow":true'))
        found.push(`${user} ${action} in ${tenant}: ${response.status} ${answer}`)
    }
    return found
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Ends it. @returns every answer that was not "allowed" */
  async stop(): Promise<readonly string[]> {
    this.#stopped = true
    await this.#running
    return this.#denied
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#denied.push(...(await this.askAll()))
      await pause(100)
    }
  }
}
