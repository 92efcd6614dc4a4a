// States × routes of a PDP: its own routes, AuthZEN, the OPA-shaped port and the routes for the first API version, over
// real HTTP, in every state of its follower and its server. What is answered in a state stands in STATES.
import type { FastifyInstance } from 'fastify'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Recorder } from '../../../src/decision-log/recorder.ts'
import { whenAnswered } from '../../../src/http/hooks.ts'
import type { Own, WorkerPeers } from '../../../src/http/pdp/worker-peers.ts'
import { type ErrorCode, ZerohopError } from '../../../src/model/errors.ts'
import { Follower } from '../../../src/pdp/follower.ts'
import { Pdp } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { GlobalObjects } from '../../../src/v1/pdp/v1-global-objects.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ScriptedFeed } from '../../pdp/scripted-feed.ts'
import { eventually } from '../../support/eventually.ts'
import { makeProduct, PDP_STATES } from '../../support/pdp-routes.ts'
import { askInState, askUsual, type Expected, type Usual } from '../../support/states.ts'

const KEY = 'the-key-of-the-environment'

interface Made {
  readonly feed: ScriptedFeed
  readonly follower: Follower
  readonly pdp: Pdp
  readonly apps: Readonly<Record<string, FastifyInstance>>
}

interface State {
  readonly expected: Expected
  /** before anything is followed */
  readonly begin?: (feed: ScriptedFeed) => void
  readonly maxStalenessMs?: number
  readonly peers?: () => WorkerPeers
  readonly recorder?: () => Promise<Recorder>
  /** from the state in which nothing is wrong */
  readonly enter?: (made: Made) => Promise<void> | void
}

/** It cannot decide, for a reason that time may mend; who asks is known all the same, and what is asked is read first. */
const refuses = (...codes: ErrorCode[]): Expected => ({ keyed: { good: codes }, open: 503 })
const ended =
  (code: ErrorCode) =>
  async ({ feed, pdp }: Made) => {
    feed.imageTrouble = feed.streamTrouble = new ZerohopError(code)
    feed.break(new ZerohopError(code))
    await eventually(() => pdp.ended?.code, code)
  }

const STATES: Readonly<Record<string, State>> = {
  starting: {
    begin: (feed) => {
      feed.imageTrouble = new ZerohopError('FEED_UNREACHABLE', { reason: 'the cable is cut' })
    },
    expected: refuses('NOT_READY'),
  },
  'not ready, with a cause': {
    begin: (feed) => {
      feed.imageTrouble = new ZerohopError('IMAGE_DAMAGED', { reason: 'somebody changed it' })
    },
    expected: refuses('NOT_READY'),
  },
  current: { expected: {} },
  stale: {
    maxStalenessMs: 200,
    enter: async ({ feed, pdp }) => {
      feed.heartbeats = false
      await eventually(() => pdp.refusal?.code, 'STALE')
    },
    expected: refuses('STALE'),
  },
  poisoned: {
    enter: ({ feed, follower }) => {
      feed.heartbeats = false
      poison(follower)
    },
    expected: refuses('POISONED'),
  },
  'environment deleted': { enter: ended('ENVIRONMENT_DELETED'), expected: refuses('ENVIRONMENT_DELETED') },
  'key unknown': {
    enter: ended('KEY_UNKNOWN'),
    expected: { keyed: { good: ['KEY_REVOKED'], bad: ['KEY_REVOKED'] }, open: 503 },
  },
  closed: { enter: ({ pdp }) => pdp.close(), expected: refuses('CLOSED') },
  'a worker lost': {
    peers: () => {
      let own: Own
      return {
        answer: (answerers) => {
          own = answerers
        },
        // the lost one does not answer
        health: async () => ({ begun: true, wanted: 2, each: [own.health(), null] }),
        metrics: async () => [await own.metrics()],
      }
    },
    expected: { readiness: 503 },
  },
  ...PDP_STATES,
}

/** A check finds what no sound image does. */
function poison(follower: Follower): void {
  const image = follower.peek()!
  expect(() =>
    image.guard(() => {
      throw new TypeError('what no sound image does')
    }),
  ).toThrow(expect.objectContaining({ code: 'POISONED' }))
}

