// The example policies that a new folder can start with: what each offers, and that the questions printed with it are
// answered as it says.
import { afterAll, describe, expect, it } from 'vitest'
import { EXAMPLE_NAMES, EXAMPLES, type ExamplePolicy } from '../../src/management/host/example-policies.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

afterAll(endServers)

describe.each(EXAMPLE_NAMES)('the example policy %s', (name) => {
  const { resource, roles, users, try: asked }: ExamplePolicy = EXAMPLES[name]

  it('is in `development` of a new folder, and its printed questions have the printed answers', async () => {
    const data = temporaryFolder('example')
    const ports = { api: await freePort(), pdp: await freePort() }
    const server = await serveHere(data, ports, name)
    const { organization, environments } = readKeys(data)
    const read = async (path: string) => {
      const answer = await fetch(url(ports.api) + path, { headers: { authorization: `Bearer ${organization}` } })
      return (await answer.json()) as { key: string; permissions: string[] }[]
    }
    const found = await read('/v2/schema/default/development/roles')
    expect(Object.fromEntries(found.map(({ key, permissions }) => [key, permissions]))).toEqual(
      Object.fromEntries(roles.map(({ key, may }) => [key, may.map((action) => `${resource}:${action}`)])),
    )
    expect(await read('/v2/schema/default/production/roles')).toEqual([])
    const questions = [...server.output.matchAll(/ -d '(.+)'$/gm)].map(([, body]) => body!)
    const answers: unknown[] = []
    for (const body of questions) {
      const headers = { authorization: `Bearer ${environments.development}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url(ports.pdp)}/allowed`, { method: 'POST', headers, body })
      answers.push([JSON.parse(body).user.key, ((await answer.json()) as { allow: boolean }).allow])
    }
    expect(answers).toEqual([
      [Object.keys(users)[0], true],
      [asked.denied, false],
    ])
  })
})

it('one example policy has a role `editor`', () => {
  expect(EXAMPLES.articles.roles.map(({ key }) => key)).toContain('editor')
})

it.each(['serve', 'api'])('`%s` refuses an unknown example policy, and lists the existing ones', async (command) => {
  const { code, err } = await runHere([command, '--example', 'nothing'], {}, temporaryFolder('example'))
  expect([code, err]).toEqual([64, expect.stringContaining('Allowed choices are hello, articles')])
})
