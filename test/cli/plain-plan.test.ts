// What others wrote into an environment or a policy, as `plan`, `apply` and the lists of the command line print it: no
// character in it turns the text around it or acts on the terminal.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const TURN = '\u202e'
const RED = '\u001b[31m'
/** What is not to be printed as it is. */
const ACTS = /(?!\n)[\p{Cc}\p{Cf}]/u

afterAll(endServers)

it('commands that ask a server show such characters by their codes', async () => {
  const folder = temporaryFolder('plain-plan')
  const port = await freePort()
  await apiHere(join(folder, 'data'), port)
  const keys = readKeys(join(folder, 'data'))
  const env = { ZEROHOP_API: url(port), PDP_API_KEY: keys.environments.development! }
  const run = async (...args: string[]) => {
    const { code, out, err } = await runHere(args, env, folder)
    return { code, printed: out + err }
  }
  const file = join(folder, 'policy.yaml')
  const write = (name: string, more = ''): void =>
    writeFileSync(
      file,
      `zerohop: 2
user_attributes: { team: { type: string, description: ${JSON.stringify(name)} } }
tenants: [{ key: acme, name: ${JSON.stringify(name)} }]
resources: [{ key: note, name: ${JSON.stringify(name)}, actions: { read: { description: ${JSON.stringify(name)} } } }]
roles: [{ key: reader, name: ${JSON.stringify(name)}, permissions: ['note:read'] }]
condition_sets:
  - { key: own, name: ${JSON.stringify(name)}, type: userset, conditions: { user.team: { equals: ${JSON.stringify(name)} } } }
set_rules: [{ user_set: own, permission: 'note:read', resource_set: note }]
users: [{ key: ana, attributes: { team: ${JSON.stringify(name)} } }]
${more}`,
    )
  write('plain')
  expect((await run('apply', file, '--yes')).code).toBe(0)
  write(`a${TURN}b${RED}c`)
  const asked: readonly (readonly string[])[] = [
    ['plan', file],
    ['plan', file, '--details'],
    ['plan', file, '--markdown'],
    ['apply', file, '--yes'],
    ['history'],
    ['history', 'show', '3'],
    ['plan', file, '--details'],
    ['why', 'ana', 'read', 'note'],
  ]
  let shown = 0
  for (const args of asked) {
    const { printed } = await run(...args)
    expect(printed.match(ACTS), `${args.join(' ')}: ${JSON.stringify(printed)}`).toBeNull()
    if (/\\u\{?202e|\ufffd/.test(printed)) shown++
  }
  expect(shown).toBeGreaterThanOrEqual(4)
  // a name that came by the API, of a key that somebody else made
  const headers = { authorization: `Bearer ${keys.organization}`, 'content-type': 'application/json' }
  const { organization_id, environment_id, project_id } = (await (
    await fetch(`${url(port)}/v2/api-key/scope`, {
      headers: { ...headers, authorization: `Bearer ${env.PDP_API_KEY}` },
    })
  ).json()) as Record<string, string>
  const body = JSON.stringify({ organization_id, environment_id, project_id, name: `k${TURN}${RED}` })
  const made = await fetch(`${url(port)}/v2/api-key`, { method: 'POST', headers, body })
  expect([made.status, made.status === 200 ? '' : await made.text()]).toEqual([200, ''])
  const { out, err } = await runHere(['keys', 'list', '--data', join(folder, 'data')], env, folder)
  expect((out + err).match(ACTS), JSON.stringify(out)).toBeNull()
  expect(out).toContain('k')
})
