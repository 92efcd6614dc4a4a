// No secret of an API key, in our form or that of `permit-cli`, is in a line of the log, a metric, an answer to who did
// not make it, the history or a recorded decision: whatever a caller does with it. Needs the build.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { answersOk, endServers, freePort, readKeys, Server, url } from '../support/server.ts'

afterAll(endServers)

const CHECK = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }

it('what a server writes and tells has no secret of a key in it', async () => {
  const data = temporaryFolder('no-secret')
  const [port, pdpPort] = [await freePort(), await freePort()]
  const env = {
    ZEROHOP_DATA: data,
    ZEROHOP_API_PORT: String(port),
    PDP_PORT: String(pdpPort),
    ZEROHOP_LOG_LEVEL: 'trace',
    PDP_DECISION_LOG: 'file,stdout,api',
    PDP_DECISION_LOG_ATTRIBUTES: 'true',
    PDP_DECISION_LOG_REASONS: 'true',
    ZEROHOP_METRICS_TOKEN: 'the-token-of-the-operator',
  }
  const server = new Server('serve', env)
  const { organization: admin } = await server.until(async () => readKeys(data))
  const [api, pdp] = [url(port), url(pdpPort)]
  await server.until(answersOk(`${pdp}/ready`))
  const texts: string[] = []
  const ask = async (
    key: string,
    method: string,
    at: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse>; text: string }> => {
    const answer = await fetch(at, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: /^[[{]/.test(text) ? JSON.parse(text) : text }
  }
  const scope = (await ask(readKeys(data).environments.development!, 'GET', `${api}/v2/api-key/scope`)).body
  const secrets: string[] = []
  const ids: string[] = []
  for (const form of ['permit', undefined]) {
    const made = (await ask(admin, 'POST', `${api}/v2/api-key`, { ...scope, ...(form && { form }) })).body
    const { secret } = (
      await ask(admin, 'POST', `${api}/v2/api-key/${made.id}/rotate-secret`, { keep_old_seconds: 60 })
    ).body
    secrets.push(made.secret, secret, `${secret.slice(0, -1)}_`)
    ids.push(made.id)
  }
  const facts = `${api}/v2/facts/default/development`
  for (const key of secrets) {
    const asked: Promise<{ text: string }>[] = [
      ask(key, 'POST', `${pdp}/allowed`, CHECK),
      ask(key, 'POST', `${pdp}/allowed`, CHECK, { 'x-explain': 'true' }),
      ask(key, 'POST', `${pdp}/allowed`, '{"user":'),
      ask(key, 'POST', `${pdp}/allowed/bulk`, [CHECK, CHECK]),
      ask(key, 'POST', `${pdp}/access/v1/evaluation`, {}),
      ask(key, 'POST', `${pdp}/facts/users`, { key: 'x' }),
      ask(key, 'GET', `${pdp}/no/such/route`),
      ask(key, 'GET', `${facts}/users`),
      ask(key, 'POST', `${facts}/users`, { key: [] }),
      ask(key, 'POST', `${facts}/users`, '{'),
      ask(key, 'PUT', `${facts}/users/ana`, { key: 'ana' }),
      ask(key, 'GET', `${api}/v2/feed/default/development/deltas?after=0&chain=${'0'.repeat(64)}`),
      ask(key, 'GET', `${api}/v2/feed/default/development/image?abi=1`),
      ask(key, 'POST', `${api}/v2/pdps/default/development/audit_logs`, {}),
      ask(key, 'GET', `${api}/metrics`),
      ask(key, 'POST', `${api}/console/api/session`, { api_key: key }, { origin: api }),
      ask(key, 'POST', `${api}/console/api/session`, { api_key: key.repeat(3) }, { origin: api }),
    ]
    texts.push(...(await Promise.all(asked)).map(({ text }) => text))
  }
  for (const path of ['/v2/history', '/v2/api-key?per_page=100', '/metrics', '/v2/pdps/default/development'])
    texts.push((await ask(path === '/metrics' ? env.ZEROHOP_METRICS_TOKEN : admin, 'GET', api + path)).text)
  const list = `${api}/v2/pdps/default/development/audit_logs`
  await eventually(async () => (await ask(admin, 'GET', list)).text.includes('ana'), true)
  texts.push((await ask(admin, 'GET', list)).text)
  expect(await server.end('SIGTERM')).toBe(0)
  const journal = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => /decision/.test(name))
  for (const name of journal) {
    try {
      texts.push(readFileSync(join(data, name), 'latin1'))
    } catch {
      // a folder
    }
  }
  const all = [...texts, server.output].join('\n')
  expect(server.output.split('\n').length).toBeGreaterThan(5)
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
  // the keys were used, and each use has the id of its key
  expect(server.output).toContain('"user":')
  expect(ids.every((id) => all.includes(id))).toBe(true)
})
