// `zerohop serve` with an operator's token: both ports take it for everything, and an environment's key shows that
// environment alone.
import { afterAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

afterAll(endServers)

it('reaches both servers of `zerohop serve`', async () => {
  const data = temporaryFolder('metrics-token')
  const ports = [await freePort(), await freePort()] as const
  const token = 'a-token-of-the-operator'
  const server = await serveHere(data, { api: ports[0], pdp: ports[1] }, true, { ZEROHOP_METRICS_TOKEN: token })
  const names = async (port: number, secret: string) => {
    const answer = await fetch(`${url(port)}/metrics`, { headers: { authorization: `Bearer ${secret}` } })
    return [...(await answer.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  }
  const key = readKeys(data).environments.development
  for (const port of ports) {
    expect(await names(port, token)).toContain('process_resident_memory_bytes')
    const shown = await names(port, key)
    expect(shown.length).toBeGreaterThan(3)
    expect(shown.filter((name) => !name?.startsWith('zerohop_environment_'))).toEqual([])
  }
  expect(server.output).not.toContain(token)
  await server.end()
})
