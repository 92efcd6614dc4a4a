// Connections that do nothing, break off, or are there when the server has to go. Needs the build.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, type Server, startServe, url } from '../support/server.ts'

const data = temporaryFolder('connections')
let server: Server
let ports: { api: number; pdp: number }
let key: string

beforeAll(async () => {
  ports = { api: await freePort(), pdp: await freePort() }
  server = await startServe(data, ports, [])
  key = readKeys(data).environments.development
})
afterAll(endServers)

const BODY = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })

function check(agent?: Agent) {
  return new Promise<{ allow: boolean; ends: boolean }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
    }
    const options = { port: ports.pdp, method: 'POST', path: '/allowed', headers, agent: agent ?? false }
    const call = request(options, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ allow: JSON.parse(text).allow, ends: answer.headers.connection === 'close' })
    })
    call.on('error', reject)
    call.end(BODY)
  })
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  return socket
}

describe('a server', () => {
  it('answers beside a thousand connections that send nothing', async () => {
    const silent = await Promise.all(Array.from({ length: 1_000 }, (_, at) => dial(at % 2 ? ports.pdp : ports.api)))
    for (let at = 0; at < 20; at++) expect((await check()).allow).toBe(true)
    expect((await fetch(`${url(ports.api)}/health`)).status).toBe(200)
    for (const socket of silent) socket.destroy()
  })

  it.each([
    ['that are no HTTP', '\x16\x03\x01\x02\0', 400],
    [
      'of two lengths',
      'POST /allowed HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['with headers that are too long', `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('answers bytes %s in the form of its errors', async (_, bytes, status) => {
    for (const port of [ports.pdp, ports.api]) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.write(bytes)
      await once(socket, 'close')
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(Object.keys(JSON.parse(body))).toContain(port === ports.pdp ? 'detail' : 'error_code')
    }
  })

  it('changes nothing by a body that breaks off, and goes on', async () => {
    const read = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${url(ports.api)}/v2/facts/default/development/users/cut`, { headers })).status
    }
    const body = JSON.stringify({ key: 'cut' })
    for (let length = 0; length < body.length; length += 3) {
      const socket = await dial(ports.api)
      const head = `POST /v2/facts/default/development/users HTTP/1.1\r\nhost: zerohop\r\nauthorization: Bearer ${key}\r\n`
      socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
      socket.end(body.slice(0, length))
      await once(socket, 'close')
      const pdp = await dial(ports.pdp)
      pdp.write(
        `POST /allowed HTTP/1.1\r\nhost: zerohop\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`,
      )
      pdp.write(`content-length: ${BODY.length}\r\n\r\n${BODY.slice(0, length)}`)
      pdp.destroy()
    }
    expect(await read()).toBe(404)
    expect((await check()).allow).toBe(true)
  })

  it('ends on SIGTERM under load: nothing is unanswered, no connection is reset', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 32 })
    let answered = 0
    const failures: unknown[] = []
    // Asks without a pause on a connection that it keeps, until an answer closes the connection.
    const client = async () => {
      for (let ends = false; !ends; answered++) {
        const answer = await check(agent)
        if (!answer.allow) failures.push(answer)
        ends = answer.ends
      }
    }
    const clients = Array.from({ length: 32 }, () => client().catch((error: unknown) => failures.push(error)))
    await eventually(() => answered > 500, true)
    expect(await server.end()).toBe(0)
    await Promise.all(clients)
    expect(failures).toEqual([])
  })
})
