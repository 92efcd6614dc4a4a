// `zerohop log` against a management API in this process: what it prints, which decisions, and how it follows.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type LogOptions, printLog } from '../../src/cli/commands/log.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { formatLine } from '../../src/client/decision-record.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { printedBy } from '../support/printed.ts'

let api: Harness
let env: Env
let seq = 0
const START = Date.parse('2026-11-20T12:00:00Z')

/** Stores a decision; `at` in seconds after the start. */
async function record(user: string, allow: boolean, { action = 'read', key = null as string | null, at = ++seq } = {}) {
  const line = formatLine(
    {
      ...{ at: START + at * 1000, request: null, environment: api.environment, revision: 7, apiKey: 'k' },
      ...{
        user,
        action,
        tenant: 'default',
        resourceType: 'doc',
        allow,
        resourceKey: key,
        reason: undefined,
        micros: 0,
      },
      ...{ sent: undefined, now: undefined, isTenantSent: true, omitted: [] },
    },
    0,
  )
  const lines = Buffer.from(`{"instance":"${'cd'.repeat(16)}","seq":${++seq}${line}`)
  await api.audit.append({ lines, isCompressed: false })
}

const log = (options: Partial<LogOptions> = {}, end = new AbortController().signal) =>
  printedBy(() => printLog(env, { limit: '30', ...options }, START + 60_000, end))
const users = (text: string) => [...text.matchAll(/(?:allow|deny ) {2}(\S+) /g)].map(([, user]) => user)

beforeAll(async () => {
  api = await openHarness()
  env = { ...readEnv({}), api: await api.app.listen({ port: 0 }), pdpApiKey: api.made.environments[0]!.secret }
})
afterAll(() => api.close())

describe('zerohop log', () => {
  it('explains how to record decisions when none are recorded', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await log()).toBe('')
    expect(written.mock.calls.join()).toContain('start `zerohop serve` or the PDP with PDP_DECISION_LOG=api')
    written.mockRestore()
  })

  it('prints the newest decisions, the newest last, with the filters', async () => {
    await record('ana', true)
    await record('ben', false, { action: 'write', key: 'one' })
    await record('cleo', true, { key: 'two' })
    const all = await log()
    expect(users(all)).toEqual(['ana', 'ben', 'cleo'])
    expect(all.split('\n')[1]).toMatch(
      /^2026-11-20T12:00:\d\d\.000Z {2}deny {3}ben write doc:one in default {2}\(revision 7\) [0-9a-f]{32}$/,
    )
    expect(users(await log({ limit: '2' }))).toEqual(['ben', 'cleo'])
    expect(users(await log({ user: ['ana', 'cleo'] }))).toEqual(['ana', 'cleo'])
    expect(users(await log({ deny: true }))).toEqual(['ben'])
    expect(users(await log({ allow: true, action: ['read'] }))).toEqual(['ana', 'cleo'])
    expect(users(await log({ resource: ['doc:two'] }))).toEqual(['cleo'])
    const [, , last] = (await log({ json: true })).trim().split('\n')
    const { timestamp, ...rest } = JSON.parse(last!) as { timestamp: string }
    expect(rest).toMatchObject({ user_key: 'cleo', decision: true })
    expect(users(await log({ since: timestamp }))).toEqual(['cleo'])
    await expect(log({ since: 'soon' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  it('follows until a signal: late records are printed too, those that are filtered out are not', async () => {
    const end = new AbortController()
    const following = log({ follow: true, limit: '1' }, end.signal)
    // the spy of printedBy
    const printed = () => vi.mocked(process.stdout.write).mock.calls.join()
    await vi.waitFor(() => expect(printed()).toContain('cleo'), 20_000)
    await record('dora', true, { at: 40 })
    await record('late', false, { at: 20 })
    await vi.waitFor(() => expect(printed()).toMatch(/dora.*late|late.*dora/s), 20_000)
    end.abort()
    expect(users(await following).toSorted()).toEqual(['cleo', 'dora', 'late'])
  })
})
