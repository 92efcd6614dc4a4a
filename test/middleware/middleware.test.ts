// The middleware of each framework, on a real server: who may, who may not, what cannot be asked or decided, and that
// it leaves bodies and the application's own errors alone.
import { readFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import type { ExecutionContext, HttpException } from '@nestjs/common'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { authorization as forExpress } from '../../src/middleware/express.ts'
import { authorization as forFastify } from '../../src/middleware/fastify.ts'
import { authorization as forHono } from '../../src/middleware/hono.ts'
import {
  Authorizer,
  RequestAuthorization,
  type RequestDecision,
} from '../../src/middleware/requests/request-authorization.ts'
import { REQUEST_DECISIONS_MAX } from '../../src/model/limits.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import type { Policy } from '../golden/policy.d.ts'
import { give, HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { ROOT } from '../tidy/source.ts'
import { may } from './nest-guard.ts'

const bytes = Image.build(ENVIRONMENT, makePosition(7), [...HELLO, give('zoe', 'viewer', 'acme')]).save()
const pdp = loadImage(bytes, { strict: true })
const closed = loadImage(bytes)

/** What the server of each framework did with the last request. */
interface Seen {
  decisions: readonly RequestDecision[]
  /** how often the options were asked for the user */
  asked: number
}

interface Running {
  readonly url: string
  readonly seen: Seen
  close(): Promise<void>
}

type Headers = Readonly<Record<string, string | string[] | undefined>>
const one = (headers: Headers, name: string): string | undefined => headers[name]?.toString()

async function onExpress(): Promise<Running> {
  const seen: Seen = { decisions: [], asked: 0 }
  const options = {
    user: (request: express.Request) => {
      seen.asked++
      if (request.headers['x-user'] === 'trouble') throw new Error('no session')
      return one(request.headers, 'x-user')
    },
    tenant: (request: express.Request) => one(request.headers, 'x-tenant'),
  }
  const { allow, subject } = forExpress(pdp, options)
  const app = express()
  app.use((request, response, next) => {
    response.once('finish', () => {
      seen.decisions = request.authorization?.decisions ?? []
    })
    next()
  })
  app.get('/closed', forExpress(closed, options).allow('say', 'hello'), (_, response) => void response.send('said'))
  app.use(subject)
  app.get(
    '/hello/:key',
    allow('say', ({ params }) => `hello:${String(params.key)}`),
    (_, response) => {
      response.send('said')
    },
  )
  app.get('/wave', (request, response) => {
    response.send(String(request.authorization?.check('wave', 'hello')))
  })
  app.post('/echo', allow('say', { type: 'hello' }), (request, response) => void request.pipe(response))
  app.get('/broken', allow('say', 'hello'), () => {
    throw new Error('boom')
  })
  app.use(((error, _request, response, _next) => {
    response.status(500).send(`own: ${error.message}`)
  }) as express.ErrorRequestHandler)
  const server = createServer(app as Parameters<typeof createServer>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function onFastify(): Promise<Running> {
  const seen: Seen = { decisions: [], asked: 0 }
  const options = {
    user: ({ headers }: { headers: Headers }) => {
      seen.asked++
      if (headers['x-user'] === 'trouble') throw new Error('no session')
      return one(headers, 'x-user')
    },
    tenant: ({ headers }: { headers: Headers }) => one(headers, 'x-tenant'),
  }
  const { allow, subject } = forFastify(pdp, options)
  const app = Fastify()
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  app.setErrorHandler((error: Error, _request, reply) => reply.code(500).send(`own: ${error.message}`))
  app.addHook('onResponse', async ({ authorization }) => {
    seen.decisions = authorization?.decisions ?? []
  })
  app.get('/closed', { onRequest: forFastify(closed, options).allow('say', 'hello') }, async () => 'said')
  await app.register(async (inner) => {
    inner.addHook('onRequest', subject)
    const resource = ({ params }: { params: unknown }) => `hello:${(params as { key: string }).key}` as const
    inner.get('/hello/:key', { onRequest: allow('say', resource) }, async () => 'said')
    inner.get('/wave', async ({ authorization }) => String(authorization?.check('wave', 'hello')))
    inner.post('/echo', { preHandler: allow('say', { type: 'hello' }) }, async (request) => request.body)
    inner.get('/broken', { onRequest: allow('say', 'hello') }, async () => {
      throw new Error('boom')
    })
  })
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), seen, close: () => app.close() }
}

async function onHono(): Promise<Running> {
  const seen: Seen = { decisions: [], asked: 0 }
  const options: Parameters<typeof forHono>[1] = {
    user: ({ req }) => {
      seen.asked++
      if (req.header('x-user') === 'trouble') throw new Error('no session')
      return req.header('x-user')
    },
    tenant: ({ req }) => req.header('x-tenant'),
  }
  const { allow, subject } = forHono(pdp, options)
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    seen.decisions = context.get('authorization')?.decisions ?? []
  })
  app.get('/closed', forHono(closed, options).allow('say', 'hello'), (context) => context.text('said'))
  app.use(subject)
  app.get(
    '/hello/:key',
    allow('say', ({ req }) => `hello:${req.param('key') ?? ''}`),
    (context) => context.text('said'),
  )
  app.get('/wave', (context) => context.text(String(context.get('authorization').check('wave', 'hello'))))
  app.post('/echo', allow('say', { type: 'hello' }), ({ req, body }) => body(req.raw.body as ReadableStream))
  app.get('/broken', allow('say', 'hello'), () => {
    throw new Error('boom')
  })
  app.onError((error, context) => context.text(`own: ${error.message}`, 500))
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        seen,
        close: () => new Promise((done) => void server.close(() => done())),
      }),
    )
  })
}

