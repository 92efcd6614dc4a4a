// Keys that end, old secrets that stay valid for some time after a rotation, and the day on which a key was last used.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Gate } from '../../../src/http/management/auth.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { rotateApiKey } from '../../../src/management/objects/api-keys.ts'
import { type EndingKey, KeyUse } from '../../../src/management/objects/key-use.ts'
import { DAY_MS, startOfDay } from '../../../src/model/key-end.ts'
import { type Harness, joinHarness, TIME } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
})
afterEach(() => vi.useRealTimers())
afterAll(() => api.close())

const create = (body: object) =>
  api.ask('POST', '/v2/api-key', {
    organization_id: api.made.organization.id,
    project_id: api.made.project.id,
    environment_id: api.environment,
    ...body,
  })
const may = async (key: string) => (await api.ask('GET', '$F/users', undefined, { key })).status
const stored = (id: string) => view().find('api_key', id)
const rotate = (id: string, body?: object, options = {}) =>
  api.ask('POST', `/v2/api-key/${id}/rotate-secret`, body, options)
const view = () => api.store.view(api.made.organization.id)
/** The clock of the writer, which is another thread. */
const mintAt = (now: number) => ({ now, id: () => 'f'.repeat(32), secret: (bytes: number) => 'x'.repeat(bytes) })
/** Moves the clock, and nothing else: a store needs its timers. */
const at = (time: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
}

describe('a key with an end', () => {
  it('is refused with its reason from then on, and shows when', async () => {
    const end = new Date(Date.now() + DAY_MS).toISOString()
    const { status, body } = await create({ expires_at: end, name: 'short' })
    expect([status, Date.parse(body.expires_at)]).toEqual([200, Date.parse(end)])
    expect(await may(body.secret)).toBe(200)
    at(Date.parse(end) - 1)
    expect(await may(body.secret)).toBe(200)
    at(Date.parse(end))
    const refused = await api.ask('GET', '$F/users', undefined, { key: body.secret })
    expect([refused.status, refused.body.message]).toEqual([401, 'this API key has expired'])
    expect((await api.ask('GET', '/v2/api-key/scope', undefined, { key: body.secret })).status).toBe(401)
    const shown = await api.ask('GET', `/v2/api-key/${body.id}`)
    expect(shown.body).toMatchObject({ expires_at: TIME, name: 'short' })
    const ended = () => rotateApiKey(view(), { ref: body.id }, mintAt(Date.parse(end)))
    expect(ended).toThrow(`API key \`${body.id}\` has expired: make a new one`)
    expect((await api.ask('DELETE', `/v2/api-key/${body.id}`)).status).toBe(204)
  })

  it('has none unless it is asked for: also what was stored before there were ends', async () => {
    const { body } = await create({})
    expect(body).toMatchObject({ expires_at: null, old_secret_expires_at: null, last_used_at: null })
    expect(stored(body.id)).not.toHaveProperty('expires_at')
    expect((await create({ expires_at: null })).body.expires_at).toBeNull()
  })

  it.each([
    ['2020-01-01T00:00:00Z', 'in the future'],
    ['10000-01-01T00:00:00Z', 'an instant with its offset'],
    ['9999-12-31T23:59:00-01:00', 'before the year 10000'],
    ['2099-01-01T00:00:00', 'an instant with its offset'],
    ['2099-01-01', 'an instant with its offset'],
    ['2099-02-30T00:00:00Z', 'an instant with its offset'],
    ['tomorrow', 'an instant with its offset'],
    ['', 'an instant with its offset'],
  ])('is not made with `%s`', async (expires_at, reason) => {
    const { status, body } = await create({ expires_at })
    expect([status, body.detail?.[0].loc]).toEqual([422, ['body', 'expires_at']])
    expect(body.detail[0].msg).toContain(reason)
  })
})

