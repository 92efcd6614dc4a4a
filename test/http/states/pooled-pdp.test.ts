// States × routes of the PDP of `zerohop serve`, which answers for the environment of the key of each request, out of the
// data folder itself. What is answered in a state stands in STATES.
import type { FastifyInstance } from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Recorder } from '../../../src/decision-log/recorder.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import type { ErrorCode } from '../../../src/model/errors.ts'
import { DAY_MS } from '../../../src/model/key-end.ts'
import { type Management, openManagement, pooledPdpServer, readKeys } from '../../../src/server.ts'
import { TESTER } from '../../support/environments.ts'
import { memoryFolder } from '../../support/folders.ts'
import { makeProduct, PDP_STATES } from '../../support/pdp-routes.ts'
import { askInState, askUsual, type Expected, type Usual } from '../../support/states.ts'

interface Made {
  readonly management: Management
  readonly apps: { readonly pdp: FastifyInstance; readonly opa: FastifyInstance }
  readonly key: string
}

interface State {
  readonly expected: Expected
  readonly recorder?: () => Promise<Recorder>
  /** the key that asks; that of `keys.json` when absent */
  readonly keyOf?: (management: Management) => Promise<string>
  /** from the state in which nothing is wrong */
  readonly enter?: (made: Made) => Promise<unknown> | unknown
}

const ENVIRONMENT = 'default/development'

/** Without a key the server cannot know which environment to ask. */
const refuses = (code: ErrorCode): Expected => ({ keyed: { good: [code], bad: [code] }, isOfKey: true })

/** The clock of the servers goes on by a day. */
function nextDay(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
  onTestFinished(() => void vi.useRealTimers())
}

const STATES: Readonly<Record<string, State>> = {
  current: { expected: {} },
  'its environment deleted': {
    enter: ({ management: { store, organization } }) => {
      const { id } = store.view(organization).require('environment', ENVIRONMENT)
      return store.commit(organization, 'deleteEnvironment', { ref: id }, TESTER)
    },
    expected: refuses('ENVIRONMENT_DELETED'),
  },
  'its key rotated': {
    enter: ({ management: { store, organization }, key }) => {
      const { id } = store.findApiKey(hashSecret(key))!.key
      return store.commit(organization, 'rotateApiKey', { ref: id }, TESTER)
    },
    expected: refuses('KEY_REVOKED'),
  },
  'its key expired': {
    keyOf: async ({ store, organization }) => {
      const of = { level: 'env', access: 'read', project: 'default', environment: 'development' } as const
      const expires_at = new Date(Date.now() + DAY_MS / 2).toISOString()
      return (await store.commit(organization, 'createApiKey', { ...of, expires_at }, TESTER)).result.secret
    },
    enter: nextDay,
    expected: refuses('KEY_EXPIRED'),
  },
  'the old secret of its key ended': {
    enter: async ({ management: { store, organization }, key }) => {
      const { id } = store.findApiKey(hashSecret(key))!.key
      await store.commit(organization, 'rotateApiKey', { ref: id, keepOldSeconds: DAY_MS / 2_000 }, TESTER)
      nextDay()
    },
    expected: refuses('KEY_REVOKED'),
  },
  'its store closed': {
    enter: ({ management }) => management.store.close(),
    // an image that is open goes on, as that of every PDP without a feed does; whether a key exists cannot be told
    expected: { keyed: { 'wrong key': ['CLOSED'] }, isOfKey: true },
  },
  ...PDP_STATES,
}

async function make({ recorder, keyOf }: Partial<State> = {}): Promise<Made> {
  const data = memoryFolder('states')
  const management = await openManagement({ data })
  const logging = recorder === undefined ? {} : { decisionLog: { recorder: await recorder() } }
  const pdp = pooledPdpServer(management, { openMetrics: true, ...logging })
  const apps = { pdp, opa: pdp.opa() }
  onTestFinished(async () => {
    await apps.opa.close()
    await apps.pdp.close()
    await management.store.close()
  })
  for (const each of Object.values(apps)) await each.listen({ host: '127.0.0.1', port: 0 })
  const key = keyOf === undefined ? readKeys(data)!.environments.development! : await keyOf(management)
  return { management, apps, key }
}

let usual: Usual
it('every route of the PDP of `serve` answers while nothing is wrong', async () => {
  const { apps, key } = await make()
  const found = await askUsual(makeProduct(apps, key))
  usual = found.usual
  expect(found.problems).toEqual([])
})

it.each(Object.entries(STATES))('every route of the PDP of `serve`: %s', async (_, state) => {
  const made = await make(state)
  const product = makeProduct(made.apps, made.key)
  await askInState(product, usual, {}) // its environment is open, and its key known
  await state.enter?.(made)
  expect(await askInState(product, usual, state.expected)).toEqual([])
})
