// A `zerohop serve` of its own on a new folder, for one story of a suite, and the variables that the suites read.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bringGrants } from './grants.mjs'

const PROGRAM = new URL('../../dist/bundle/zerohop.js', import.meta.url).pathname
const START_MS = 60_000

/**
 * Starts it, runs `work` with the variables, and ends it.
 * @param own variables of the server besides
 * @param hasGrants whether the environment has what published clients do not know
 */
export async function withServer({ example, own = {}, hasGrants = false }, work) {
  const data = mkdtempSync(join(tmpdir(), 'zerohop-published-'))
  const args = [PROGRAM, 'serve', ...(example === undefined ? ['--no-example'] : ['--example', example])]
  const env = {
    ...process.env,
    ZEROHOP_DATA: data,
    ZEROHOP_API_PORT: '0',
    PDP_PORT: '0',
    ZEROHOP_DRAIN_SECONDS: '0',
    ...own,
  }
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    const [api, pdp] = await readAddresses(server)
    const { organization, environments } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
    const call = (method, path, body) =>
      callApi(api + path.replace('{e}', 'default/development'), environments.development, { method, body })
    if (hasGrants) await bringGrants(call)
    return await work({
      PDP_API_KEY: environments.development,
      ORG_PDP_API_KEY: organization,
      PROJECT_PDP_API_KEY: await makeProjectKey(api, organization),
      PDP_URL: pdp,
      PDP_CONTROL_PLANE: api,
      // what the suite of Go reads
      API_URL: api,
      PROJECT: 'default',
      ENV: 'development',
    })
  } finally {
    server.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function makeProjectKey(api, organization) {
  const { id: project_id, organization_id } = await callApi(`${api}/v2/projects/default`, organization)
  const body = { organization_id, project_id, object_type: 'project', access_level: 'admin' }
  return (await callApi(`${api}/v2/api-key`, organization, { method: 'POST', body })).secret
}

async function callApi(address, key, { method = 'GET', body } = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(address, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text}`)
  return JSON.parse(text)
}

/** The addresses that it prints when it listens. */
function readAddresses(server) {
  return new Promise((resolve, reject) => {
    let output = ''
    const late = setTimeout(() => reject(new Error('zerohop serve did not start')), START_MS)
    server.once('close', () => reject(new Error('zerohop serve ended')))
    server.stdout.on('data', (chunk) => {
      output += chunk
      const found = ['management API', 'PDP'].map((name) => new RegExp(`^${name} +(http\\S+)`, 'm').exec(output)?.[1])
      if (found.includes(undefined)) return
      clearTimeout(late)
      resolve(found)
    })
  })
}
