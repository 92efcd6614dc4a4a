// Answers that are cut on the way by a proxy that says no length, so that the connection ends as after a whole one: every
// command says so and exits with an error, and what a file held before is still there.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const data = temporaryFolder('cut-data')
let management: Management
let server: ReturnType<typeof managementServer>
let target: string
let key: string

beforeAll(async () => {
  management = await openManagement({ data })
  server = managementServer(management)
  target = await server.listen({ host: '127.0.0.1', port: 0 })
  key = readKeys(data)?.environments.development ?? ''
})
afterAll(async () => {
  await server?.close()
  await management?.store.close()
})

/** Places in a body of that length, its ends first; never all of it. */
const places = (length: number): number[] => [0, 1, Math.floor(length / 3), Math.floor(length / 2), length - 1]

interface Command {
  readonly path: string
  readonly args: (file: string) => string[]
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'export, as JSON': { path: '/export', args: (file) => ['export', `${file}.json`] },
  'export, as YAML': { path: '/export', args: (file) => ['export', `${file}.yaml`] },
  'export with facts': { path: '/export', args: (file) => ['export', '--facts', `${file}.json`] },
  'image pull': { path: '/image', args: (file) => ['image', 'pull', `${file}.image`] },
}

describe('an answer that is cut', () => {
  it.each(Object.entries(COMMANDS))('is an error of %s, and the file stays as it was', async (_, { path, args }) => {
    const proxy = await cuttingProxy(target)
    proxy.path = path
    const all = args(join(temporaryFolder('cut'), 'file'))
    const file = all.at(-1)!
    const run = () => runHere(all, { PDP_API_KEY: key, ZEROHOP_API: proxy.url, PDP_CONTROL_PLANE: proxy.url })
    expect((await run()).code).toBe(0)
    const good = readFileSync(file, 'utf8')
    for (const cutAt of places(proxy.length)) {
      proxy.cutAt = cutAt
      const { code, out, err } = await run()
      expect(code, `cut at ${cutAt}: ${out}${err}`).not.toBe(0)
      expect(err).toMatch(/^zerohop: .*(cut on the way|ended within the image)/)
      expect(readFileSync(file, 'utf8')).toBe(good)
      expect(readdirSync(dirname(file))).toHaveLength(1)
    }
  })

  it('is an error of the write client', async () => {
    const proxy = await cuttingProxy(target)
    const client = createClient({ url: proxy.url, apiKey: key })
    const ask = () => client.GET('/v2/api-key/scope')
    expect((await ask()).data).toBeDefined()
    for (const cutAt of places(proxy.length)) {
      proxy.cutAt = cutAt
      await expect(ask(), `cut at ${cutAt}`).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
    }
  })
})
