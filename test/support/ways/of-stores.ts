// The ways over management: images read from its state, followed over its log and its signed feed, kept on disk over a
// restart; and the same environment copied, restored from a backup, and folded by a replica.
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import { Image } from '../../../src/image/image.ts'
import type { LogId } from '../../../src/log/change.ts'
import { toDelta } from '../../../src/log/delta.ts'
import { Trust } from '../../../src/log/signature.ts'
import { ADMIN, describeBackup, openAdminStore } from '../../../src/management/host/admin.ts'
import type { ManagementData } from '../../../src/management/host/open.ts'
import { exportEverything } from '../../../src/management/policy-file/export.ts'
import { printFacts } from '../../../src/management/policy-file/facts-lines.ts'
import { FactsReader } from '../../../src/management/policy-file/facts-reader.ts'
import { buildSnapshot } from '../../../src/management/snapshot/snapshot.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import { Follower } from '../../../src/pdp/follower.ts'
import { LastImage } from '../../../src/pdp/last-image.ts'
import { imageOfFiles } from '../../../src/policy-test/load-policy.ts'
import { restoreBackup } from '../../../src/store/backup.ts'
import type { View } from '../../../src/store/view.ts'
import { Environments, TESTER } from '../environments.ts'
import { eventually } from '../eventually.ts'
import { memoryFolder } from '../folders.ts'
import { type Postgres, startPostgres, withoutPostgres } from '../postgres.ts'
import { closeReplica, openReplica } from '../replica-stores.ts'
import { World } from '../world.ts'
import { listFacts } from './objects.ts'
import { type Environment, type Source, writeAgain } from './source.ts'
import { type Kept, type Opening, type Way, WayLack } from './way.ts'

const PATIENCE_MS = 60_000
const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** A way over the story as the source holds it. */
function overSource(
  name: string,
  kind: Way['kind'],
  open: (source: Source, environment: Environment, opening: Opening) => Kept | Promise<Kept>,
): Way {
  return {
    name,
    kind,
    needsSource: true,
    isWrittenByManagement: true,
    open: (opening) => open(opening.source!, opening.environment!, opening),
  }
}

const fromState = ({ store }: Pick<Source, 'store'>, log: LogId): Image =>
  Image.load(buildSnapshot(store.view(log)).bytes)

/** A follower over the signed feed, which is current when this returns. */
async function follow(source: Source, { log, key }: Environment, cacheFile?: string): Promise<Follower> {
  const trust = new Trust(source.publicKey)
  const feed = new RemoteFeed({ url: source.url, apiKey: key, trust })
  const lastImage = cacheFile === undefined ? {} : { lastImage: new LastImage(cacheFile, key) }
  const follower = new Follower({ feed, trust, ...lastImage })
  await follower.atLeast(source.store.head(log).revision, PATIENCE_MS)
  return follower
}

const SOURCE_WAYS: readonly Way[] = [
  overSource('state of the store', 'final', (source, { log }) => ({
    write() {},
    image: () => fromState(source, log),
  })),
  overSource('log of the store', 'live', (source, { log }) => {
    const image = fromState(source, log)
    return {
      write() {
        for (const entry of source.store.entries(log, image.revision)) image.apply(toDelta(entry))
      },
      image: () => image,
    }
  }),
  overSource('signed feed over HTTP', 'live', async (source, environment) => {
    const follower = await follow(source, environment)
    return {
      write: () => follower.atLeast(source.store.head(environment.log).revision, PATIENCE_MS),
      image: () => follower.take(),
      close: () => follower.close(),
    }
  }),
  overSource('signed download over HTTP', 'final', (source, { key }) => ({
    write() {},
    async image() {
      const trust = new Trust(source.publicKey)
      return Image.load(await new RemoteFeed({ url: source.url, apiKey: key }).image(), { trust })
    },
  })),
  overSource('resumed from a last image', 'final', async (source, environment, { next }) => {
    const cacheFile = join(memoryFolder('last-image'), 'last')
    const stopsAt = next(4)
    let resumed: Follower | undefined
    return {
      async write({ number }) {
        if (number !== stopsAt) return
        const first = await follow(source, environment, cacheFile)
        await eventually(() => existsSync(cacheFile), true)
        await first.close()
      },
      async image() {
        await resumed?.close()
        resumed = await follow(source, environment, cacheFile)
        return resumed.take()
      },
      close: () => resumed?.close(),
    }
  }),
  overSource('copied environment', 'final', (source, { organization, log }) => {
    let world = new World()
    return {
      write(step) {
        world = step.world
      },
      image: () => copied(source, organization, log, world),
    }
  }),
  overSource('copied environment, its facts imported as lines', 'final', (source, { organization, log }, { next }) => ({
    write() {},
    image: () => importedAsLines(source, organization, log, 1 + next(40)),
  })),
  overSource('policy file, loaded without a server', 'final', ({ store }, { log }) => {
    const file = join(memoryFolder('policy-file'), 'policy.json')
    return {
      write() {},
      image: () => loaded(store.view(log), file),
    }
  }),
  {
    ...overSource('restored backup', 'final', (source, { log }) => ({
      write() {},
      image: () => restored(source, log),
    })),
    isCostly: true,
  },
]

