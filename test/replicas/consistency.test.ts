// Several replicas on one database, with faults: whatever was acknowledged is there once and seen by everybody who asks
// later. `npm run test:replicas` runs it for longer, under full load, with other seeds, and with defects that it must
// find.
import { writeFileSync, writeSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { endPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers } from '../support/server.ts'
import { buildWith, CANARIES, type CanaryName, OF_LOSS } from './consistency/canaries.ts'
import { serializeHistory } from './consistency/history.ts'
import { loseHistory } from './consistency/lost-history.ts'
import { FAULTS } from './consistency/nemesis.ts'
import { run } from './consistency/run.ts'

const { REPLICAS_SEED, REPLICAS_MS, REPLICAS_CANARY, REPLICAS_HISTORY } = process.env
const SEED = Number(REPLICAS_SEED ?? 1)
const MS = Number(REPLICAS_MS ?? 60_000)
/** How many times longer clients pause where processor time is scarce: most of a run without a seed is spent waiting. */
const CALM = REPLICAS_SEED === undefined ? 100 : 1
/** By then each kind of fault has happened, however slow the machine is. */
const ALL_FAULTS_MS = 60_000
const CANARY_MS = 120_000
/** Starting, healing and comparing. */
const MORE_MS = 180_000

/** Not by way of the runner, which would keep it until the end. */
const print = (line: string): void => {
  writeSync(1, `${line}\n`)
}
/** While it runs. */
const progress = REPLICAS_SEED === undefined ? () => undefined : print

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('three replicas on one database', () => {
  const table: string[] = []
  afterAll(async () => {
    if (table.length > 0) print(table.join('\n'))
    await endServers()
    await endPostgres()
  })

  // skipped while a defect is looked for: then the other test runs
  it.skipIf(REPLICAS_CANARY !== undefined)(
    'are linearizable while everything fails',
    async () => {
      const { violations, summary, seconds, history, faults } = await run({
        seed: SEED,
        ms: MS,
        calm: CALM,
        print: progress,
      })
      if (REPLICAS_HISTORY !== undefined) writeFileSync(REPLICAS_HISTORY, serializeHistory(history))
      print(`${summary}\n${seconds.toFixed(0)} s with seed ${SEED}`)
      expect(violations, summary).toEqual([])
      if (MS >= ALL_FAULTS_MS) expect([...faults.keys()]).toEqual(expect.arrayContaining([...FAULTS, 'isolate']))
      expect(history.operations.some(({ outcome }) => outcome === 'unknown')).toBe(true)
    },
    MS + MORE_MS,
  )

  const canaries = Object.keys(CANARIES) as CanaryName[]
  const wanted = canaries.filter((name) => REPLICAS_CANARY === 'all' || REPLICAS_CANARY === name)
  if (REPLICAS_CANARY !== undefined && wanted.length === 0)
    throw new Error(`there is no canary \`${REPLICAS_CANARY}\`, but these: ${canaries.join(', ')}`)
  it.each(wanted)(
    'are found out: %s',
    async (canary) => {
      const program = await buildWith(canary)
      const { violations, seconds } = OF_LOSS.includes(canary)
        ? await loseHistory({ seed: SEED, program })
        : await run({ seed: SEED, ms: CANARY_MS, print: progress, program, untilFound: true })
      const [first] = violations
      const verdict = first === undefined ? 'NOT FOUND' : `found by: ${first.rule}`
      if (first !== undefined) print(first.text)
      table.push(`${canary.padEnd(36)} ${seconds.toFixed(0).padStart(4)} s  ${verdict}`)
      expect(violations).not.toEqual([])
    },
    CANARY_MS + MORE_MS,
  )
})
