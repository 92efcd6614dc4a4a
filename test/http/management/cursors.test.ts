// Lists that can be walked: a walker beside a writer sees nothing twice and misses nothing that was there all the time,
// on every list of the API; a cursor that is not the `next` of this list is refused.
// npm run test:cursors walks further.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import { NOT_WALKED, type WalkedList, Walker, walkedLists } from '../../support/list-walks.ts'
import { type Harness, openHarness } from './harness.ts'

/** Writes and pages in all. */
const STEPS = Number(process.env.ZEROHOP_TEST_CURSOR_STEPS ?? 0)
const SEED = Number(process.env.ZEROHOP_TEST_CURSOR_SEED ?? 1)

let api: Harness
let known: KnownObjects
let lists: readonly WalkedList[]
let key: { readonly id: string; readonly secret: string }
beforeAll(async () => {
  api = await openHarness({})
  known = await makeKnownObjects(api)
  lists = walkedLists(api, known)
  const { secret } = api.made.environments[0]!
  key = { id: api.store.findApiKey(hashSecret(secret))!.key.id, secret }
  let parent: string | undefined
  for (const set of ['top', 'high', 'middle', 'low']) {
    await api.ask('POST', '$S/condition_sets', {
      ...{ key: set, conditions: { 'user.size': { 'greater-than': 1 } } },
      ...(parent === undefined ? {} : { parent_id: parent }),
    })
    parent = set
  }
  await api.ask('PATCH', '$S/condition_sets/grown', { parent_id: 'low' })
})
// it compares every answer with the OpenAPI document
afterAll(() => api.close(), STEPS > 0 ? 3_600_000 : undefined)

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('a walk beside writes', () => {
  it('shows nothing twice, and all that was there all the time', async () => {
    const random = numbers(SEED)
    const walker = new Walker(api, key, random)
    await walker.fill(4)
    let steps = 0
    const round = async () => {
      for (const list of lists) {
        await walker.step(list)
        if (random() < 0.5) await walker.write()
        steps += 2
      }
    }
    do await round()
    while (steps < STEPS)
    // every walk goes on until its end
    for (let left = lists.filter((list) => walker.isWalking(list)); left.length > 0; ) {
      for (const list of left) {
        await walker.step(list)
        if (random() < 0.3) await walker.write()
        steps++
      }
      left = left.filter((list) => walker.isWalking(list))
    }
    if (STEPS > 0)
      process.stdout.write(`${steps} steps, ${walker.finished} walks over ${lists.length} lists, seed ${SEED}\n`)
    expect(walker.faults).toEqual([])
    const short = lists.filter(({ title, isShort }) => !isShort && !walker.walkedOn.has(title))
    expect(short.map(({ title }) => title)).toEqual([])
  })

  it('by the number of the page is found to skip rows, or to show them twice', async () => {
    const random = numbers(SEED)
    const walker = new Walker(api, key, random, 'byNumber')
    const some = lists.filter(({ title }) => /\/(users|tenants|roles|invites)\?$/.test(title))
    for (let turn = 0; turn < 60 && walker.faults.length === 0; turn++) {
      for (const list of some) await walker.step(list)
      await walker.write()
    }
    expect(walker.faults).not.toEqual([])
  })
})

describe('every list', () => {
  /** the cursor of a second page */
  const readCursor = async ({ path, size, headers }: WalkedList): Promise<string | undefined> => {
    const { body, headers: sent } = await api.ask('GET', `${path}&${size}=1`, undefined, { headers })
    const link = /^<\?(.*)>; rel="next"$/.exec(String(sent.link ?? ''))?.[1]
    return link === undefined ? (body.next ?? undefined) : new URLSearchParams(link).get('after')!
  }
  const expectRefused = async (path: string, headers: Readonly<Record<string, string>>, what: string) => {
    const { status, body } = await api.ask('GET', path, undefined, { headers })
    expect({ what, status, code: body.error_code }).toEqual({ what, status: 400, code: 'INVALID_INPUT' })
    expect(body.message, what).toContain('`after`')
  }

  it('takes a cursor', () => {
    const without = api.routes.filter(
      ({ method, url, query, isList }) =>
        method === 'GET' && isList && !query.includes('after') && !(url in NOT_WALKED),
    )
    expect(without.map(({ url }) => url)).toEqual([])
  })

  it('refuses a cursor that is altered, or is of another list, of other filters or of another view', async () => {
    const cursors = new Map<WalkedList, string>()
    for (const list of lists) {
      const cursor = await readCursor(list)
      if (cursor !== undefined) cursors.set(list, cursor)
    }
    expect(cursors.size).toBeGreaterThan(0.9 * lists.length)
    const all = [...cursors]
    for (const [at, [{ title, path, size, headers }, cursor]] of all.entries()) {
      const ask = `${path}&${size}=1&after=`
      expect((await api.ask('GET', ask + cursor, undefined, { headers })).status, title).toBe(200)
      const [, other] = all[(at + 1) % all.length]!
      const middle = Math.floor(cursor.length / 2)
      const altered = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1)
      const bad = { other, altered, short: cursor.slice(0, 20), text: 'x', number: '7', long: cursor.repeat(200) }
      for (const [what, text] of Object.entries(bad).filter(([what]) => at % 8 === 0 || what === 'other'))
        await expectRefused(ask + text, headers, `${title}: ${what}`)
      await expectRefused(`${ask}${cursor}&role=zz`, headers, `${title}: other filters`)
      if (at % 8 === 0 && size === 'per_page')
        expect((await api.ask('GET', `${ask}${cursor}&page=1`, undefined, { headers })).status, title).toBe(422)
    }
    const tenants = all.filter(([{ headers }]) => 'x-as-tenant' in headers)
    expect(tenants.length).toBeGreaterThan(5)
    for (const [{ title, path, size }, cursor] of tenants)
      await expectRefused(`${path}&${size}=1&after=${cursor}`, {}, `${title}: without its tenant`)
  })

  it('refuses the cursor of another environment, and of a key that sees other projects', async () => {
    const path = '/v2/schema/default/ENV/roles?per_page=1'
    for (const role of ['one', 'two'])
      await api.ask('POST', path.replace('ENV', 'production').replace(/\?.*/, ''), { key: role })
    const { headers } = await api.ask('GET', path.replace('ENV', 'production'))
    const cursor = /after=([\w-]+)/.exec(String(headers.link))![1]
    expect((await api.ask('GET', `${path.replace('ENV', 'production')}&after=${cursor}`)).status).toBe(200)
    await expectRefused(`${path.replace('ENV', 'development')}&after=${cursor}`, {}, 'of another environment')
    const envs = '/v2/projects?per_page=1'
    await api.ask('POST', '/v2/projects', { key: 'second', name: 'Second' })
    const link = String((await api.ask('GET', envs)).headers.link)
    const after = /after=([\w-]+)/.exec(link)![1]
    const { status } = await api.ask('GET', `${envs}&after=${after}`, undefined, { key: key.secret })
    expect(status).toBe(400)
  })

  it('says nothing of what it is about, and nothing that a reader could learn from', async () => {
    const list = lists.find(({ title }) => title === 'GET /v2/facts/:p/:e/users?')!
    const bytes = Buffer.from((await readCursor(list))!, 'base64url')
    expect(bytes.toString('latin1')).not.toMatch(/[[\]{}",]\d/)
    // the same page has the same cursor, whoever answers
    expect(await readCursor(list)).toBe(await readCursor(list))
  })
})
