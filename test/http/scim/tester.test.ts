// scim2-tester, which judges a server by RFC 7643 and RFC 7644, against a server that
// listens. Every result is a success, but those that are explained here.
import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasScimTester, SCIM_TESTER } from '../../../scripts/install-scim-tester.mjs'
import { type Harness, openHarness } from '../management/harness.ts'

/** Results that are no success, by their check, and why. */
const EXPLAINED: Readonly<Record<string, string>> = {}
const SECRET = 'the-key-of-a-directory'
const PATIENCE_MS = 60_000

interface Result {
  readonly status: string
  readonly check: string
  readonly resource: string
  readonly reason: string | null
}

let api: Harness
beforeAll(async () => {
  api = await openHarness()
  await api.addKey('directory', 'write', SECRET)
})
afterAll(() => api.close())

const hasNone = !hasScimTester()
if (hasNone) process.stdout.write('skipped: no scim2-tester: `node scripts/install-scim-tester.mjs` installs it\n')

// without Python, or where PyPI cannot be reached, the tester is missing
it.skipIf(hasNone)('finds nothing in the server that it does not explain', { timeout: PATIENCE_MS }, async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as AddressInfo
  const args = [join(import.meta.dirname, 'run-tester.py'), `http://127.0.0.1:${port}/scim/v2`, SECRET]
  const { stdout } = await promisify(execFile)(SCIM_TESTER, args, { timeout: PATIENCE_MS })
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
  expect(results.filter(({ status, check }) => status !== 'SUCCESS' && EXPLAINED[check] !== status)).toEqual([])
  const passed = results.filter(({ status }) => status === 'SUCCESS')
  // it was the whole of it: of users and of groups each operation
  const checks = new Set(passed.map(({ check, resource }) => `${resource} ${check}`))
  for (const check of ['object_creation', 'object_replacement', 'object_deletion', 'check_remove_attribute'])
    for (const resource of ['User', 'Group']) expect(checks).toContain(`${resource} ${check}`)
  expect(passed.length).toBeGreaterThan(100)
})
