// POST /allowed_url over HTTP, by an image file alone: which request is which action travels with the policy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import type { UrlRule } from '../../../src/model/objects.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { managementServer, openManagement, pdpServer, pooledPdpServer, readKeys } from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { temporaryFolder } from '../../support/folders.ts'

const KEY = 'the key of the environment'
const rule = (url: string, rest: Partial<UrlRule> = {}): UrlRule => ({
  url,
  url_type: null,
  http_method: 'get',
  resource: 'hello',
  action: null,
  priority: null,
  ...rest,
})
const config = (key: string, ...rules: UrlRule[]): PolicyChange => ({
  op: 'put',
  kind: 'proxy_config',
  key,
  value: { rules },
})
const RULES = [
  config('shop', rule('https://shop/say/{word}', { action: 'say' }), rule('https://shop/wave', { action: 'wave' })),
  config('blog', rule('/blog/(?P<owner>[a-z]+)', { url_type: 'regex', action: 'own' }), rule('/plain')),
]
const OWNED: PolicyChange[] = [
  { op: 'put', kind: 'resource', key: 'hello', value: { actions: ['say', 'wave', 'own', 'get'] } },
  {
    op: 'put',
    kind: 'condition_set',
    key: 'owned',
    value: {
      type: 'resourceset',
      resource: 'hello',
      conditions: { 'resource.owner': { equals: { ref: 'user.key' } } },
      parent: null,
    },
  },
  {
    op: 'put',
    kind: 'set_rule',
    key: '__autogen_admin/hello:own/owned',
    value: { user_set: '__autogen_admin', permission: 'hello:own', resource_set: 'owned' },
  },
]

