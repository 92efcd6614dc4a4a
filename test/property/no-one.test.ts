// The law of questions where no one is signed in, on random environments in which some roles are for everybody; and that it
// finds a library that is wrong about them in one point.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { importWith } from '../support/canary-module.ts'
import { mixedHistories } from './histories.ts'
import { findDifference, type Library, OF_NO_ONE, Tally } from './no-one.ts'
import { parameters } from './seed.ts'

const worlds = fc.record({ history: mixedHistories.map((history) => ({ ...history, everybody: 7 })), seed: fc.nat() })

describe('[D16] where no one is signed in', () => {
  it('every question is answered as about a key that no user has, and none without a user', () => {
    const tally = new Tally()
    const law = fc.property(worlds, (drawn) => {
      expect(findDifference({ Pdp, FixedImage }, drawn, tally)).toBeUndefined()
    })
    fc.assert(law, parameters(60))
    process.stdout.write(
      `${tally.forms} answers about no one are those about who is not stored: ${tally.allowed} allow\n`,
    )
    expect(tally.allowed).toBeGreaterThan(tally.forms / 50)
  })

  describe('the law finds a library that', () => {
    const folder = mkdtempSync(join(tmpdir(), 'zerohop-canaries-'))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it.each(Object.entries(OF_NO_ONE))('%s', async (_, wrong) => {
      const paths = ['src/pdp/pdp.ts', 'src/pdp/fixed-image.ts']
      const library = await importWith<Library>({ 'no-one-signed-in': wrong }, paths, folder)
      const isFound = (drawn: Parameters<typeof findDifference>[1]) => findDifference(library, drawn) !== undefined
      expect(fc.sample(worlds, { seed: 1, numRuns: 20 }).some(isFound)).toBe(true)
    })
  })
})
