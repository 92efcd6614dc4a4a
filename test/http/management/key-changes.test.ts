// What servers keep of API keys outlives sign-ins to the routes of members, which are in the same log, and nothing else.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Gate } from '../../../src/http/management/auth.ts'
import { PooledPdps } from '../../../src/http/pdp/pdp-keys.ts'
import { isSession } from '../../../src/kinds/api-key.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { logInToElements } from '../../../src/management/objects/elements-sessions.ts'
import { ELEMENTS_SESSION_MS, ELEMENTS_SESSIONS_LOOK, KEY_CHANGES_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
let vendor: string
beforeAll(async () => {
  api = await joinHarness()
  await api.ask('POST', '$F/tenants', { key: 'acme', name: 'Acme' })
  await api.ask('POST', '$F/users', { key: 'ana' })
  await api.ask('POST', '$F/tenants/acme/users', { key: 'ana' })
  vendor = (await createKey()).secret
})
afterAll(() => api.close())

const createKey = async (): Promise<{ id: string; secret: string }> => {
  const { organization, project } = api.made
  const place = { organization_id: organization.id, project_id: project.id, environment_id: api.environment }
  return (await api.ask('POST', '/v2/api-key', place)).body
}
const signIn = async (): Promise<string> => {
  const { status, body } = await api.ask(
    'POST',
    '/v2/auth/elements_login_as',
    { user_id: 'ana', tenant_id: 'acme' },
    { key: vendor },
  )
  expect(status).toBe(200)
  return body.token
}

/** The store, which counts how often a key is looked up. */
function countedStore() {
  const counted = { lookUps: 0 }
  const store = new Proxy(api.store, {
    get(target, name) {
      if (name === 'findApiKey') counted.lookUps++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { store, counted }
}

const doors = [
  [
    'the management API',
    () => {
      const { store, counted } = countedStore()
      const gate = new Gate(store)
      return { counted, ask: (secret: string) => void gate.caller(`Bearer ${secret}`) }
    },
  ],
  [
    'the PDPs of a server',
    () => {
      const { store, counted } = countedStore()
      const open = () => {
        throw new Error('no PDP is asked')
      }
      const pdps = new PooledPdps(store, { admit: () => {}, open })
      return { counted, ask: (secret: string) => void pdps.readKeyId(`Bearer ${secret}`) }
    },
  ],
] as const

describe.each(doors)('%s', (what, open) => {
  let door: ReturnType<typeof open>
  let keys: readonly { id: string; secret: string }[]
  beforeEach(async () => {
    keys = await Promise.all([createKey(), createKey(), createKey()])
    door = open()
    for (const { secret } of keys) door.ask(secret)
    door.counted.lookUps = 0
  })
  const askAll = () => {
    for (const { secret } of keys) door.ask(secret)
    return door.counted.lookUps
  }

  it('look no key up again because somebody signed in or out', async () => {
    const token = await signIn()
    expect(askAll()).toBe(0)
    await api.ask('POST', '/v2/auth/elements_logout', { token }, { key: vendor })
    await Promise.all([signIn(), signIn()])
    expect(askAll()).toBe(0)
  })

  it('refuse a key from the moment on at which it is deleted or rotated, between sign-ins too', async () => {
    const [first, second, third] = keys
    await signIn()
    expect(askAll()).toBe(0)
    await Promise.all([signIn(), api.ask('DELETE', `/v2/api-key/${first!.id}`), signIn()])
    expect(() => door.ask(first!.secret)).toThrow(/API key/)
    await Promise.all([signIn(), api.ask('POST', `/v2/api-key/${second!.id}/rotate-secret`), signIn()])
    expect(() => door.ask(second!.secret)).toThrow(/API key/)
    door.ask(third!.secret)
    expect(door.counted.lookUps).toBeGreaterThan(0)
  })

  it('look keys up again when there was more to read than they do', async () => {
    // many in one batch
    const input = { environment: api.environment, user: 'ana', tenant: 'acme' }
    const log = api.made.organization.id
    const write = () => api.store.commit(log, 'logInToElements', input, withoutRequest('test'))
    await Promise.all(Array.from({ length: KEY_CHANGES_MAX - 1 }, write))
    expect(askAll()).toBe(0)
    if (what !== 'the management API') return // PDPs hear of each batch
    await Promise.all(Array.from({ length: KEY_CHANGES_MAX + 1 }, write))
    expect(askAll()).toBe(keys.length)
  })
})

it('sessions that have ended are removed by some of the sign-ins, so that not each looks at all', async () => {
  const view = () => api.store.view(api.made.organization.id)
  const count = () => view().countBy('keys_of_environment', api.environment)
  const input = { environment: api.environment, user: 'ana', tenant: 'acme' }
  const later = {
    now: Date.now() + ELEMENTS_SESSION_MS + 60_000,
    id: () => 'f'.repeat(32),
    secret: (bytes: number) => 'x'.repeat(bytes),
  }
  const changed = () => logInToElements(view(), input, later).changes.map(({ op }) => op)
  const write = () =>
    api.store.commit(api.made.organization.id, 'logInToElements', input, withoutRequest('test')) as Promise<unknown>
  await signIn()
  if (count() % ELEMENTS_SESSIONS_LOOK === 0) await signIn()
  expect(changed()).toEqual(['put'])
  while (count() % ELEMENTS_SESSIONS_LOOK > 0) await write()
  const sessions = [...view().by('keys_of_environment', api.environment)].filter(isSession)
  expect(sessions.length).toBeGreaterThan(1)
  expect(changed()).toEqual([...sessions.map(() => 'delete'), 'put'])
})

it('no token of a session is taken for a key', async () => {
  const token = await signIn()
  expect(() => new Gate(api.store).caller(`Bearer ${token}`)).toThrow('this API key is not known')
  expect(api.store.findApiKey(hashSecret(token))).toBeUndefined()
})
