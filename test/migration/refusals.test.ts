// What `zerohop migrate` must not do, it refuses in one line and with exit code 2, which is not that of a difference.
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServers, url } from '../support/server.ts'
import { OURS, World } from './support.ts'

afterAll(endServers)

const SCRIPT = '/usr/bin/script'
if (!existsSync(SCRIPT)) process.stdout.write(`skipped: no terminal without ${SCRIPT}\n`)

describe('refuses in one line', () => {
  const world = new World()
  beforeAll(async () => {
    await world.open()
    await world.call('POST', `/v2/schema/${OURS}/roles`, { key: 'only-here' })
    writeFileSync(join(world.folder, 'slip.txt'), 'default/production\ndefault/developmnt\n')
    writeFileSync(join(world.folder, 'null.json'), 'null')
    writeFileSync(join(world.folder, 'all.txt'), 'default\n')
  })

  it.each([
    [
      'the key of an environment',
      ['survey'],
      () => ({ ZEROHOP_ORGANIZATION_KEY: world.keys.environments.development }),
      'this key belongs to an environment: a migration needs the key of the organization',
    ],
    ['a wrong key', ['survey'], () => ({ ZEROHOP_ORGANIZATION_KEY: 'wrong' }), 'this API key is not known'],
    ['no key', ['survey'], () => ({ ZEROHOP_ORGANIZATION_KEY: '' }), 'ZEROHOP_ORGANIZATION_KEY is not set'],
    ['an address that is none', ['survey', '--api', 'nowhere'], () => ({}), '`nowhere` is not an http or https URL'],
    [
      'an address where nobody is',
      ['survey', '--api', 'http://127.0.0.1:1'],
      () => ({}),
      'cannot reach the management API: http://127.0.0.1:1',
    ],
    ['an address of something else', ['survey', '--api', 'PDP'], () => ({}), 'is not a management API'],
    [
      'an address with a secret in it, which it does not repeat',
      ['survey', '--api', 'http://user:secret@127.0.0.1:1'],
      () => ({}),
      'the address of 127.0.0.1:1 must not have a user, a query or a fragment\n',
    ],
    ['an address with a query', ['survey', '--api', 'http://127.0.0.1:1/?a=1'], () => ({}), 'must not have a user'],
    ['an address that speaks no TLS', ['survey', '--api', 'TLS'], () => ({}), ': wrong version number\n'],
    [
      'a key with a line break, which it does not repeat',
      ['survey'],
      () => ({ ZEROHOP_ORGANIZATION_KEY: 'one\ntwo' }),
      'zerohop: the API key contains characters that API keys never contain\n',
    ],
    [
      'a list that names what is not there',
      ['survey', '--ours', 'slip.txt'],
      () => ({}),
      'the list names `default/developmnt`, which does not exist as a project or environment',
    ],
    ['a report that is none', ['finish', '--foreign', OURS, '--report', 'null.json'], () => ({}), 'is not a report of'],
    ['a list that is not there', ['survey', '--ours', 'none.txt'], () => ({}), '`none.txt` cannot be read: ENOENT'],
    ['a move that does not know what is foreign', ['move'], () => ({}), 'which environments belong to your team?'],
    [
      'a foreign environment that is not there',
      ['move', '--foreign', 'a/b'],
      () => ({}),
      'there is no environment `a/b`',
    ],
    [
      'a foreign environment that is the team’s',
      ['finish', '--foreign', OURS, '--ours', 'all.txt', '--yes'],
      () => ({}),
      'is listed as created by the team, so it cannot be foreign',
    ],
    [
      'a target that is not the team’s',
      ['move', '--foreign', OURS, '--to', OURS],
      () => ({}),
      'is not an environment of the team',
    ],
    [
      'to delete without a report',
      ['finish', '--foreign', OURS, '--yes'],
      () => ({}),
      'there is no report zerohop-migration.json',
    ],
    [
      'to delete what holds nothing, unless it is named',
      ['finish', '--foreign', 'default/production', '--yes'],
      () => ({}),
      'nothing is left in default/production that a verify could compare',
    ],
    ['a pair that names no PDPs', ['verify', '--ours', 'ours.txt', '--pdps', 'x'], () => ({}), '`x` names no PDPs'],
    ['a folder that cannot be scanned', ['scan', 'none'], () => ({}), '`none` cannot be read: ENOENT'],
  ])('%s', async (_, args, env, words) => {
    const other = args.includes('PDP') ? await world.startPdp(world.keys.environments.development) : 0
    const { code, err } = await world.migrate(
      args.map((word) => ({ PDP: url(other), TLS: url(world.port).replace('http:', 'https:') })[word] ?? word),
      env(),
    )
    expect(code).toBe(2)
    expect(err).toMatch(/^zerohop: [^\n]*\n$/)
    expect(err).toContain(words)
  })

  // skipped where nothing makes a terminal: without one the bar is not drawn
  it.skipIf(!existsSync(SCRIPT))(
    'in a terminal too, on a line of its own after the bar, which it leaves as it was',
    async () => {
      const [v1, v2] = [createServer((_, response) => response.end('{"allow":true}')), createServer()]
      let asked = 0
      v2.on('request', ({ method }, response) =>
        response.writeHead(method === 'GET' || asked++ === 0 ? 200 : 400).end('{"allow":true}'),
      )
      for (const server of [v1, v2]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      await world.writeV1()
      const pair = [v1, v2].map((server) => url((server.address() as AddressInfo).port)).join(',')
      const { out } = await world.inTerminal(`verify --ours all.txt --to ${OURS} --pdps ${OURS}=${pair}`)
      for (const server of [v1, v2]) server.close()
      expect(out).toContain(`decisions of ${OURS} [`)
      expect(out).toMatch(/\[2Kzerohop: \S+ did not decide: POST \/allowed answered 400\r\n$/)
      expect(out).not.toContain('\u001b[?7l')
    },
  )

  it('an option that there is not', async () => {
    const { code, err } = await world.migrate(['survey', '--what'])
    expect([code, err]).toEqual([2, expect.stringContaining('unknown option')])
  })
})
