// The importer of OpenFGA beside OpenFGA itself: of the public sample stores, each in a store of its own, what the server
// answers is what the tests of the store say, the written files allow nothing that it denies, and where a store was
// converted whole no answer differs; what is planted in the written files is found. It runs where the program is:
// OPENFGA_BINARY, or `openfga` on PATH. To build one takes two minutes of processor time, so `npm test` does without:
// go install github.com/openfga/openfga/cmd/openfga@v1.8.4
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Imported, ImporterOptions } from '../../src/importers/frame/importer.ts'
import type { Asked } from '../../src/importers/openfga/assertions.ts'
import { importer } from '../../src/importers/openfga/importer.ts'
import { freePort } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'
import { convertWith } from './converted.ts'

const FOLDER = join(ROOT, 'test/importers/openfga-corpus')
const STORES = (readdirSync(FOLDER, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.fga.yaml'))
  .sort()
const BINARY = process.env.OPENFGA_BINARY ?? 'openfga'
const QUESTIONS = Number(process.env.ZEROHOP_TEST_OPENFGA_QUESTIONS ?? 400)
const IS_HERE = spawnSync(BINARY, ['version'], { stdio: 'ignore' }).status === 0
const NEEDS = /failed to evaluate relationship condition: .* is missing context parameters/
if (!IS_HERE) process.stdout.write(`openfga-server.test.ts: left out, there is no program \`${BINARY}\`\n`)

// where the program is not, as in CI, because to build it takes two minutes
describe.skipIf(!IS_HERE)('a running OpenFGA', () => {
  let server: ChildProcess
  let options: ImporterOptions
  beforeAll(async () => {
    const [http, grpc] = [await freePort(), await freePort()]
    const addresses = [`--http-addr=127.0.0.1:${http}`, `--grpc-addr=127.0.0.1:${grpc}`]
    const quiet = ['--playground-enabled=false', '--metrics-enabled=false', '--log-level=none']
    server = spawn(BINARY, ['run', ...addresses, ...quiet], { stdio: 'ignore' })
    const url = `http://127.0.0.1:${http}`
    options = { openfgaUrl: url }
    for (let tries = 0; ; tries++) {
      const isUp = await fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isUp) break
      if (tries === 300 || server.exitCode !== null) throw new Error('it did not start')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }, 60_000)
  afterAll(async () => {
    if (server.exitCode !== null) return
    server.kill()
    await once(server, 'exit')
  })

  const convert = (store: string, change?: (imported: Imported) => Imported) =>
    convertWith(
      { importer, from: 'openfga', questions: QUESTIONS, ...(change === undefined ? {} : { change }) },
      FOLDER,
      [store],
      options,
    )

  it.each(STORES)(
    'answers about %s what its tests say, and no file allows more',
    async (store) => {
      const converted = await convert(store)
      if (converted.report === undefined) throw new Error(JSON.stringify(converted.problems))
      const { report, imported } = converted
      expect(report.proof.wider).toBe(0)
      // questions of the proof have no context, without which OpenFGA does not answer about some conditions
      const failed = report.proof.differences.filter(({ old, reason = '' }) => old === 'failed' && !NEEDS.test(reason))
      expect(failed).toEqual([])
      if (report.exact) expect(report.proof.differences).toEqual([])
      const { differences, ...proof } = report.proof
      process.stdout.write(
        `${store}: ${proof.asked} of ${proof.questions} questions, ${proof.allowed} allowed by both, `,
      )
      process.stdout.write(`${proof.different} differ, ${report.exact ? 'whole' : 'in part'}\n`)

      const engine = await imported.open()
      try {
        for (let at = 0; at < imported.questions.always; at++) {
          const { old, text } = imported.questions.at(at)
          const { expected } = old as Asked
          if (expected !== undefined) expect([text, await engine.ask(old)]).toEqual([text, expected])
        }
      } finally {
        await engine.close()
      }
    },
    120_000,
  )

  it('finds what is planted in the written files: too much, and too little', async () => {
    const store = 'github/store.fga.yaml'
    const given = (imported: Imported) => imported.facts.filter(({ kind }) => kind === 'role_assignment')
    const taken = await convert(store, (imported) => {
      const [first] = given(imported)
      return { ...imported, facts: imported.facts.filter((fact) => fact !== first) }
    })
    expect(taken.report?.proof).toMatchObject({ wider: 0, different: expect.toSatisfy((count: number) => count > 0) })
    const more = await convert(store, (imported) => {
      const [first] = given(imported)
      const users = imported.facts.filter(({ kind }) => kind === 'user').map(({ fact }) => fact.key)
      const holders = new Set(given(imported).map(({ fact }) => JSON.stringify([fact.user, fact.role])))
      const user = users.find((key) => !holders.has(JSON.stringify([key, first!.fact.role])))
      return { ...imported, facts: [...imported.facts, { ...first!, fact: { ...first!.fact, user } }] }
    })
    expect(more.report?.proof.wider).toBeGreaterThan(0)
  }, 120_000)
})