/** A PDP on real ports, together with the OPA-shaped one, or for the first API version. */
async function make(
  family: string,
  { begin, maxStalenessMs, peers, recorder }: Omit<State, 'expected'>,
  change: (app: FastifyInstance) => void = () => undefined,
): Promise<Made> {
  const feed = new ScriptedFeed(HELLO)
  begin?.(feed)
  const follower = new Follower({ feed, times: { retryFirstMs: 10 }, ...(maxStalenessMs ? { maxStalenessMs } : {}) })
  const pdp = new Pdp(follower)
  const globalObjects = new GlobalObjects({ feed: new ScriptedFeed([]) })
  const logging = recorder === undefined ? {} : { decisionLog: { recorder: await recorder() } }
  const app = pdpServer(pdp, KEY, {
    openMetrics: true,
    ...logging,
    ...(peers ? { peers: peers() } : {}),
    ...(family === 'v1' ? { v1: { globalObjects, keyless: false } } : {}),
  })
  const apps: Record<string, FastifyInstance> = family === 'v1' ? { pdp: app } : { pdp: app, opa: app.opa() }
  onTestFinished(async () => {
    for (const each of Object.values(apps).reverse()) await each.close()
    await globalObjects.close()
  })
  change(app)
  for (const each of Object.values(apps)) await each.listen({ host: '127.0.0.1', port: 0 })
  if (begin === undefined) await pdp.ready()
  else await eventually(() => feed.images > 1, true)
  if (family === 'v1') await eventually(() => globalObjects.refusal, undefined)
  return { feed, follower, pdp, apps }
}

/** What is usual in a family of routes; asked once. */
const usual = new Map<string, Promise<Usual>>()
function ensureUsual(family: string): Promise<Usual> {
  const known = usual.get(family) ?? findUsual(family)
  usual.set(family, known)
  return known
}

async function findUsual(family: string): Promise<Usual> {
  const found = await askUsual(makeProduct((await make(family, {})).apps, KEY))
  expect(found.problems).toEqual([])
  return found.usual
}

describe.each(['v2', 'v1'])('every route of a PDP for clients of %s', (family) => {
  it.each(Object.entries(STATES))(
    'answers as the table says when it is %s, goes on, and is counted',
    async (_, state) => {
      const known = await ensureUsual(family)
      const made = await make(family, state)
      await state.enter?.(made)
      expect(await askInState(makeProduct(made.apps, KEY), known, state.expected)).toEqual([])
    },
  )
})

describe('an image that is poisoned while questions wait', () => {
  it('answers none of them from it, and all of them from the next one', async () => {
    const { feed, follower, pdp, apps } = await make('v2', {})
    const product = makeProduct(apps, KEY)
    const bulk = product.routes.find(({ url }) => url === '/allowed/bulk')!
    const wanted = feed.head + 1
    const body = Array(500).fill((bulk.good as unknown[])[0])
    const headers = { ...bulk.headers, authorization: `Bearer ${KEY}` }
    const later = { ...headers, 'x-min-revision': String(wanted), 'x-min-revision-timeout': '30000' }
    const waiting = Array.from({ length: 20 }, () => product.ask(bulk, body, later))
    const check = product.routes.find(({ url }) => url === '/allowed')!
    await product.ask(check, check.good, headers) // by then the others have come
    poison(follower)
    expect((await product.ask(bulk, body, headers)).status).toBe(503)
    feed.commit(HELLO.slice(0, 1)) // the heartbeat after it shows the follower that its image is broken
    for (const { status, headers: answerHeaders, text } of await Promise.all(waiting)) {
      expect([status, answerHeaders['x-revision'], status === 200 ? '' : text]).toEqual([200, String(wanted), ''])
      expect(JSON.parse(text).allow.filter(({ allow }: { allow: boolean }) => allow)).toHaveLength(500)
    }
    expect(pdp.refusal).toBeUndefined()
  })
})

describe('the product', () => {
  // what is wrong on purpose is reported as a warning
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  afterAll(() => warn.mockRestore())

  it('finds a hook that throws once an answer was sent', async () => {
    const known = await ensureUsual('v2')
    const made = await make('v2', {}, (app) =>
      whenAnswered(app, ({ pdp }) => {
        if (pdp !== undefined) throw new Error('a defect')
      }),
    )
    const problems = await askInState(makeProduct(made.apps, KEY), known, {})
    expect(problems).toContainEqual(expect.stringContaining('counted contained'))
  })

  it('finds a count that fails in the state that it counts, also on the way around the framework', async () => {
    const known = await ensureUsual('v2')
    const state = STATES.stale!
    const made = await make('v2', state)
    await state.enter?.(made)
    Object.defineProperty(made.pdp, 'environment', { get: () => made.pdp.take().environment })
    const problems = await askInState(makeProduct(made.apps, KEY), known, state.expected)
    expect(problems).toContainEqual(expect.stringContaining('counted contained'))
    expect(problems).toContainEqual(expect.stringContaining('counted undecided'))
  })
})
