// `zerohop serve`: management API and PDP in one process on one data folder. The PDP answers for the environment of the bearer key of each
// request. On a terminal it says in plain words where it is and how to try it.
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { pdpApp } from '../http/pdp/app.ts'
import { PooledPdps } from '../http/pdp/auth.ts'
import type { LogId } from '../log/change.ts'
import { requireAccess } from '../pap/access.ts'
import { localFeed } from '../pap/feed.ts'
import { keysPath, type Pap, readKeys } from '../pap/open.ts'
import { PdpPool } from '../pdp/pool.ts'
import { startManagement } from './api.ts'
import type { Env } from './env.ts'
import { reportOf } from './pdp.ts'
import { Closers, closeOnSignals, listen, urlOf } from './process.ts'

/** Runs until a signal. */
export async function runServe(env: Env, options: { example: boolean }, log: Logger): Promise<void> {
  const closers = new Closers()
  try {
    const { pap, apiPort } = await startManagement(env, !options.example, log, closers)
    const pdpPort = await startPooledPdp(env, pap, log, closers)
    await greet(env, pap, { api: urlOf(env.host, apiPort), pdp: urlOf(env.pdpHost, pdpPort) })
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers)
}

async function startPooledPdp(env: Env, { store, snapshots }: Pap, log: Logger, closers: Closers): Promise<number> {
  const organizations = new Map<LogId, LogId>()
  const feed = (environment: LogId) =>
    localFeed({ store, snapshots }, { environment, organization: organizations.get(environment)! })
  const pool = new PdpPool({
    feed,
    ...(env.imageMemoryBytes === undefined ? {} : { memoryBytes: env.imageMemoryBytes }),
    report: (environment, event) => reportOf(log.child({ environment }))(event),
  })
  const directory = new PooledPdps(
    store,
    (key) => requireAccess(key, 'feed.read'),
    (environment, organization) => {
      organizations.set(environment, organization)
      return pool.get(environment)
    },
  )
  const health = () => ({ ok: true, revision: null, ageMs: null, source: null, stale: false })
  const app = pdpApp({ directory, health, debug: env.debug, logger: log.child({ part: 'pdp' }) })
  closers.add(() => pool.close())
  closers.addApp(app)
  return await listen(app, env.pdpHost, env.pdpPort)
}

/** Where everything is, and a line to paste. The key itself is shown only on a terminal, never to a log. */
async function greet(env: Env, pap: Pap, urls: { api: string; pdp: string }): Promise<void> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  print(`management API  ${urls.api}`)
  print(`PDP             ${urls.pdp}`)
  print(`keys            ${keysPath(env.data)}`)
  const key = readKeys(env.data)?.environments.development
  if (key === undefined || !hasExample(pap)) return
  const path = resolve(keysPath(env.data))
  const shown = process.stdout.isTTY
    ? key
    : `$(node -p 'JSON.parse(require("fs").readFileSync("${path}")).environments.development')`
  const line = (user: string): string =>
    `curl -s ${urls.pdp}/allowed -H "authorization: Bearer ${shown}" -H 'content-type: application/json' ` +
    `-d '{"user":{"key":"${user}"},"action":"say","resource":{"type":"hello","tenant":"default"}}'`
  print('\nmay ana say hello? paste this, it answers "allow":true')
  print(line('ana'))
  print('\nmay ben? he may only wave: "allow":false')
  print(line('ben'))
}

/** True when the policy that the lines ask about is there. */
function hasExample({ store, organization }: Pap): boolean {
  const environments = [...store.view(organization).list('environment')]
  const development = environments.find(({ environment }) => environment === 'development')
  if (development === undefined) return false
  const view = store.view(development.id)
  return view.get('role_assignment', 'ana/admin/default') !== undefined && view.get('resource', 'hello') !== undefined
}