describe('a rotated key', () => {
  it('keeps its old secret for as long as was asked, and says so', async () => {
    const { id, secret } = (await create({ name: 'shop' })).body
    const rotated = (await rotate(id, { keep_old_seconds: 3_600 })).body
    expect(rotated).toMatchObject({ id, old_secret_expires_at: TIME })
    expect([await may(secret), await may(rotated.secret)]).toEqual([200, 200])
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body).toMatchObject({ secret: rotated.secret, name: 'shop' })
    const all = (await api.ask('GET', '/v2/api-key?per_page=100')).body.data.filter(
      (key: { name: string }) => key.name === 'shop',
    )
    expect(all).toMatchObject([{ id, old_secret_expires_at: rotated.old_secret_expires_at }])
    // who comes with the old secret is the same key on record
    await api.ask('POST', '$F/users', { key: 'written-with-old' }, { key: secret })
    const { revision } = api.store.head(api.environment)
    expect(api.store.entries(api.environment, revision - 1)[0]?.by.api_key_id).toBe(id)

    at(Date.parse(rotated.old_secret_expires_at))
    const refused = await api.ask('GET', '$F/users', undefined, { key: secret })
    expect([refused.status, refused.body.message]).toEqual([401, 'this API key was rotated or deleted'])
    expect(await may(rotated.secret)).toBe(200)
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body.old_secret_expires_at).toBeNull()
    const { changes } = rotateApiKey(view(), { ref: id, keepOldSeconds: 60 }, mintAt(Date.now()))
    expect(changes[0]).toEqual({ op: 'delete', kind: 'api_key', key: hashSecret(secret) })
  })

  it('has two valid secrets at most: rotating without keeping ends all others', async () => {
    const { id, secret } = (await create({})).body
    const second = (await rotate(id, { keep_old_seconds: 60 })).body
    const third = await rotate(id, { keep_old_seconds: 60 })
    expect([third.status, third.body.message]).toEqual([
      409,
      `the old secret of API key \`${id}\` is valid until ${new Date(second.old_secret_expires_at).toISOString()}: ` +
        'end it first, or rotate without keeping the current one',
    ])
    expect([await may(secret), await may(second.secret)]).toEqual([200, 200])
    const last = (await rotate(id)).body
    expect([await may(secret), await may(second.secret), await may(last.secret)]).toEqual([401, 401, 200])
  })

  it('is rotated by one of two who keep its secret at the same time', async () => {
    const { id, secret } = (await create({})).body
    const both = await Promise.all([rotate(id, { keep_old_seconds: 60 }), rotate(id, { keep_old_seconds: 60 })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const [won] = both.filter(({ status }) => status === 200)
    expect([await may(secret), await may(won!.body.secret)]).toEqual([200, 200])
  })

  it('loses its old secret early, once', async () => {
    const { id, secret } = (await create({})).body
    const end = () => api.ask('DELETE', `/v2/api-key/${id}/old-secret`)
    expect((await end()).status).toBe(404)
    const rotated = (await rotate(id, { keep_old_seconds: 60 })).body
    expect((await end()).status).toBe(204)
    expect([await may(secret), await may(rotated.secret)]).toEqual([401, 200])
    expect((await end()).status).toBe(404)
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body.old_secret_expires_at).toBeNull()
  })

  it('that is deleted takes its old secret along', async () => {
    const { id, secret } = (await create({})).body
    const rotated = (await rotate(id, { keep_old_seconds: 60 })).body
    expect((await api.ask('DELETE', `/v2/api-key/${id}`)).status).toBe(204)
    expect([await may(secret), await may(rotated.secret)]).toEqual([401, 401])
    expect((await rotate(id, { keep_old_seconds: 60 })).status).toBe(404)
  })

  it('keeps no secret beyond its own end', async () => {
    const end = Date.now() + 60_000
    const { id } = (await create({ expires_at: new Date(end).toISOString() })).body
    const { old_secret_expires_at } = (await rotate(id, { keep_old_seconds: 3_600 })).body
    expect(Date.parse(old_secret_expires_at)).toBe(end)
  })

  it.each([[-1], [1.5], [2_592_001], ['1'], [1e300]])('is not rotated with %j seconds', async (keep_old_seconds) => {
    const { id, secret } = (await create({})).body
    expect((await rotate(id, { keep_old_seconds })).status).toBe(422)
    expect(await may(secret)).toBe(200)
  })

  it('is not reached by the object of its old secret', async () => {
    const { id, secret } = (await create({})).body
    await rotate(id, { keep_old_seconds: 60 })
    const old = api.store.findApiKey(hashSecret(secret))!.key
    expect(old).toMatchObject({ secret_of: id })
    for (const method of ['GET', 'DELETE'] as const)
      expect((await api.ask(method, `/v2/api-key/${old.id}`)).status).toBe(404)
    const commit = api.store.commit(api.made.organization.id, 'rotateApiKey', { ref: old.key }, withoutRequest('x'))
    await expect(commit).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' })
  })

  it('of a PDP config keeps its old secret too', async () => {
    const CONFIGS = '/v2/pdps/default/development/configs'
    const [config] = (await api.ask('GET', CONFIGS)).body
    const path = `${CONFIGS}/${config.id}/rotate-api-key`
    const rotated = (await api.ask('POST', path, { keep_old_seconds: 60 })).body
    expect([await may(config.client_secret), await may(rotated.client_secret)]).toEqual([200, 200])
  })
})

