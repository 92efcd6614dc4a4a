// A hook that throws, a server that meets an error, and what follows a body that fails: the answer is what it was, or its
// connection ends; the server goes on, and what went wrong is counted.
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpApp } from '../../src/http/app.ts'
import { pdpError } from '../../src/http/errors.ts'
import { beforeSending, holdSending, whenAnswered } from '../../src/http/hooks.ts'
import { BodyBudget } from '../../src/http/intake/body-budget.ts'
import { readBody } from '../../src/http/intake/body-reader.ts'
import { countRequests, Metrics } from '../../src/http/metrics.ts'
import { containedErrors } from '../../src/model/contained.ts'
import { eventually } from '../support/eventually.ts'
import { parseMetrics } from '../support/prometheus.ts'

const app = httpApp({ errorForm: pdpError, duplicates: 'refuse' })
const metrics = new Metrics()
const fails = (): never => {
  throw new Error('a defect')
}
const failsAt = (url: string) => (request: { readonly url: string }) => (request.url === url ? fails() : undefined)

whenAnswered(app, failsAt('/after'))
beforeSending(app, failsAt('/before'))
holdSending(app, (request, done) => (request.url === '/held' ? fails() : done()))
countRequests(app, metrics)
for (const url of ['/after', '/before', '/held', '/sound']) app.get(url, () => ({ url }))

async function counted(): Promise<number> {
  return parseMetrics(await metrics.text()).get('zerohop_contained_errors_total')!.samples[0]!.value
}

describe('a hook that throws', () => {
  const noise = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  afterEach(() => noise.mockClear())

  it.each(['/after', '/before'])('leaves the answer of %s as it is, and is counted', async (url) => {
    const before = await counted()
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.json()]).toEqual([200, { url }])
    await eventually(counted, before + 1)
    expect(parseMetrics(await metrics.text()).get('zerohop_http_requests_total')!.samples).toContainEqual(
      expect.objectContaining({ labels: { method: 'GET', route: url, status: '200' }, value: 1 }),
    )
  })

  it('keeps an answer back that waits for what failed', async () => {
    expect((await app.inject('/held')).statusCode).toBe(500)
    expect((await app.inject('/sound')).statusCode).toBe(200)
  })

  it('is as harmless in a server that cannot accept a connection', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    const before = containedErrors()
    app.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    expect(containedErrors()).toBe(before + 1)
    const { port } = app.server.address() as AddressInfo
    expect((await fetch(`http://127.0.0.1:${port}/sound`)).status).toBe(200)
    await app.close()
  })

  it.each([
    ['a short body', 10],
    ['a long body, which has a turn of its own', 200_000],
  ])('ends the connection when nobody can answer after %s', async (_, length) => {
    const before = containedErrors()
    const stream = Readable.from([Buffer.alloc(length)])
    const budget = new BodyBudget(1_000_000)
    readBody({ stream, announced: String(length), limit: 1_000_000, budget, keyOf: () => '' }, fails)
    await eventually(() => [stream.destroyed, containedErrors()], [true, before + 1])
  })
})
