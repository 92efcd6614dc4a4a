// What `zerohop api` writes into its log about the data folder that it serves. Here in this process, which sees every
// line. Needs the build.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type StartOptions, startManagement } from '../../src/cli/commands/api.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import { Closers } from '../../src/cli/process/process.ts'
import { withoutRequest } from '../../src/log/change.ts'
import { RETENTION_EVERY_MS, SCRUB_FIRST_MS, SOCKET_PATH_BYTES_MAX } from '../../src/model/limits.ts'
import { overwrite } from '../support/damage.ts'
import { temporaryFolder } from '../support/folders.ts'
import { asFormat1 } from '../support/old-format.ts'
import { url } from '../support/server.ts'

const BY = withoutRequest('test')
/** The comparison runs in a process of its own. */
const PATIENCE = { timeout: 60_000 }
/** about four milliseconds */
const OFTEN = '0.000001'

interface Line {
  readonly level: number
  readonly msg: string
  readonly checked?: number
  readonly damages?: number
  readonly damage?: string
  readonly percent?: number
  readonly err?: { readonly message: string }
}

const closers = new Closers()
afterEach(() => closers.close())

/** Starts on the folder; `lines` grows with the log. */
async function start(data: string, variables: Record<string, string> = {}, options: Partial<StartOptions> = {}) {
  const lines: Line[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const env = readEnv({ ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0', ZEROHOP_SCRUB_HOURS: '0', ...variables })
  const starting = startManagement(env, { example: false, verify: false, ...options }, log, closers)
  return { lines, started: await starting.catch((error: Error) => error) }
}

/** The management side, where it must have started. */
async function running(...given: Parameters<typeof start>) {
  const { lines, started } = await start(...given)
  if (started instanceof Error) throw started
  return { lines, ...started }
}

/** The same, with the first comparison at once. */
async function compared(data: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const started = await running(data, { ZEROHOP_SCRUB_HOURS: OFTEN })
    vi.advanceTimersByTime(SCRUB_FIRST_MS)
    return started
  } finally {
    vi.useRealTimers()
  }
}

const called = (lines: readonly Line[], msg: string) => lines.filter((line) => line.msg === msg)

/** A folder that is not in use, with a user that is easy to find in the file. */
async function folder(): Promise<string> {
  const data = temporaryFolder('api')
  const { management } = await running(data)
  const { id } = management.store.view(management.organization).require('environment', 'default/development')
  await management.store.commit(id, 'createUser', { key: 'ida', first_name: 'Ida-One' }, BY)
  await closers.close()
  return data
}

describe('the periodic comparison', () => {
  it('says how much it compared, and names what does not match', async () => {
    const data = await folder()
    const { lines } = await compared(data)
    const whole = 'the data folder was verified'
    await expect.poll(() => called(lines, whole)[0], PATIENCE).toMatchObject({ level: 30, damages: 0 })
    expect(called(lines, whole)[0]?.checked).toBeGreaterThan(1)
    expect(called(lines, 'data on disk is damaged')).toEqual([])
    expect(overwrite(data, '"first_name":"Ida-One"', '"first_name":"Ida-Two"')).toBeGreaterThan(0)
    await expect
      .poll(() => called(lines, 'data on disk is damaged')[0], PATIENCE)
      .toMatchObject({
        level: 50,
        err: { message: expect.stringMatching(/in table objects_user does not match its checksum/) },
      })
    await expect.poll(() => called(lines, whole).at(-1)?.damages, PATIENCE).toBeGreaterThan(0)
  })
})

it('a round of retention that fails is in the log, and the next one still comes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { lines, management } = await running(temporaryFolder('api'))
  const trim = vi.spyOn(management.audit, 'trim').mockRejectedValueOnce(new Error('the disk is full'))
  vi.advanceTimersByTime(RETENTION_EVERY_MS)
  const failed = 'could not delete what has expired or ended'
  await expect
    .poll(() => called(lines, failed), PATIENCE)
    .toMatchObject([{ level: 40, err: { message: 'the disk is full' } }])
  // the first one may not have ended yet, and then the next is left out
  const rounds = (): number => {
    if (trim.mock.results.length < 2) vi.advanceTimersByTime(RETENTION_EVERY_MS)
    return trim.mock.results.length
  }
  await expect.poll(rounds, PATIENCE).toBe(2)
  await trim.mock.results[1]?.value
  expect(called(lines, failed)).toHaveLength(1)
})

it('a folder whose path is too long for a socket is served, without one', async () => {
  const data = join(temporaryFolder('api'), 'x'.repeat(SOCKET_PATH_BYTES_MAX))
  const { lines, apiPort } = await running(data)
  expect(
    called(lines, 'the path of the data folder is too long for admin.sock: stop the server to run commands'),
  ).toEqual([expect.objectContaining({ level: 40, path: join(data, 'admin.sock') })])
  expect(existsSync(join(data, 'admin.sock'))).toBe(false)
  expect((await fetch(`${url(apiPort)}/ready`)).status).toBe(200)
})

describe('--verify', () => {
  it('compares the whole folder first, and says that it is whole', async () => {
    const { lines } = await running(await folder(), {}, { verify: true })
    expect(called(lines, 'the data folder is intact')).toMatchObject([{ level: 30, checked: expect.any(Number) }])
    expect(called(lines, 'the data folder is intact')[0]?.checked).toBeGreaterThan(1)
  })

  it('says nothing of a folder that is new', async () => {
    const { lines } = await running(temporaryFolder('api'), {}, { verify: true })
    expect(lines.filter(({ msg }) => msg.includes('data folder'))).toEqual([])
  })

  it('refuses a damaged folder, with every damage in the log and the first in the error', async () => {
    const data = await folder()
    expect(overwrite(data, '"first_name":"Ida-One"', '"first_name":"Ida-Two"')).toBeGreaterThan(0)
    const { lines, started } = await start(data, {}, { verify: true })
    const damaged = called(lines, 'the data folder is damaged')
    expect(damaged.length).toBeGreaterThan(0)
    expect(started).toMatchObject({
      code: 'DATA_DAMAGED',
      message: expect.stringContaining(`${damaged.length} errors, the first: ${damaged[0]?.damage}`),
    })
    expect(called(lines, 'the data folder is intact')).toEqual([])
    // without being asked to look, it serves what can be read
    expect((await start(data)).started).not.toBeInstanceOf(Error)
  })
})

it.each([[false], [true]])('tells how far the upgrade of an old folder is; verified first: %s', async (verify) => {
  const data = await folder()
  await asFormat1(data)
  const { lines, management } = await running(data, {}, { verify })
  const percents = called(lines, 'upgrading the data folder').map(({ percent }) => percent ?? -1)
  expect(percents.at(-1)).toBe(100)
  expect(percents).toEqual([...new Set(percents)].toSorted((one, other) => one - other))
  const { id } = management.store.view(management.organization).require('environment', 'default/development')
  expect(management.store.view(id).get('user', 'ida')?.first_name).toBe('Ida-One')
})
