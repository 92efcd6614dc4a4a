// Records of decisions at two replicas: a PDP sends a batch to either, and again to the other one when it heard no
// answer. Each record is kept once, either replica lists all of them, and no write of policy waits for them.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DecisionClient } from '../../src/client/decision-client.ts'
import { type Management, managementServer, openManagement } from '../../src/server.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { beginExport } from '../../src/store/postgres/moves.ts'
import { open, RECORD } from '../decision-log/support.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { LoadBalancer } from '../support/load-balancer.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { freePort } from '../support/server.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { decisionLine } from './decision-lines.ts'

const KEY = 'an-organization-key'
const LOGS = '/v2/pdps/default/development/audit_logs'
const START = Date.UTC(2026, 10, 20, 12)

interface Replica {
  readonly management: Management
  readonly app: ReturnType<typeof managementServer>
  readonly port: number
  readonly proxy: TcpProxy
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('records of decisions at two replicas', () => {
  const secretsKey = randomBytes(32)
  let postgres: Postgres
  let database: string
  let one: Replica
  let other: Replica
  let environment: string
  let sender: { readonly id: string; readonly secret: string }

  const start = async (): Promise<Replica> => {
    const proxy = await startProxy(postgres.port)
    const settings = { url: proxy.through(database), replica: randomUUID(), version: 'test' }
    const management = await openManagement({
      data: temporaryFolder('replica'),
      bootstrapKey: KEY,
      noExample: true,
      replica: { settings, secretsKey },
    })
    const app = managementServer(management)
    const port = await freePort()
    await app.listen({ host: '127.0.0.1', port })
    return { management, app, port, proxy }
  }
  const stop = async (replica: Replica | undefined) => {
    await replica?.app.close()
    await replica?.management.store.close()
    replica?.proxy.close()
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    database = await postgres.database()
    one = await start()
    other = await start()
    const { store, organization } = one.management
    environment = store.view(organization).require('environment', 'default/development').id
    sender = await readKey(one)
  })
  afterAll(async () => {
    await stop(one)
    await stop(other)
    await endPostgres()
  })

  const ask = async (
    { app }: Replica,
    method: 'GET' | 'POST',
    path: string,
    { key = KEY, body, lines }: { key?: string; body?: object; lines?: string } = {},
  ) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(lines === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
    }
    const payload = lines === undefined ? body : Buffer.from(lines)
    const answer = await app.inject({ method, url: path, headers, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: JSON.parse(answer.body) }
  }
  /** The key of the environment, from the replica that made it. */
  const readKey = async (replica: Replica) => {
    const { body } = await ask(replica, 'GET', `/v2/api-key/default/development`)
    return { id: body.id as string, secret: body.secret as string }
  }
  const lines = (instance: string, seqs: readonly number[], apiKey = sender.id) =>
    seqs.map((seq) => decisionLine({ environment, instance, seq, apiKey, at: START + seq })).join('')
  const send = (replica: Replica, text: string, key = sender.secret) => ask(replica, 'POST', LOGS, { key, lines: text })
  const seqs = async (replica: Replica, instance: string) =>
    (await ask(replica, 'GET', `${LOGS}?per_page=100&pdp_id=${instance}`)).body.data.map(
      ({ context }: { context: { seq: number } }) => context.seq,
    )
  const newInstance = () => randomBytes(16).toString('hex')
  const sql = (text: string, values: unknown[] = []) => postgres.query<Record<string, unknown>>(database, text, values)

  it('are kept once, whichever of them a batch is sent to, and listed by each', async () => {
    const instance = newInstance()
    const batch = lines(instance, [1, 2, 3])
    expect((await send(one, batch)).body).toMatchObject({ stored: 3, known: 0, refused: 0 })
    expect((await send(other, batch + lines(instance, [4]))).body).toMatchObject({ stored: 1, known: 3, refused: 0 })
    const again = lines(instance, [5, 6, 7, 8])
    const both = await Promise.all([one, other, one, other].map((replica) => send(replica, again)))
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(both.map(({ body }) => body.stored).sort()).toEqual([0, 0, 0, 4])
    expect(both.map(({ body }) => body.known).sort()).toEqual([0, 4, 4, 4])
    const listed = [8, 7, 6, 5, 4, 3, 2, 1]
    expect([await seqs(one, instance), await seqs(other, instance)]).toEqual([listed, listed])
    const [found] = (await ask(one, 'GET', `${LOGS}?per_page=1&pdp_id=${instance}`)).body.data
    expect((await ask(other, 'GET', `${LOGS}/${found.id}`)).body).toEqual(found)
    expect(await other.management.audit.instance(instance)).toMatchObject({ stored: 8, last: 8, sender: sender.id })
  })

  it('are of the key that began their series, at the other replica too', async () => {
    const instance = newInstance()
    await send(one, lines(instance, [1]))
    const { body } = await ask(one, 'POST', '/v2/api-key', {
      body: {
        organization_id: one.management.organization,
        project_id: (await ask(one, 'GET', '/v2/projects/default')).body.id,
        environment_id: environment,
        access_level: 'write',
      },
    })
    const foreign = await send(other, lines(instance, [2], body.id), body.secret)
    expect(foreign.body).toMatchObject({ stored: 0, refused: 1, refusals: { other_sender: 1 } })
    // `serve` sends its own without a key: nobody goes on with them
    const own = newInstance()
    await one.management.audit.append({ lines: Buffer.from(lines(own, [1])), isCompressed: false })
    expect((await send(other, lines(own, [2]))).body.refusals).toMatchObject({ other_sender: 1 })
  })

  it('come in many batches at once, one of them unreadable', async () => {
    const instances = Array.from({ length: 20 }, newInstance)
    const [unreadable, ...answers] = await Promise.all([
      one.management.audit.append({ lines: Buffer.from('not gzip'), isCompressed: true }).catch(({ code }) => code),
      ...instances.map((instance, at) => send(at % 2 ? one : other, lines(instance, [at + 1, at + 2]))),
    ])
    expect(unreadable).toBe('INPUT_INVALID')
    for (const { body } of answers) expect(body).toMatchObject({ stored: 2, known: 0, refused: 0 })
    for (const [at, instance] of instances.entries()) expect(await seqs(one, instance)).toEqual([at + 2, at + 1])
  })

  it('are there for a replica that starts with an empty folder', async () => {
    const instance = newInstance()
    await send(one, lines(instance, [1, 2]))
    const third = await start()
    expect(await seqs(third, instance)).toEqual([2, 1])
    await stop(third)
  })

  it('hold up no write of policy while they wait for the database', async () => {
    const client = await connectTo(database)
    await client.query('BEGIN; LOCK TABLE zerohop.decisions IN ACCESS EXCLUSIVE MODE')
    let isStored = false
    const instance = newInstance()
    const storing = send(one, lines(instance, [1])).then((answer) => {
      isStored = true
      return answer
    })
    await eventually(
      async () =>
        (
          await sql(
            `SELECT FROM pg_stat_activity WHERE application_name = 'zerohop decisions' AND wait_event_type = 'Lock'`,
          )
        ).length,
      1,
    )
    for (const [at, replica] of [one, other, one].entries()) {
      const body = { key: `held-${at}` }
      expect((await ask(replica, 'POST', '/v2/facts/default/development/users', { body })).status).toBe(200)
    }
    expect(isStored).toBe(false)
    await client.query('ROLLBACK')
    await client.end()
    expect((await storing).body).toMatchObject({ stored: 1 })
  })

  it('are not acknowledged when the disk of the database is full, and taken when it has room again', async () => {
    await sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$`)
    await sql('CREATE TRIGGER full_disk BEFORE INSERT ON zerohop.decisions EXECUTE FUNCTION full_disk()')
    const instance = newInstance()
    const refused = await send(one, lines(instance, [1]))
    const headers = { 'retry-after': '1', 'x-unavailable': 'DATABASE_UNAVAILABLE' }
    expect(refused).toMatchObject({ status: 503, headers, text: expect.stringContaining('No space left on device') })
    const body = { key: 'while-full' }
    expect((await ask(one, 'POST', '/v2/facts/default/development/users', { body })).status).toBe(200)
    await sql('DROP TRIGGER full_disk ON zerohop.decisions')
    expect(await other.management.audit.instance(instance)).toBeUndefined()
    expect((await send(one, lines(instance, [1]))).body).toMatchObject({ stored: 1, known: 0 })
  })

  it('that were committed without an answer are known when they come again', async () => {
    await sql(
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(1); RETURN NULL; END$$`,
    )
    await sql(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON zerohop.decisions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slow()`)
    const instance = newInstance()
    const append = one.management.audit
      .append({
        lines: Buffer.from(lines(instance, [1])),
        isCompressed: false,
        environment,
        sentBy: { id: sender.id, hash: '' },
      })
      .catch(({ code }) => code)
    await eventually(
      async () => (await sql(`SELECT FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'`)).length,
      1,
    )
    one.proxy.cut()
    expect(await append).toBe('OUTCOME_UNKNOWN')
    expect((await send(other, lines(instance, [1, 2]))).body).toMatchObject({ stored: 1, known: 1 })
    await sql('DROP TRIGGER slow ON zerohop.decisions')
    expect(await seqs(other, instance)).toEqual([2, 1])
  })

