// What the cache folder of a replica keeps in mind: the server that it used last, and a loss that is not on record yet.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  claimCache,
  discardCache,
  discardLost,
  findLoss,
  forgetLoss,
  knownServer,
  noteServer,
  prepareCache,
} from '../../src/store/cache-folder.ts'
import { temporaryFolder } from '../support/folders.ts'

const SERVER = { system: '7', timeline: 3 }
const LOST = { log: 'a log', have: 9, got: 4 }

function cache(): string {
  const folder = temporaryFolder('cache')
  prepareCache(folder, true)
  writeFileSync(join(folder, 'data.mdb'), 'a state')
  claimCache(folder, 'a database')
  noteServer(folder, SERVER)
  return folder
}

describe('the cache of a replica', () => {
  it('remembers a loss until every log says so, at whatever start', () => {
    const folder = cache()
    expect(findLoss(folder)).toBeUndefined()
    discardLost(folder, LOST)
    expect(existsSync(join(folder, 'data.mdb'))).toBe(false)
    // the process was killed before it had written the entries
    prepareCache(folder, true)
    expect(claimCache(folder, 'a database')).toBe(true)
    expect(findLoss(folder)).toMatchObject({ code: 'HISTORY_LOST', details: LOST })
    forgetLoss(folder)
    expect(findLoss(folder)).toBeUndefined()
    expect(knownServer(folder)).toEqual(SERVER)
  })

  it('remembers both when the state is thrown away after an unclean end', () => {
    const folder = cache()
    discardLost(folder, LOST)
    const marker = join(folder, 'replica-cache.json')
    writeFileSync(join(folder, 'data.mdb'), 'a state')
    writeFileSync(marker, JSON.stringify({ boot: 'another boot', server: SERVER, lost: LOST }))
    prepareCache(folder, false)
    expect(existsSync(join(folder, 'data.mdb'))).toBe(false)
    expect([knownServer(folder), findLoss(folder)?.details]).toEqual([SERVER, LOST])
  })

  it('knows nothing of a database that it is not of', () => {
    const folder = cache()
    expect(claimCache(folder, 'another database')).toBe(false)
    discardCache(folder)
    expect([knownServer(folder), findLoss(folder), claimCache(folder, 'another database')]).toEqual([
      undefined,
      undefined,
      true,
    ])
  })
})
