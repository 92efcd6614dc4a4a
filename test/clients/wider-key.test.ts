// `zerohop pdp` started with the key of an organization or a project: it serves the environment that is set, and its
// callers send that environment's key. A wrong setting ends the command with one line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere, pdpHere } from '../support/serve-here.ts'
import { endServers, freePort, type Keys, readKeys, url } from '../support/server.ts'

const data = temporaryFolder('api')
let api = 0
let keys: Keys

beforeAll(async () => {
  api = await freePort()
  await apiHere(data, api)
  keys = readKeys(data)
})
afterAll(endServers)

const variables = (env: Record<string, string>, port = 0) => ({
  PDP_PORT: String(port),
  PDP_CONTROL_PLANE: url(api),
  ZEROHOP_DATA: temporaryFolder('pdp'),
  ...env,
})

async function call(path: string, key: string, body?: object) {
  const response = await fetch(url(api) + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, string>
}

async function checkStatus(port: number, key: string): Promise<number> {
  const body = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (await fetch(`${url(port)}/allowed`, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

it('a PDP with the key of the organization takes the key of the environment', async () => {
  const port = await freePort()
  const wider = { PDP_ORG_API_KEY: keys.organization, PDP_ACTIVE_PROJECT: 'default', PDP_ACTIVE_ENV: 'production' }
  const pdp = await pdpHere(variables(wider, port))
  expect(await checkStatus(port, keys.environments.production)).toBe(200)
  expect(await checkStatus(port, keys.environments.development)).toBe(403)
  expect(await checkStatus(port, keys.organization)).toBe(403)
  expect(pdp.output).not.toContain(keys.organization)
})

it('a PDP with the key of a project needs no name of a project', async () => {
  const { project_id } = await call('/v2/api-key/scope', keys.environments.development)
  const { organization_id } = await call('/v2/api-key/scope', keys.organization)
  const { secret } = await call('/v2/api-key', keys.organization, {
    organization_id,
    project_id: project_id!,
    object_type: 'project',
  })
  const port = await freePort()
  await pdpHere(variables({ PDP_PROJECT_API_KEY: secret!, PDP_ACTIVE_ENV: 'development' }, port))
  expect(await checkStatus(port, keys.environments.development)).toBe(200)
})

describe('ends with one line', () => {
  it.each([
    ['PDP_ACTIVE_ENV is not set', () => ({ PDP_ORG_API_KEY: keys.organization })],
    ['PDP_ACTIVE_PROJECT is not set', () => ({ PDP_ORG_API_KEY: keys.organization, PDP_ACTIVE_ENV: 'production' })],
    [
      'environment `nowhere` does not exist',
      () => ({ PDP_ORG_API_KEY: keys.organization, PDP_ACTIVE_PROJECT: 'default', PDP_ACTIVE_ENV: 'nowhere' }),
    ],
    [
      'this API key is not known',
      () => ({ PDP_ORG_API_KEY: 'wrong', PDP_ACTIVE_PROJECT: 'default', PDP_ACTIVE_ENV: 'production' }),
    ],
    [
      'cannot reach the management API',
      () => ({
        PDP_ORG_API_KEY: 'x',
        PDP_ACTIVE_PROJECT: 'default',
        PDP_ACTIVE_ENV: 'production',
        PDP_CONTROL_PLANE: 'http://127.0.0.1:1',
      }),
    ],
  ])('%s', async (words, env) => {
    const { code, err } = await runHere(['pdp'], variables(env() as Record<string, string>))
    expect([code, err]).toEqual([1, expect.stringMatching(/^zerohop: [^\n]*\n$/)])
    expect(err).toContain(words)
  })
})
