// `zerohop suspend` and `resume` (D16): what they write, say and refuse, at a management API and on a data folder.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openManagementData } from '../../src/management/host/open.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { BY } from '../management/harness.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const DAY = 86_400_000

let api: Harness
let variables: Record<string, string>
beforeAll(async () => {
  api = await openHarness()
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  variables = { ZEROHOP_API: url, PDP_API_KEY: api.made.environments[0]!.secret }
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.ask('DELETE', '$F/users/ana')
  await api.ask('POST', '$F/users', { key: 'ana' })
})

const run = (...args: string[]) => runHere(args, variables)
const stored = () => api.store.view(api.environment).get('user', 'ana')?.suspension
const revision = () => api.store.head(api.environment).revision
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

describe('zerohop suspend', () => {
  it('suspends until the user is resumed, for a time, or from a time on', async () => {
    const { code, out } = await run('suspend', 'ana', '--reason', ' left the company ')
    expect([code, out]).toEqual([0, 'suspended: ana: left the company\n'])
    expect(stored()).toMatchObject({ reason: 'left the company' })
    expect(stored()).not.toHaveProperty('valid_until')
    const before = Date.now()
    const leave = await run('suspend', 'ana', '--reason', 'leave', '--for', '90d')
    expect(leave.out).toMatch(new RegExp(`^suspended: ana, until ${TIME}: leave\n$`))
    expect(stored()!.valid_until).toBeGreaterThanOrEqual(before + 90 * DAY)
    expect(stored()!.valid_until).toBeLessThanOrEqual(Date.now() + 90 * DAY)
    const from = '2031-06-01T10:00:00+02:00'
    const { out: later } = await run('suspend', 'ana', '--reason', 'leave', '--from', from, '--for', '1d')
    expect(later).toBe('not suspended yet: ana, from 2031-06-01T08:00:00.000Z, until 2031-06-02T08:00:00.000Z: leave\n')
    expect(stored()).toMatchObject({ valid_from: Date.parse(from), valid_until: Date.parse(from) + DAY })
  })

  it('[D11] keeps the times that are not named, and `--no-end` takes the end away', async () => {
    await run('suspend', 'ana', '--reason', 'leave', '--until', '2031-01-01T00:00:00Z')
    const since = stored()!.suspended_at
    const before = revision()
    const again = await run('suspend', 'ana', '--reason', 'leave')
    expect(again.out).toBe('suspended: ana, until 2031-01-01T00:00:00.000Z: leave\n')
    expect(revision()).toBe(before)
    expect((await run('suspend', 'ana', '--reason', 'left', '--no-end')).out).toBe('suspended: ana: left\n')
    expect(stored()).toEqual({ reason: 'left', suspended_at: since })
  })

  it('says when it denies nothing, and suspends anew who was suspended until a time', async () => {
    const ended = await run('suspend', 'ana', '--reason', 'leave', '--until', '2001-01-01T00:00:00Z')
    expect(ended.out).toBe('not suspended any more: ana, until 2001-01-01T00:00:00.000Z: leave\n')
    expect((await run('suspend', 'ana', '--reason', 'left')).out).toBe('suspended: ana: left\n')
  })

  it('as JSON answers the user', async () => {
    const { out } = await run('suspend', 'ana', '--reason', 'left', '--json')
    expect(JSON.parse(out)).toMatchObject({ key: 'ana', suspension: { reason: 'left' } })
    expect(JSON.parse((await run('resume', 'ana', '--json')).out)).not.toHaveProperty('suspension')
  })

  it('prints no control characters of a reason', async () => {
    await run('suspend', 'ana', '--reason', 'left\u001b[2J')
    expect((await run('suspend', 'ana', '--reason', 'left\u001b[2J')).out).not.toContain('\u001b')
  })

  it.each([
    ['no reason', ['ana'], 64, 'required option'],
    ['an empty reason', ['ana', '--reason', ' '], 1, 'a suspension has a reason'],
    ['a user who is not there', ['nobody', '--reason', 'left'], 1, 'nobody'],
    [
      'an end before the start',
      ['ana', '--reason', 'x', '--from', '2d', '--until', '2020-01-01T00:00:00Z'],
      1,
      'valid_until',
    ],
    [
      'an end without an offset',
      ['ana', '--reason', 'x', '--until', '2031-01-01T00:00:00'],
      64,
      '--until: a time with its offset',
    ],
    ['a time that is none', ['ana', '--reason', 'x', '--for', 'soon'], 64, '--for: a time such as'],
    ['two ends', ['ana', '--reason', 'x', '--for', '1d', '--no-end'], 64, 'cannot be used with'],
  ])('refuses %s, and changes nothing', async (_, args, code, says) => {
    const before = revision()
    const ran = await run('suspend', ...args)
    expect([ran.code, ran.out, ran.err]).toEqual([code, '', expect.stringContaining(says)])
    expect(revision()).toBe(before)
  })
})

describe('zerohop resume', () => {
  it('ends the suspension, also where there is none', async () => {
    await run('suspend', 'ana', '--reason', 'left')
    expect((await run('resume', 'ana')).out).toBe('resumed: ana\n')
    expect(stored()).toBeUndefined()
    const before = revision()
    expect(await run('resume', 'ana')).toMatchObject({ code: 0, out: 'resumed: ana\n' })
    expect(revision()).toBe(before)
  })

  it('refuses a user who is not there', async () => {
    const { code, err } = await run('resume', 'nobody')
    expect([code, err]).toEqual([1, expect.stringContaining('nobody')])
  })
})

it('both ask a data folder, too', async () => {
  const data = temporaryFolder('suspensions')
  const management = await openManagementData({ data, newId: () => randomBytes(16).toString('hex'), noExample: true })
  const { store, organization } = management
  const log = store.view(organization).require('environment', 'default/development').id
  await store.commit(log, 'createUser', { key: 'ana' }, BY)
  await store.close()
  const of = (...args: string[]) => runHere([...args, '--data', data], {})
  expect((await of('suspend', 'ana', '--reason', 'left')).out).toBe('suspended: ana: left\n')
  expect((await of('resume', 'ana')).out).toBe('resumed: ana\n')
})
