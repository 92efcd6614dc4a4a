// Whose records a decision log holds: a PDP that is given another API key begins another series, and what it recorded
// before is sent under its own name or refused, never under that of the new key.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DecisionClient } from '../../src/client/decision-client.ts'
import type { DecisionLog } from '../../src/decision-log/decision-log.ts'
import { withoutRequest } from '../../src/log/change.ts'
import { type Management, managementServer, openManagement } from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, Server, url } from '../support/server.ts'
import { listFiles, open, RECORD, readLines, record, Taker } from './support.ts'

const ids = (...names: string[]) => {
  const left = names.map((name) => name.repeat(16))
  return () => left.shift() ?? ''
}
const shortLines = (lines: readonly { instance: string; seq: number; user: string; dropped_before?: number }[]) =>
  lines.map(({ instance, seq, user, dropped_before: dropped = 0 }) => [instance.slice(0, 2), seq, user, dropped])

describe('the journal of another owner', () => {
  it('is continued by another series from 1, behind what is still to be sent', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    const options = { sinks: [sink], keepFiles: undefined, newId: ids('aa', 'bb', 'cc') }
    sink.down = true
    const first = await open(folder, { ...options, owner: 'one' })
    for (const user of ['a', 'b']) await record(first, user)
    await first.close()
    const second = await open(folder, { ...options, owner: 'two' })
    await second.close() // killed before its first record, for all that the next one knows
    const third = await open(folder, { ...options, owner: 'two' })
    await record(third, 'c')
    await third.close()
    sink.down = false
    const fourth = await open(folder, { ...options, owner: 'two' })
    await record(fourth, 'd')
    await eventually(() => sink.taken.length, 4)
    await fourth.close()
    expect(shortLines(sink.taken)).toEqual([
      ['aa', 1, 'a', 0],
      ['aa', 2, 'b', 0],
      ['bb', 1, 'c', 0],
      ['bb', 2, 'd', 0],
    ])
  })

  it('counts what the series before lost at its end as the first gap of the next', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    sink.down = true
    const options = { policy: 'drop' as const, sinks: [sink], keepFiles: undefined, newId: ids('aa', 'bb') }
    const first = await open(folder, { ...options, owner: 'one', bufferBytes: 600 })
    for (const user of ['a', 'b', 'c', 'd', 'e']) await record(first, user)
    const { lost } = first
    expect(lost).toBeGreaterThan(0)
    await first.close()
    sink.down = false
    const second = await open(folder, { ...options, owner: 'two' })
    await record(second, 'f')
    await eventually(() => sink.taken.at(-1)?.user, 'f')
    await second.close()
    expect(shortLines(sink.taken.slice(-1))).toEqual([['bb', lost + 1, 'f', lost]])
  })

  it('goes on when an older version named nobody, and never gives a number twice when its name cannot be read', async () => {
    const folder = temporaryFolder('decisions')
    const options = { newId: ids('aa', 'bb') }
    const first = await open(folder, options)
    await record(first, 'a')
    await first.close()
    const path = join(folder, '0', 'instance')
    writeFileSync(path, `${'aa'.repeat(16)}\n`)
    const second = await open(folder, { ...options, owner: 'one' })
    await record(second, 'b')
    await second.close()
    expect(readFileSync(path, 'latin1')).toBe(`${'aa'.repeat(16)} one 0\n`)
    rmSync(path)
    const third = await open(folder, { ...options, owner: 'one' })
    await record(third, 'c')
    await third.close()
    expect(listFiles(folder)).toHaveLength(2)
    expect(shortLines(readLines(folder))).toEqual([
      ['aa', 1, 'a', 0],
      ['aa', 2, 'b', 0],
      ['bb', 1, 'c', 0],
    ])
  })
})