describe('the form `permit`', () => {
  it('is the one that permit-cli takes, also after a rotation; no other key has it', async () => {
    const { id, secret } = (await create({ form: 'permit' })).body
    expect(secret).toMatch(/^permit_key_[0-9A-Za-z]{86,}$/)
    expect(await may(secret)).toBe(200)
    expect((await rotate(id)).body.secret).toMatch(/^permit_key_[0-9A-Za-z]{86,}$/)
    expect((await create({})).body.secret).toMatch(/^zh_env_/)
    expect((await create({ form: 'other' })).status).toBe(422)
  })
})

describe('the last use of a key', () => {
  const day = () => startOfDay(Date.now())

  it('is noted by day, in one write for a day', async () => {
    const { id, secret } = (await create({})).body
    const { id: other, secret: otherSecret } = (await create({})).body
    const use = new KeyUse(api.store, Date.now)
    const gate = new Gate(api.store, use.note)
    const before = api.store.head(api.made.organization.id).revision
    for (let times = 0; times < 3; times++) for (const key of [secret, otherSecret]) gate.caller(`Bearer ${key}`)
    expect(api.store.head(api.made.organization.id).revision).toBe(before)
    await use.flush()
    const [entry, ...more] = api.store.entries(api.made.organization.id, before)
    expect([entry?.by.operation, more]).toEqual(['noteKeyUse', []])
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body.last_used_at).toBe(
      new Date(day()).toISOString().replace('Z', '+00:00'),
    )
    expect(stored(other)?.last_used_at).toBe(day())
    const after = api.store.head(api.made.organization.id).revision
    // another process, which has not noted it
    const second = new KeyUse(api.store, Date.now)
    second.note(api.made.organization.id, { ...stored(id)!, last_used_at: 0 })
    gate.caller(`Bearer ${secret}`)
    await Promise.all([use.flush(), second.flush()])
    expect(api.store.head(api.made.organization.id).revision).toBe(after)
  })

  it('is that of the key when an old secret comes', async () => {
    const { id, secret } = (await create({})).body
    await rotate(id, { keep_old_seconds: 60 })
    const use = new KeyUse(api.store, Date.now)
    new Gate(api.store, use.note).caller(`Bearer ${secret}`)
    await use.flush()
    expect(stored(id)?.last_used_at).toBe(day())
  })

  it('fails no request when it cannot be written, and is noted with the next use', async () => {
    const { id } = (await create({})).body
    let writes = 0
    const store = {
      view,
      commit: async () => {
        writes++
        throw new Error('the disk is full')
      },
    }
    const use = new KeyUse(store, Date.now)
    for (let times = 0; times < 2; times++) {
      use.note(api.made.organization.id, stored(id)!)
      await use.flush()
    }
    expect(writes).toBe(2)
  })

  it('warns about a key that ends within a week', async () => {
    const soon = (await create({ name: 'soon', expires_at: new Date(Date.now() + 6 * DAY_MS).toISOString() })).body
    const later = (await create({ expires_at: new Date(Date.now() + 9 * DAY_MS).toISOString() })).body
    const warned: EndingKey[] = []
    const use = new KeyUse(api.store, Date.now, (key) => warned.push(key))
    for (const { id } of [soon, later]) use.note(api.made.organization.id, stored(id)!)
    await use.flush()
    expect(warned).toEqual([{ id: soon.id, name: 'soon', expires_at: Date.parse(soon.expires_at) }])
  })

  it('counts the keys and old secrets in use that end within a week, until they end or are deleted', async () => {
    const end = Date.now() + 6 * DAY_MS
    const expires_at = new Date(end).toISOString()
    const [ending, deleted, unused] = [
      (await create({ expires_at })).body,
      (await create({ expires_at })).body,
      await create({ expires_at }),
    ]
    const later = (await create({ expires_at: new Date(end + 3 * DAY_MS).toISOString() })).body
    const rotated = (await create({})).body
    const use = new KeyUse(api.store, () => Date.now())
    const gate = new Gate(api.store, use.note)
    expect([unused.status, use.countEnding()]).toEqual([200, 0])
    await rotate(rotated.id, { keep_old_seconds: 3600 })
    for (const { secret } of [ending, ending, deleted, later]) gate.caller(`Bearer ${secret}`)
    expect(use.countEnding()).toBe(2)
    gate.caller(`Bearer ${rotated.secret}`) // the old one
    expect(use.countEnding()).toBe(3)
    await api.ask('DELETE', `/v2/api-key/${rotated.id}/old-secret`)
    await api.ask('DELETE', `/v2/api-key/${deleted.id}`)
    expect(use.countEnding()).toBe(1)
    at(end)
    expect(use.countEnding()).toBe(0)
    use.stop()
  })
})
