// [D11] A command that writes prints on standard error what its write takes away on which a condition counts, at a server
// and in a data folder alike. Needs the build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const folder = temporaryFolder('warnings-cli')
const data = join(folder, 'data')
const full = join(folder, 'full.json')
const file = join(folder, 'less.json')
let env: Record<string, string> = {}

const POLICY = {
  zerohop: 2,
  resources: [{ key: 'doc', actions: { read: {} }, attributes: { a: { type: 'json' }, b: { type: 'json' } } }],
  condition_sets: [
    { key: 'active', type: 'userset', conditions: { not: { 'user.suspended': { equals: true } } } },
    {
      key: 'unlike',
      type: 'resourceset',
      resource: 'doc',
      conditions: { not: { 'resource.a': { equals: { ref: 'resource.b' } } } },
    },
  ],
  set_rules: [{ user_set: 'active', permission: 'doc:read', resource_set: 'unlike' }],
  users: [{ key: 'eva', attributes: { suspended: true } }],
  resource_instances: [{ resource: 'doc', key: 'd', tenant: 'default', attributes: { a: 'x' } }],
}
const LESS = { zerohop: 2, users: [{ key: 'eva' }] }
const GONE =
  'zerohop: warning: condition set `active` has a `not` over `user.suspended`, which may now be true: it is gone from user `eva`\n'

const at = (isFolder: boolean) => (isFolder ? ['--data', data] : [])
const run = async (...args: string[]) => {
  const { code, out, err } = await runHere(args, env)
  expect(code, err).toBe(0)
  return { out, err }
}

beforeAll(async () => {
  const port = await freePort()
  await apiHere(data, port)
  env = { ZEROHOP_API: url(port), PDP_API_KEY: readKeys(data).organization! }
  writeFileSync(full, JSON.stringify(POLICY))
  writeFileSync(file, JSON.stringify(LESS))
})
afterAll(() => endServers())

const WHERE = ['--project', 'default', '--environment', 'development']

it.each([false, true])('apply, import and revert, in a data folder: %s', async (isFolder) => {
  const target = [...at(isFolder), ...WHERE]
  for (const write of [
    ['apply', file, '--yes'],
    ['apply', file, '--yes', '--json'],
    ['import', file],
  ]) {
    expect((await run('apply', full, '--yes', ...target)).err).toBe('')
    const { out, err } = await run(...write, ...target)
    expect([err, out.includes('warning')]).toEqual([GONE, false])
  }
  const { out } = await run('apply', full, '--yes', ...target)
  const revision = /revision (\d+)\n$/.exec(out)?.[1] ?? ''
  expect((await run('history', 'revert', revision, '--yes', ...target)).err).toBe(GONE)
})

it.each([false, true])(
  'copy over an environment whose values are of other types, in a data folder: %s',
  async (isFolder) => {
    const there = isFolder ? 'development' : 'production'
    const production = ['--project', 'default', '--environment', 'production']
    for (const target of [WHERE, production]) await run('apply', full, '--yes', ...target)
    const from = isFolder ? 'production' : 'development'
    const typed = { ...POLICY.resources[0], attributes: { a: { type: 'number' }, b: { type: 'json' } } }
    const changed = join(folder, 'changed.json')
    writeFileSync(changed, JSON.stringify({ zerohop: 2, resources: [typed] }))
    await run('apply', changed, '--yes', '--project', 'default', '--environment', from)
    const { err } = await run('copy', from, there, '--overwrite', '--yes', ...at(isFolder), '--project', 'default')
    expect(err).toMatch(
      /^zerohop: warning: condition set `unlike` has a `not` over `resource\.a`.*another type than number/,
    )
  },
)