/** The schema as a copy of an environment has it, with the facts written into it. */
async function copied(source: Source, organization: LogId, log: LogId, world: World): Promise<Image | WayLack> {
  const key = `copy-${hex(8)}`
  const copy = { source: log, fresh: { key, name: key }, overwrite: false }
  const { result } = await source.store.commit(organization, 'copyEnvironment', copy, TESTER)
  const target = new World(world)
  for (const kind of ['user', 'membership', 'resource_instance', 'relationship_tuple', 'role_assignment'] as const)
    target.policy[kind].clear()
  target.policy.tenant_role.clear()
  target.policy.tenant.clear()
  target.policy.tenant.set('default', {})
  try {
    await writeAgain(source.store, result.id, target, listFacts(world))
  } catch (error) {
    // they were written before the types were declared, or the policy has no such type now
    if (isZerohopError(error, 'ATTRIBUTE_ILL_TYPED'))
      return new WayLack('a copy takes no facts whose values are not of the declared types')
    throw error
  }
  if (!world.policy.tenant.has('default'))
    await source.store.commit(result.id, 'deleteTenant', { ref: 'default' }, TESTER)
  return fromState(source, result.id)
}

/** The schema as a copy of an environment has it, with the facts as lines, so many in each revision. */
async function importedAsLines({ store }: Source, organization: LogId, log: LogId, size: number) {
  if (store.view(log).count('tenant_role') > 0) return new WayLack('no file has roles of tenants')
  const key = `lines-${hex(8)}`
  const copy = { source: log, fresh: { key, name: key }, overwrite: false }
  const { result } = await store.commit(organization, 'copyEnvironment', copy, TESTER)
  const view = store.view(log)
  const lines = [...printFacts(view, { ...view.position, skip: 0 })]
  if (view.get('tenant', 'default') === undefined)
    await store.commit(result.id, 'deleteTenant', { ref: 'default' }, TESTER)
  try {
    while (lines.length > 0) {
      const reader = new FactsReader()
      for (const [at, line] of lines.splice(0, size).entries()) reader.add(JSON.parse(line), at)
      await store.commit(result.id, 'importFacts', reader.lists, TESTER)
    }
  } catch (error) {
    if (isZerohopError(error, 'ATTRIBUTE_ILL_TYPED'))
      return new WayLack('a copy takes no facts whose values are not of the declared types')
    throw error
  }
  return fromState({ store }, result.id)
}

/** What an export of the environment is as a policy file. */
function loaded(view: View, file: string): Image | WayLack {
  if (view.count('tenant_role') > 0) return new WayLack('no file has roles of tenants')
  if (view.get('tenant', 'default') === undefined) return new WayLack('a policy file always has the tenant `default`')
  writeFileSync(file, JSON.stringify(exportEverything(view)))
  try {
    return imageOfFiles(file)
  } catch (error) {
    if (isZerohopError(error, 'POLICY_INVALID') && /is declared as/.test(error.message))
      return new WayLack('a policy file takes no facts whose values are not of the declared types')
    throw error
  }
}

async function restored({ data, store }: Source, log: LogId): Promise<Image> {
  const [backup, folder] = [memoryFolder('backup'), memoryFolder('restored')]
  await ADMIN.backup({ store, data, newId: () => hex(16) }, { folder: backup })
  await describeBackup(backup, 1)
  await restoreBackup(backup, folder, () => hex(32))
  const opened = await openAdminStore(folder, join(data, 'secrets.key'))
  try {
    return fromState({ store: opened }, log)
  } finally {
    await opened.close()
  }
}

/** Two replicas over one database: what the first one writes, the second one folds. */
class Replicas {
  #postgres: Postgres | undefined
  #replicas: Promise<readonly ManagementData[]> | undefined

  all(): Promise<readonly ManagementData[]> {
    this.#replicas ??= this.#open()
    return this.#replicas
  }

  async #open(): Promise<readonly ManagementData[]> {
    this.#postgres = await startPostgres()
    const url = await this.#postgres.database()
    const first = await openReplica(url)
    return [first, await openReplica(url)]
  }

  async close(): Promise<void> {
    for (const each of (await this.#replicas) ?? []) await closeReplica(each)
    await this.#postgres?.stop()
    this.#postgres = undefined
    this.#replicas = undefined
  }
}

function replicaWay(): Way {
  const replicas = new Replicas()
  return {
    name: "replica's fold",
    kind: 'final',
    needsSource: false,
    isWrittenByManagement: true,
    lacks: () => (withoutPostgres() ? 'there is no PostgreSQL' : undefined),
    async open(): Promise<Kept> {
      const [first, second] = (await replicas.all()) as [ManagementData, ManagementData]
      const { result } = await first.store.commit(hex(16), 'bootstrap', { noExample: true }, TESTER)
      const log = result.environments[0]!.id
      const world = new World()
      return {
        async write({ written }) {
          const operations = written.map(({ operation }) => operation)
          await writeAgain(first.store, log, world, operations)
          world.runAll(operations)
        },
        async image() {
          await second.store.confirm()
          return fromState(second, log)
        },
      }
    },
    close: () => replicas.close(),
  }
}

/** A data folder of its own, which is closed and opened again before anything is read. */
function reopenedWay(): Way {
  const environments = new Environments()
  return {
    name: 'folder closed and opened',
    kind: 'final',
    needsSource: false,
    isWrittenByManagement: true,
    isCostly: true,
    async open(): Promise<Kept> {
      const [log] = await environments.create()
      const world = new World()
      return {
        async write({ written }) {
          const operations = written.map(({ operation }) => operation)
          await environments.write(log, world, operations)
        },
        image: async () => fromState({ store: await environments.reopen() }, log),
      }
    },
    close: () => environments.close(),
  }
}

export const STORE_WAYS: readonly Way[] = [...SOURCE_WAYS, replicaWay(), reopenedWay()]