  it('are neither taken nor listed by a replica without its database; the other one goes on', async () => {
    const instance = newInstance()
    await send(one, lines(instance, [1]))
    one.proxy.refuse()
    one.proxy.cut()
    const { audit } = one.management
    const batch = { lines: Buffer.from(lines(instance, [2])), isCompressed: false }
    const codes = await Promise.all(
      [audit.append(batch), audit.append(batch), audit.list(environment, { limit: 1 }), audit.count(environment)].map(
        (asked: Promise<unknown>) => asked.catch(({ code }) => code),
      ),
    )
    expect(codes).toEqual(Array(4).fill('DATABASE_UNAVAILABLE'))
    expect((await send(one, lines(instance, [2]))).headers).toMatchObject({ 'retry-after': '1' })
    const metrics = async (replica: Replica) => {
      const headers = { authorization: `Bearer ${sender.secret}` }
      return (await replica.app.inject({ url: '/metrics', headers })).body
    }
    expect(await metrics(one)).not.toMatch(/^zerohop_environment_audit_records\{/m)
    expect(await metrics(other)).toMatch(/^zerohop_environment_audit_records\{[^}]+\} [1-9]/m)
    expect((await send(other, lines(instance, [2]))).body).toMatchObject({ stored: 1 })
    await one.proxy.accept()
    await expect
      .poll(async () => (await send(one, lines(instance, [2, 3]))).body, { timeout: 30_000 })
      .toMatchObject({
        stored: 1,
        known: 1,
      })
    expect(await seqs(one, instance)).toEqual([3, 2, 1])
  })