describe('a question about a URL', () => {
  let app: ReturnType<typeof pdpServer>
  let at = ''
  const image = Image.build(ENVIRONMENT, makePosition(7), [...HELLO, ...OWNED, ...RULES], { kernel: 'debug' })

  beforeAll(async () => {
    app = pdpServer(loadImage(image.save()), KEY)
    at = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  async function ask(body: object, headers: Record<string, string> = {}) {
    const response = await fetch(`${at}/allowed_url`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json(), revision: response.headers.get('x-revision') }
  }
  const about = (url: string, user = 'ana', method = 'GET') => ({ user: { key: user }, http_method: method, url })

  it('is the check that the rule says', async () => {
    expect(await ask({ ...about('https://shop/say/hi'), tenant: 'default' })).toEqual({
      status: 200,
      body: { allow: true, result: true, query: null, debug: null },
      revision: '7',
    })
    expect((await ask(about('https://shop/say/hi', 'ben'))).body.allow).toBe(false)
    expect((await ask(about('https://shop/wave', 'ben'))).body.allow).toBe(true)
    expect((await ask({ ...about('https://shop/wave', 'ben'), tenant: 'nowhere' })).body.allow).toBe(false)
    expect((await ask({ ...about('https://shop/wave'), user: 'ben', context: null, sdk: 'x' })).body.allow).toBe(true)
  })

  it('sends what stands where the variables are as attributes of the resource', async () => {
    expect((await ask(about('/blog/ana'))).body.allow).toBe(true)
    expect((await ask(about('/blog/ben'))).body.allow).toBe(false)
  })

  it('without a rule is denied with the reason', async () => {
    const { status, body } = await ask(about('https://shop/elsewhere'))
    expect([status, body.allow, body.result]).toEqual([200, false, false])
    expect(body.debug.reason).toContain('no mapping rule')
    expect((await ask(about('https://shop/wave', 'ben', 'POST'))).body.allow).toBe(false)
  })

  it('takes the method where the rule names no action, and tells the path to the answer when asked', async () => {
    const { body } = await ask(about('/plain'), { 'x-explain': 'true' })
    expect(body).toMatchObject({ allow: false, debug: { request: { action: 'get', resource: { type: 'hello' } } } })
  })

  it.each([
    [{}, ['user']],
    [{ ...about('/a'), user: { key: 7 } }, ['user', 'key']],
    [{ ...about('/a'), user: { key: 'ana', attributes: [] } }, ['user', 'attributes']],
    [{ ...about('/a'), http_method: null }, ['http_method']],
    [{ user: 'ana', http_method: 'get' }, ['url']],
    [{ ...about('/a'), tenant: 7 }, ['tenant']],
    [{ ...about('/a'), context: 'x' }, ['context']],
  ])('%j is refused with the place', async (body, path) => {
    const answer = await ask(body)
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', ...path]])
  })

  it('is answered by the rules of the revision that answers', async () => {
    const moving = Image.build(ENVIRONMENT, makePosition(1), [...HELLO, ...RULES], { kernel: 'debug' })
    const rules = moving.urlRules()
    expect(rules.map(({ url }) => url)).toEqual([
      '/blog/(?P<owner>[a-z]+)',
      '/plain',
      'https://shop/say/{word}',
      'https://shop/wave',
    ])
    moving.apply(deltaTo(2, []))
    expect(moving.urlRules()).toBe(rules)
    moving.apply(deltaTo(3, [config('shop', rule('/new')), { op: 'delete', kind: 'proxy_config', key: 'blog' }]))
    expect(moving.urlRules().map(({ url }) => url)).toEqual(['/new'])
    moving.verify()
    const fresh = Image.build(ENVIRONMENT, makePosition(3), [...HELLO, config('shop', rule('/new'))])
    expect(moving.hash()).toBe(fresh.hash())
    expect([...Image.load(moving.save()).contents()]).toEqual([...fresh.contents()])
    moving.apply(deltaTo(4, [{ op: 'delete', kind: 'proxy_config', key: 'shop' }]))
    moving.apply(deltaTo(5, [{ op: 'delete', kind: 'proxy_config', key: 'never' }]))
    expect(moving.urlRules()).toEqual([])
    moving.verify()
  })
})

describe('mapping rules of the management API', () => {
  it('reach a PDP that follows, and one that starts, without the secret', async () => {
    const data = temporaryFolder('mapping-rules')
    const management = await openManagement({ data })
    const key = readKeys(data)!.environments.development!
    const api = managementServer(management)
    const follows = pooledPdpServer(management)
    const headers = { authorization: `Bearer ${key}` }
    const configs = '/v2/facts/default/development/proxy_configs'
    const may = async (app: typeof follows, url: string, revision: string) => {
      const payload = { user: { key: 'ben' }, http_method: 'GET', url, tenant: 'default' }
      const asked = { ...headers, 'x-min-revision': revision }
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/allowed_url', headers: asked, payload })
      return [statusCode, JSON.parse(body).allow]
    }
    const write = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const answer = await api.inject({ method, url, headers, ...(payload ? { payload } : {}) })
      expect(answer.statusCode, answer.body).toBeLessThan(300)
      return String(answer.headers['x-revision'])
    }
    expect(await may(follows, 'https://shop/wave', '1')).toEqual([200, false])
    const rules = [{ url: 'https://shop/{word}', http_method: 'get', resource: 'hello', action: 'wave' }]
    const made = { key: 'shop', secret: 'never in an image', mapping_rules: rules }
    const first = await write('POST', configs, made)
    expect(await may(follows, 'https://shop/wave', first)).toEqual([200, true])
    const more = [
      { url: 'https://shop/wave/.*', url_type: 'regex', http_method: 'get', resource: 'hello', action: 'wave' },
    ]
    const second = await write('PATCH', `${configs}/shop`, { mapping_rules: more })
    const starts = pooledPdpServer(management)
    for (const app of [follows, starts]) {
      expect(await may(app, 'https://shop/wave', second)).toEqual([200, true])
      expect(await may(app, 'https://shop/wave/twice', second)).toEqual([200, true])
      expect(await may(app, 'https://blog/wave', second)).toEqual([200, false])
    }
    const third = await write('DELETE', `${configs}/shop`)
    for (const app of [follows, starts]) expect(await may(app, 'https://shop/wave', third)).toEqual([200, false])
    for (const app of [starts, follows, api]) await app.close()
    await management.store.close()
  })
})
