// The law of test/property/directories.test.ts on two replicas over one PostgreSQL: a directory, its rules and people
// write through both in turn, and a PDP that follows each of them by deltas answers what the definition says.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import type { ManagementData } from '../../src/management/host/open.ts'
import { Follower } from '../../src/pdp/follower.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { carryOut, compareAnswers, Definition, FIRST, type Run, steps } from '../property/directories.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplicas, errorCode, openReplica } from '../support/replica-stores.ts'

const ROUNDS = 2
const PATIENCE_MS = 20_000
let server: Postgres
let replicas: readonly ManagementData[]

interface Place {
  readonly environment: string
  readonly pdps: readonly Pdp[]
  readonly followers: readonly Follower[]
}

/** An environment of its own, which a PDP follows at each replica. */
async function makePlace(name: string): Promise<Place> {
  const [{ store, organization }] = replicas as [ManagementData]
  const input = { project: 'default', environment: { key: name, name } }
  const { id: environment } = (await store.commit(organization, 'createEnvironment', input, BY)).result
  for (const [useCase, input] of FIRST) await store.commit(environment, useCase, input as never, BY)
  const followers = await Promise.all(
    replicas.map(async (replica) => {
      await replica.store.confirm()
      return new Follower({ feed: localFeed(replica, { environment, organization }) })
    }),
  )
  const pdps = followers.map((follower) => new Pdp(follower))
  await Promise.all(pdps.map((pdp) => pdp.ready()))
  return { environment, followers, pdps }
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('two replicas, and the PDPs that follow them', () => {
  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.database()
    replicas = [await openReplica(database), await openReplica(database)]
  })
  afterAll(async () => {
    await closeReplicas()
    await endPostgres()
  })

  it('allow what the definition says after each write of a directory, of rules and of people', async () => {
    let compared = 0
    for (const [round, drawn] of fc.sample(steps, { seed: 7, numRuns: ROUNDS }).entries()) {
      const { environment, followers, pdps } = await makePlace(`round-${round}`)
      const definition = new Definition()
      for (const [at, step] of drawn.entries()) {
        const { store } = replicas[at % replicas.length]!
        const wanted = definition.run(step)
        if (wanted === 'taken' || wanted === 'passed') continue
        await store.confirm()
        const run: Run = (name, input) => store.commit(environment, name, input as never, BY)
        const got = await (async () => carryOut(store.view(environment), run, step))().then(() => 'ok', errorCode)
        expect([JSON.stringify(step), got]).toEqual([JSON.stringify(step), wanted])
        const { revision } = store.head(environment)
        for (const [of, replica] of replicas.entries()) {
          await replica.store.confirm()
          await followers[of]!.atLeast(revision, PATIENCE_MS)
          const message = `replica ${of} after ${JSON.stringify(step)}: the definition says`
          compareAnswers(replica.store.view(environment), pdps[of]!, definition, message)
          compared++
        }
      }
      await Promise.all(pdps.map((pdp) => pdp.close()))
    }
    expect(compared).toBeGreaterThan(ROUNDS * replicas.length * 10)
  })
})