  it('of a PDP are all there once, however often connections break and the database is killed', async () => {
    const instance = newInstance()
    const balancer = await new LoadBalancer([one.port, other.port]).listen()
    const client = new DecisionClient({ url: balancer.url, apiKey: sender.secret })
    const log = await open(temporaryFolder('decisions'), {
      sinks: [{ name: 'api', windowMs: 0, send: (batch, signal) => client.send(batch, signal) }],
      keepFiles: undefined,
      bufferBytes: 10_000_000,
      newId: () => instance,
    })
    const RECORDS = 3_000
    let recorded = 0
    const recordSome = async () => {
      const some = Array.from(
        { length: 10 },
        () =>
          new Promise((resolve) =>
            log.recorder.add({ ...RECORD, environment, apiKey: sender.id, at: START + recorded++ }).settled(resolve),
          ),
      )
      expect(new Set(await Promise.all(some))).toEqual(new Set([undefined]))
    }
    const recording = async () => {
      for (let turn = 0; recorded < RECORDS; turn++) {
        await recordSome()
        if (turn % 10 === 0) await pause(20)
      }
    }
    const breaking = async () => {
      for (let turn = 0; recorded < RECORDS; turn++) {
        balancer.losing = 1
        ;[one, other][turn % 2]!.proxy.cut()
        if (turn === 3) {
          await postgres.kill()
          await postgres.restart()
        }
        await pause(37)
      }
    }
    await Promise.all([recording(), breaking()])
    // until one that was stored is sent again, because its answer was lost
    const again = () => one.management.audit.stats.known + other.management.audit.stats.known
    for (const before = again(); again() === before; await pause(50)) {
      balancer.losing = 1
      await recordSome()
    }
    balancer.losing = 0
    const total = async () => (await other.management.audit.instance(instance).catch(() => undefined))?.last
    await expect.poll(total, { timeout: 60_000 }).toBe(recorded)
    expect(await other.management.audit.instance(instance)).toMatchObject({ stored: recorded, dropped: 0 })
    const [kept] = await sql(
      `SELECT count(*)::int AS records, count(DISTINCT convert_from(record, 'UTF8')::json ->> 'seq')::int AS seqs
      FROM zerohop.decisions WHERE convert_from(record, 'UTF8')::json ->> 'instance' = $1`,
      [instance],
    )
    expect(kept).toEqual({ records: recorded, seqs: recorded })
    await log.close()
    balancer.close()
  })

  it('have counts that are those of the table', async () => {
    const counted = await sql('SELECT environment, records::int AS records FROM zerohop.decision_counts')
    expect(counted).toEqual(await sql('SELECT environment, count(*)::int AS records FROM zerohop.decisions GROUP BY 1'))
    const stored = await sql('SELECT sum(stored)::int AS records FROM zerohop.decision_series')
    expect(stored).toEqual(await sql('SELECT count(*)::int AS records FROM zerohop.decisions'))
  })

  it('are refused once the data was moved out of the database, so that their PDPs keep them', async () => {
    await stop(one)
    await stop(other)
    const connection = await new Database({ url: database }).open('test')
    await beginExport(connection, randomUUID(), '/elsewhere', false)
    await expect(
      connection.query(`INSERT INTO zerohop.decisions VALUES (gen_random_uuid(), gen_random_uuid(), '{}')`),
    ).rejects.toMatchObject({ message: expect.stringContaining('moved elsewhere') })
    connection.destroy()
  })
})