describe('records that wait while the PDP is given another key', () => {
  const data = temporaryFolder('decisions')
  const port = freePort()
  let management: Management
  let app: ReturnType<typeof managementServer>
  let environment: string
  beforeAll(async () => {
    management = await openManagement({ data })
    environment = management.store.view(management.organization).require('environment', 'default/development').id
    app = managementServer(management)
    await app.listen({ host: '127.0.0.1', port: await port })
  })
  afterAll(async () => {
    await app.close()
    await management.store.close()
  })

  const makeKey = async () => {
    const input = { level: 'env', access: 'write', environment } as const
    const { key, secret } = (
      await management.store.commit(management.organization, 'createApiKey', input, withoutRequest('test'))
    ).result
    return { id: key.id, secret }
  }
  const rotate = async (ref: string) =>
    (await management.store.commit(management.organization, 'rotateApiKey', { ref }, withoutRequest('test'))).result
      .secret
  const add = (log: DecisionLog, apiKey: string, user: string) =>
    new Promise((resolve) => log.recorder.add({ ...RECORD, environment, apiKey, user }).settled(resolve))
  const down = new Taker()
  down.down = true
  /** What the API keeps of the sender, by user. */
  const kept = async (sender: string) =>
    (await management.audit.list(environment, { limit: 100 }))
      .filter(({ sent_by }) => sent_by === sender)
      .map(({ user, api_key, seq }) => [user, api_key, seq])

  it('are sent when the key was only rotated, and refused under the name of another key', async () => {
    const folder = temporaryFolder('decisions')
    const [one, other] = [await makeKey(), await makeKey()]
    const waiting = await open(folder, { sinks: [down], keepFiles: undefined, newId: ids('aa'), owner: 'one' })
    await add(waiting, one.id, 'ana')
    await waiting.close()
    const refused: unknown[] = []
    const makeClient = async (apiKey: string) =>
      new DecisionClient({
        url: url(await port),
        apiKey,
        onEvent: ({ count, refusals }) => refused.push([count, refusals]),
      })
    const sinks = [await makeClient(await rotate(one.id))]
    const rotated = await open(folder, { sinks, keepFiles: undefined, newId: ids('bb'), owner: 'rotated' })
    await add(rotated, one.id, 'ben')
    await eventually(async () => (await kept(one.id)).length, 2)
    await rotated.close()
    expect(await kept(one.id)).toEqual(
      expect.arrayContaining([
        ['ana', one.id, 1],
        ['ben', one.id, 1],
      ]),
    )

    const again = await open(folder, { sinks: [down], keepFiles: undefined, newId: ids('cc'), owner: 'rotated' })
    await add(again, one.id, 'cleo')
    await again.close()
    const replaced = await open(folder, {
      sinks: [await makeClient(other.secret)],
      keepFiles: undefined,
      newId: ids('dd'),
      owner: 'other',
    })
    await add(replaced, other.id, 'dan')
    await eventually(() => kept(other.id), [['dan', other.id, 1]])
    await replaced.close()
    expect(await kept(one.id)).toHaveLength(2)
    const refusals = { not_a_record: 0, other_environment: 0, other_key: 1, other_sender: 0 }
    expect(refused).toEqual([[1, refusals]])
  })
})

describe('zerohop pdp with a key of access `read` and PDP_DECISION_LOG=api', () => {
  afterAll(endServers)

  it('says at its start that the records cannot be sent, answers, and keeps them', async () => {
    const data = temporaryFolder('decisions')
    const management = await openManagement({ data })
    const api = managementServer(management)
    const [port, apiPort] = [await freePort(), await freePort()]
    await api.listen({ host: '127.0.0.1', port: apiPort })
    const { id } = management.store.view(management.organization).require('environment', 'default/development')
    const input = { level: 'env', access: 'read', environment: id } as const
    const { secret } = (
      await management.store.commit(management.organization, 'createApiKey', input, withoutRequest('test'))
    ).result
    const pdp = new Server('pdp', {
      ZEROHOP_DATA: join(data, 'pdp'),
      PDP_PORT: String(port),
      PDP_API_KEY: secret,
      PDP_CONTROL_PLANE: url(apiPort),
      PDP_DECISION_LOG: 'api',
    })
    await pdp.until(async () => (await fetch(`${url(port)}/ready`)).ok)
    await eventually(() => pdp.output.includes('has access `read` and cannot send decisions'), true)
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
    expect((await fetch(`${url(port)}/allowed`, { method: 'POST', headers, body })).status).toBe(200)
    await eventually(() => pdp.output.includes('"code":"KEY_TOO_NARROW"'), true)
    const metrics = await (await fetch(`${url(port)}/metrics`, { headers })).text()
    expect(metrics).toMatch(/^zerohop_decision_log_waiting_bytes [1-9]/m)
    expect(await management.audit.count(id)).toBe(0)
    await pdp.end()
    await api.close()
    await management.store.close()
  })
})
