// The PDPs of `serve`: opened on first use, dropped when idle or when memory runs short, opened again when asked.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ZerohopError } from '../../src/model/errors.ts'
import { PdpPool, type PoolOptions } from '../../src/pdp/pool.ts'
import { eventually } from '../support/eventually.ts'
import { HELLO } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

const [ONE, OTHER] = ['1'.repeat(32), '2'.repeat(32)]
const pools: PdpPool[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

function openPool(options: Partial<PoolOptions> = {}) {
  const feeds: ScriptedFeed[] = []
  const feed = () => {
    const made = new ScriptedFeed(HELLO)
    feeds.push(made)
    return made
  }
  const pool = new PdpPool({ feed, ...options })
  pools.push(pool)
  return { pool, feeds }
}

describe('the pool', () => {
  it('opens one PDP for each environment, once', async () => {
    const { pool, feeds } = openPool()
    const pdp = pool.get(ONE)
    await pdp.ready()
    expect(pool.get(ONE)).toBe(pdp)
    expect(pool.get(OTHER)).not.toBe(pdp)
    expect([pool.size, feeds.length]).toEqual([2, 2])
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
  })

  it('drops what nobody asks, and opens it again for who does', async () => {
    const { pool, feeds } = openPool({ idleMs: 40 })
    await pool.get(ONE).ready()
    await eventually(() => pool.size, 0)
    const again = pool.get(ONE)
    await again.ready()
    expect([again.check('ana', 'say', 'hello'), feeds.length]).toEqual([true, 2])
  })

  it('drops the one used longest ago when images need more memory than allowed', async () => {
    const { pool, feeds } = openPool({ memoryBytes: 1 })
    const first = pool.get(ONE)
    await first.ready()
    await pool.get(OTHER).ready()
    await eventually(() => pool.size, 1)
    expect(first.ended).toMatchObject({ code: 'CLOSED' })
    await pool.get(OTHER).ready()
    expect(feeds.length).toBe(2)
  })

  it('lets no image begin to answer from before a revision that was acknowledged', async () => {
    const { pool, feeds } = openPool()
    const pdp = pool.get(ONE)
    expect(await pool.notBefore(ONE, 2, 60_000)).toBe(true)
    await eventually(() => feeds[0]?.streams, 1)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(pdp.state.revision).toBeUndefined()
    feeds[0]?.commit([{ op: 'delete', kind: 'user', key: 'zoe' }])
    await eventually(() => pdp.state.revision, 2)
  })

  it('says when what answers has a revision, or did not get it in time', async () => {
    const { pool, feeds } = openPool()
    expect(await pool.notBefore(ONE, 2, 60_000)).toBe(true)
    const pdp = pool.get(ONE)
    await pdp.ready()
    expect(await pool.notBefore(ONE, 1, 60_000)).toBe(true)
    expect(await pool.notBefore(ONE, 2, 1)).toBe(false)
    const followed = pool.notBefore(ONE, 2, 60_000)
    feeds[0]?.commit([{ op: 'delete', kind: 'user', key: 'zoe' }])
    expect([await followed, pdp.revision]).toEqual([true, 2])
    const closed = pool.notBefore(ONE, 3, 60_000)
    await pdp.close()
    expect(await closed).toBe(true)
  })

  it('forgets an environment that ended, so that a new one may begin under its id', async () => {
    const { pool, feeds } = openPool()
    await pool.get(ONE).ready()
    feeds[0]?.break(new ZerohopError('ENVIRONMENT_DELETED'))
    await eventually(() => pool.size, 0)
    await pool.get(ONE).ready()
    expect(feeds.length).toBe(2)
  })
})
