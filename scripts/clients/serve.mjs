// A `zerohop serve` of its own on a new folder, for one story of a suite, and the variables that the suites read.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = new URL('../../dist/bundle/zerohop.js', import.meta.url).pathname
const START_MS = 60_000

/**
 * Starts it, runs `work` with the variables, and ends it.
 * @param own variables of the server besides
 */
export async function withServer({ example, own = {} }, work) {
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
  const headers = { authorization: `Bearer ${organization}`, 'content-type': 'application/json' }
  const { id: project_id, organization_id } = await (await fetch(`${api}/v2/projects/default`, { headers })).json()
  const body = JSON.stringify({ organization_id, project_id, object_type: 'project', access_level: 'admin' })
  return (await (await fetch(`${api}/v2/api-key`, { method: 'POST', headers, body })).json()).secret
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
