// A server whose descriptors are used up by connections: requests on those that it has are answered as always, the
// first write too. Needs the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { freePort, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

// skipped elsewhere: how many descriptors are open is read from /proc
it.runIf(process.platform === 'linux')('the first write is answered when no descriptor is left', async () => {
  const [port, data] = [await freePort(), temporaryFolder('few')]
  const env = { ...process.env, ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(port), ZEROHOP_HOST: '127.0.0.1' }
  const command = `ulimit -n 64; exec "${process.execPath}" "${join(ROOT, 'dist/bundle/zerohop.js')}" api`
  const server = spawn('sh', ['-c', command], { env, stdio: 'ignore' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (method: string, path: string, body?: object): Promise<number | undefined> => {
    const { development } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')).environments
    const headers = { authorization: `Bearer ${development}`, 'content-type': 'application/json' }
    const call = request(`${url(port)}${path}`, { method, agent, headers })
    call.end(body && JSON.stringify(body))
    const [answer] = await once(call, 'response')
    answer.resume()
    await once(answer, 'end')
    return answer.statusCode
  }
  const answers = () => ask('GET', '/v2/projects').catch(() => undefined)
  await expect.poll(answers, { timeout: 60_000 }).toBe(200)
  // A server without descriptors drops what waits, and has more of them once its start is over: so more than once.
  const others: Socket[] = []
  const openAfterMore = async (): Promise<number> => {
    const more = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    await Promise.all(more.map((socket) => once(socket, 'connect')))
    others.push(...more)
    return readdirSync(`/proc/${server.pid}/fd`).length
  }
  await expect.poll(openAfterMore, { timeout: 30_000, interval: 200 }).toBeGreaterThan(61)
  expect(await ask('POST', '/v2/facts/default/development/users', { key: 'first' })).toBe(200)
  for (const socket of others) socket.destroy()
  agent.destroy()
  server.kill('SIGKILL')
  await once(server, 'exit')
})
