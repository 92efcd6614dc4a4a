// A proxy on loopback that speaks HTTP/1.0 and says no length: where it cuts an answer, the connection ends as it does
// after a whole one.
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  readonly url: string
  /** bytes of a body that pass, of answers to paths that contain `path`; all of them pass first */
  cutAt: number
  path: string
  /** bytes of the last body that was cut, or could have been */
  length: number
}

/** Headers about how a body is sent, which this proxy decides. */
const OF_SENDING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'content-encoding'])

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const proxy = { url: '', cutAt: Number.POSITIVE_INFINITY, path: '', length: 0 }
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers
    const answer = await fetch(target + request.url, { headers: { authorization } })
    const body = Buffer.from(await answer.arrayBuffer())
    const isCut = request.url!.includes(proxy.path)
    if (isCut) proxy.length = body.length
    const headers = [...answer.headers].filter(([name]) => !OF_SENDING.has(name))
    const head = [
      `HTTP/1.0 ${answer.status} ${answer.statusText}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ]
    const { socket } = response
    socket?.write(`${head.join('\r\n')}\r\n\r\n`)
    socket?.end(isCut ? body.subarray(0, proxy.cutAt) : body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  proxy.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  onTestFinished(() => void server.close())
  return proxy
}
