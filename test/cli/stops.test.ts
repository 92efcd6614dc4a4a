// Servers are ended by SIGTERM while clients with kept connections ask them through a load balancer that hears of it
// late: no request fails. `npm run test:stops` runs twenty stops of each kind with the default time and a balancer that
// takes three seconds. Needs the build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort } from '../support/server.ts'
import { runStops, type StopOptions, type Stopped } from '../support/stops.ts'

const KEY = 'permit_key_the_key_of_every_server_here'
const many = Number(process.env.ZEROHOP_TEST_STOPS ?? 0)
const options: StopOptions =
  many > 0 ? { stops: many, drainSeconds: 5, reactMs: 3_000 } : { stops: 2, drainSeconds: 2, reactMs: 700 }
const check = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }

async function pdp(workers: number): Promise<Stopped> {
  const image = join(temporaryFolder('stops'), 'policy.image')
  writeFileSync(image, Image.build(ENVIRONMENT, makePosition(1), HELLO).save())
  const port = await freePort()
  const env = { PDP_API_KEY: KEY, PDP_PORT: String(port), PDP_WORKERS: String(workers) }
  const asked = [{ port, method: 'POST', path: '/allowed', key: KEY, body: check }]
  return { command: 'pdp', args: ['--image', image], env, ready: port, asked }
}

/** The management API is asked too, while its `/ready` and that of its PDP say the same. */
async function serve(): Promise<Stopped> {
  const [api, port] = [await freePort(), await freePort()]
  const env = {
    ZEROHOP_DATA: temporaryFolder('stops'),
    ZEROHOP_API_PORT: String(api),
    ZEROHOP_BOOTSTRAP_KEY: KEY,
    PDP_PORT: String(port),
  }
  const asked = [
    { port, method: 'GET', path: '/health', key: KEY },
    { port: api, method: 'GET', path: '/v2/projects', key: KEY },
    { port: api, method: 'GET', path: '/v2/api-key/scope', key: KEY },
  ]
  return { command: 'serve', args: [], env, ready: api, asked }
}

describe('SIGTERM under load', () => {
  afterAll(endServers)

  it.each([
    ['a PDP', () => pdp(1)],
    ['a PDP of two workers', () => pdp(2)],
    ['management API and PDP of serve', serve],
  ])('%s: no request fails', async (_, make) => {
    const found = await runStops([await make(), await make()], options)
    expect(found.failures).toEqual([])
    expect(found.codes).toEqual(Array(options.stops).fill(0))
    // requests came, and were answered, after it had said that it ends
    expect(found.whileEnding).toBeGreaterThan(0)
  })
})