describe.each([
  ['zerohop/express', onExpress],
  ['zerohop/fastify', onFastify],
  ['zerohop/hono', onHono],
])('%s', (_name, start) => {
  let app: Running
  beforeAll(async () => {
    app = await start()
    await closed.close()
  })
  afterAll(() => app.close())

  const get = async (path: string, headers: Record<string, string> = {}) => {
    app.seen.asked = 0
    const response = await fetch(app.url + path, { headers: { ...headers, connection: 'close' } })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it('answers 401 without a user, 403 to one who may not, and lets one through who may', async () => {
    const nobody = await get('/hello/plan')
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(JSON.parse(nobody.text)).toEqual({ error: 'unauthenticated', message: 'this needs a user' })
    const denied = await get('/hello/plan', { 'x-user': 'ben' })
    expect([denied.status, JSON.parse(denied.text).error]).toEqual([403, 'forbidden'])
    expect(await get('/hello/plan', { 'x-user': 'ana' })).toMatchObject({ status: 200, text: 'said' })
    expect((await get('/hello/plan', { 'x-user': 'stranger' })).status).toBe(403)
  })

  it('answers 400 to what cannot be asked, and 503 when it could not decide', async () => {
    const invalid = await get('/hello/plan', { 'x-user': 'ana', 'x-tenant': 'acne' })
    expect([invalid.status, JSON.parse(invalid.text)]).toEqual([
      400,
      { error: 'invalid', message: 'unknown tenant `acne`: did you mean `acme`?' },
    ])
    const undecided = await get('/closed', { 'x-user': 'ana' })
    expect([undecided.status, undecided.headers.get('retry-after')]).toEqual([503, '1'])
    expect(JSON.parse(undecided.text).error).toBe('undecided')
  })

  it('decides in the tenant of the request', async () => {
    expect((await get('/hello/plan', { 'x-user': 'ana', 'x-tenant': 'acme' })).status).toBe(403)
    expect((await get('/wave', { 'x-user': 'zoe', 'x-tenant': 'acme' })).text).toBe('true')
    expect((await get('/wave', { 'x-user': 'zoe' })).text).toBe('false')
  })

  it('leaves the decisions on the request, for its log, and asks for the user once', async () => {
    await get('/hello/plan', { 'x-user': 'ben' })
    expect(app.seen).toEqual({
      asked: 1,
      decisions: [
        {
          status: 403,
          user: 'ben',
          action: 'say',
          resource: { type: 'hello', key: 'plan', tenant: undefined },
          allow: false,
          code: undefined,
          revision: 7,
        },
      ],
    })
    await get('/closed', { 'x-user': 'ana' })
    expect(app.seen.decisions).toMatchObject([{ status: 503, allow: undefined, code: 'CLOSED', revision: undefined }])
  })

  it('does not swallow an error of the application, in a handler or in the options', async () => {
    expect(await get('/broken', { 'x-user': 'ana' })).toMatchObject({ status: 500, text: 'own: boom' })
    expect(await get('/hello/plan', { 'x-user': 'trouble' })).toMatchObject({ status: 500, text: 'own: no session' })
  })

  it('leaves a body that streams untouched: the answer begins before the body has ended', async () => {
    const headers = { 'x-user': 'ana', 'content-type': 'application/octet-stream', connection: 'close' }
    const parts = await new Promise<string[]>((resolve, reject) => {
      const asking = send(`${app.url}/echo`, { method: 'POST', headers }, (response) => {
        const got: string[] = []
        response.setEncoding('utf8').on('data', (part: string) => {
          got.push(part)
          if (got.length === 1) asking.end('second')
        })
        response.on('end', () => resolve(got))
      })
      asking.on('error', reject)
      asking.write('first')
    })
    expect(parts).toEqual(['first', 'second'])
  })
})

describe('the guard for Nest', () => {
  it('is the one that docs/middleware.md shows', () => {
    const guard = readFileSync(join(ROOT, 'test/middleware/nest-guard.ts'), 'utf8')
    expect(readFileSync(join(ROOT, 'docs/middleware.md'), 'utf8')).toContain(guard.slice(guard.indexOf('import ')))
  })

  it('lets through who may, and throws what Nest answers', () => {
    const statusFor = (authorization: RequestAuthorization | undefined) => {
      const request = { authorization, params: { key: 'plan' } }
      const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext
      try {
        return may('say', ({ params }) => `hello:${String(params.key)}`).canActivate(context)
      } catch (error) {
        return (error as HttpException).getStatus()
      }
    }
    const answers = ['ana', 'ben', undefined].map((user) => statusFor(new RequestAuthorization(pdp, user, undefined)))
    expect([...answers, statusFor(undefined)]).toEqual([true, 403, 401, 401])
    expect(statusFor(new RequestAuthorization(pdp, 'ana', 'nowhere'))).toBe(400)
  })
})

describe('the authorization of a request', () => {
  it('keeps a bounded number of decisions, and the last one', () => {
    const about = new RequestAuthorization(pdp, 'ana', undefined)
    for (let at = 0; at <= REQUEST_DECISIONS_MAX; at++) about.check('wave', `hello:${at}`)
    expect(about.decisions).toHaveLength(REQUEST_DECISIONS_MAX)
    expect(about.decision?.resource.key).toBe(String(REQUEST_DECISIONS_MAX))
  })

  it('of nobody denies, and throws what a check throws', () => {
    const nobody = new RequestAuthorization(pdp, undefined, undefined)
    expect([nobody.check('wave', 'hello'), nobody.decision?.status]).toEqual([false, 401])
    const ana = new RequestAuthorization(pdp, 'ana', 'default')
    expect(() => ana.check('wvae', 'hello')).toThrow('did you mean `wave`?')
    expect(ana.decision).toMatchObject({ status: 400, code: 'UNKNOWN_NAME', resource: { tenant: 'default' } })
    expect(() => ana.check('wave', null as never)).toThrow('resource must be')
  })

  it('[D16] where no one is signed in is decided by what everybody has, if it is asked for, and what is denied is 401', () => {
    const open = loadImage(Image.build(ENVIRONMENT, makePosition(7), [...HELLO, give('*', 'viewer')]).save())
    const findStatuses = (user: unknown, anonymous: boolean | undefined, action: string) => {
      const seen: RequestAuthorization[] = []
      const options = { user: () => user, anonymous } as never
      const authorizer = new Authorizer(open, options, (_, made) => seen.push(made as RequestAuthorization))
      const request = {}
      const refused = authorizer.decide(request, action, 'hello')
      return [authorizer.subject(request)?.status, refused?.status, seen[0]!.decision?.user]
    }
    expect(findStatuses(null, true, 'wave')).toEqual([undefined, undefined, '*'])
    expect(findStatuses(null, true, 'say')).toEqual([undefined, 401, '*'])
    expect(findStatuses('zoe', true, 'say')).toEqual([undefined, 403, 'zoe'])
    for (const nothing of [undefined, '', false, 0])
      expect(findStatuses(nothing, true, 'wave')).toEqual([401, 401, undefined])
    for (const choice of [false, undefined]) expect(findStatuses(null, choice, 'wave')).toEqual([401, 401, undefined])
    const visitor = new RequestAuthorization(open, null, undefined)
    expect([visitor.check('wave', 'hello'), visitor.check('say', 'hello'), visitor.decisions.length]).toEqual([
      true,
      false,
      2,
    ])
    expect(visitor.decision).toMatchObject({ status: 401, user: '*', allow: false, revision: 7 })
  })

  it('asks about an entity, whose parts are inherited, as about any other resource', () => {
    class Note {
      readonly type = 'hello'
      readonly key = 'plan'
      get attributes() {
        return { status: 'secret' }
      }
    }
    let asked: unknown
    const recording = {
      ...pdp,
      revision: 7,
      check: (_user: unknown, _action: unknown, about: unknown) => {
        asked = about
        return true
      },
    }
    new RequestAuthorization(recording as never, 'ana', 'acme').check('say', new Note())
    expect(asked).toEqual({ type: 'hello', key: 'plan', tenant: 'acme', attributes: { status: 'secret' } })
  })

  it('lets nobody through by a promise in the place of a user or of a tenant', () => {
    const later = async () => undefined
    for (const options of [{ user: later }, { user: () => 'ana', tenant: later }]) {
      const authorizer = new Authorizer(pdp, options as never, () => {})
      expect(() => authorizer.subject({})).toThrow('not a promise')
    }
  })

  it('knows the names of a policy', () => {
    const typed = loadImage<Policy>(bytes)
    const { allow } = forExpress(typed, { user: () => 'ana' })
    const wrong = [
      // @ts-expect-error: no such action
      () => allow('raed', 'invoice'),
      // @ts-expect-error: an action of another type
      () => allow('open', () => 'invoice:i1'),
      () => allow('read', () => 'invoice:i1'),
    ]
    expect(wrong.map((make) => typeof make())).toEqual(['function', 'function', 'function'])
    expectTypeOf(allow).returns.toEqualTypeOf<express.RequestHandler>()
  })
})
