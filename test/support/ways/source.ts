// A management side of its own, which holds the stories that are written by management: its data folder, its use cases,
// and its server on loopback, which signs images. Every story has an organization, so that none knows of another.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { LogId } from '../../../src/log/change.ts'
import { type ErrorClass, ZerohopError } from '../../../src/model/errors.ts'
import { type Management, managementServer, openManagement } from '../../../src/server.ts'
import { type AttributeStep, attributeSteps, isBuiltIn } from '../built-in.ts'
import { type Commit, commitsFor } from '../commits.ts'
import { TESTER } from '../environments.ts'
import { memoryFolder } from '../folders.ts'
import { type Operation, World } from '../world.ts'

/** Where management holds a story. */
export interface Environment {
  readonly organization: LogId
  readonly log: LogId
  /** key of the environment */
  readonly key: string
}

export class Source {
  readonly data: string
  readonly url: string
  /** what images and deltas are signed with */
  readonly publicKey: string
  readonly management: Management
  readonly #close: () => Promise<void>

  private constructor(
    management: Management,
    about: { data: string; url: string; publicKey: string },
    close: () => Promise<void>,
  ) {
    this.management = management
    this.data = about.data
    this.url = about.url
    this.publicKey = about.publicKey
    this.#close = close
  }

  static async open(): Promise<Source> {
    const data = memoryFolder('ways')
    const pair = generateKeyPairSync('ed25519')
    const signingKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const management = await openManagement({ data, noExample: true, signingKey })
    const app = managementServer(management)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return new Source(management, { data, url, publicKey }, async () => {
      await app.close()
      await management.store.close()
    })
  }

  get store(): Management['store'] {
    return this.management.store
  }

  /** A fresh environment, with nothing in it but the tenant `default`. */
  async environment(): Promise<Environment> {
    const organization = randomBytes(16).toString('hex')
    const { result } = await this.store.commit(organization, 'bootstrap', { noExample: true }, TESTER)
    const { id: log, secret: key } = result.environments[0]!
    return { organization, log, key }
  }

  close(): Promise<void> {
    return this.#close()
  }
}

const REFUSED: readonly ErrorClass[] = ['invalid', 'rejected', 'missing', 'conflict']

type Writer = Pick<Management['store'], 'commit'>

/**
 * Writes operations one by one, with what management does along with each as operations of their own. Those that it
 * refuses are left out; what is returned was written.
 * @param world as it was before, and is left so
 */
export async function writeTaken(
  store: Writer,
  log: LogId,
  world: World,
  operations: readonly Operation[],
): Promise<Operation[]> {
  const after = new World(world)
  const written: Operation[] = []
  for (const operation of operations) {
    for (const step of listSteps(after, operation)) {
      const types = isOfTypes(step) ? attributeSteps(after, step) : []
      const answers: boolean[] = []
      for (const commit of commitsFor(after, step)) answers.push(await isTaken(store, log, commit))
      if (!isOfTypes(step) && !answers.every((each) => each)) continue
      const done = isOfTypes(step) ? typesTaken(after, step, types, answers) : step
      written.push(done)
      after.run(done)
    }
  }
  return written
}

/** Writes what was written elsewhere, together. @throws when something of it is refused */
export async function writeAgain(
  store: Writer,
  log: LogId,
  world: World,
  operations: readonly Operation[],
): Promise<void> {
  const ahead = new World(world)
  const sent = operations.flatMap((operation) => {
    const commits = commitsFor(ahead, operation)
    ahead.run(operation)
    return commits.map(([name, input]) => store.commit(log, name, input as never, TESTER))
  })
  await Promise.all(sent)
}

type TypesStep = Extract<Operation, readonly [unknown, 'resource', unknown]>

/** Types of attributes of users or tenants: each is a call of its own. */
const isOfTypes = (step: Operation): step is TypesStep => step[1] === 'resource' && isBuiltIn(step[2].key)

/** Those types that were taken. */
function typesTaken(
  { policy }: World,
  [, , { key }]: TypesStep,
  types: readonly AttributeStep[],
  answers: readonly boolean[],
): Operation {
  const after = new Map(Object.entries(policy.resource.get(key)?.attributes ?? {}))
  for (const [at, { attribute, as }] of types.entries()) {
    if (!answers[at]) continue
    if (as === undefined) after.delete(attribute)
    else after.set(attribute, as)
  }
  return ['put', 'resource', { key, actions: [], attributes: Object.fromEntries(after) }]
}

/** What management does along with an operation, as operations of their own. */
function listSteps({ policy }: World, operation: Operation): readonly Operation[] {
  const [op, kind, object] = operation
  if (op === 'put' && kind === 'role_assignment') {
    const { resource_instance: on, tenant } = object
    if (on == null || policy.resource_instance.has(on)) return [operation]
    const colon = on.indexOf(':')
    const instance = { resource: on.slice(0, colon), instance: on.slice(colon + 1), tenant }
    return [['put', 'resource_instance', instance], operation]
  }
  if (op === 'put' && kind === 'membership')
    return policy.user.has(object.user) ? [operation] : [['put', 'user', { key: object.user }], operation]
  if (op === 'delete' && kind === 'membership') {
    const assigned = [...policy.role_assignment.values()]
    const held = assigned.filter(({ user, tenant }) => user === object.user && tenant === object.tenant)
    return [...held.map((each): Operation => ['delete', 'role_assignment', each]), operation]
  }
  return [operation]
}

async function isTaken(store: Writer, log: LogId, [name, input]: Commit): Promise<boolean> {
  try {
    await store.commit(log, name, input as never, TESTER)
    return true
  } catch (error) {
    if (error instanceof ZerohopError && REFUSED.includes(error.class)) return false
    throw error
  }
}
