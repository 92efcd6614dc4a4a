// Every command that writes says why with --reason and --ticket: against a management API in this process, whose
// environment requires a reason.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyEnvironment } from '../../src/cli/commands/copy.ts'
import { importBundle } from '../../src/cli/commands/export-import.ts'
import { grant, revoke } from '../../src/cli/commands/grants.ts'
import { listHistory } from '../../src/cli/commands/history.ts'
import { revertRevision } from '../../src/cli/commands/history-revert.ts'
import { showRevision } from '../../src/cli/commands/history-show.ts'
import { apply } from '../../src/cli/commands/plan.ts'
import { resume, suspend } from '../../src/cli/commands/suspensions.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { reasonHeaders } from '../../src/model/reason-headers.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { temporaryFolder } from '../support/folders.ts'
import { printedBy } from '../support/printed.ts'

const REASON = 'Zürich – 100 %'
const SAID = { reason: REASON, ticket: 'OPS-1741' }
const PLACE = { project: 'default', environment: 'development' }
const YES = { yes: true, force: true }

let api: Harness
let env: Env
let folder: string
const writeText = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const policy = (role: string) => JSON.stringify({ zerohop: 2, roles: [{ key: role }] })
const head = () => api.store.head(api.environment).revision

beforeAll(async () => {
  api = await openHarness()
  folder = temporaryFolder('reasons')
  await api.ask('POST', '$S/roles', { key: 'editor' })
  await api.ask('POST', '/v2/schema/default/production/roles', { key: 'copied' })
  for (const key of ['ana', 'eva']) await api.ask('POST', '$F/users', { key })
  const required = { require_reason: true }
  await api.ask('PATCH', '/v2/projects/default/envs/development', required, { headers: reasonHeaders(SAID) })
  const url = await api.app.listen({ port: 0 })
  env = { ...readEnv({}), api: url, pdpApiKey: api.made.organization.secret }
})
afterAll(() => api.close())

type Said = { readonly reason?: string; readonly ticket?: string }
const now = () => Date.now()
const HELD = { user: 'ana', role: 'editor' }
/** each command that writes, with the name of what it is on record as */
const COMMANDS: readonly (readonly [string, string, (notes: Said) => Promise<unknown>])[] = [
  ['grant', 'assign', (notes) => grant(env, HELD, { ...PLACE, tenant: 'default', ...notes }, now())],
  ['revoke', 'unassign', ({ reason }) => revoke(env, 'ana', 'editor', { ...PLACE, ...(reason ? { reason } : {}) })],
  ['suspend', 'suspendUser', (notes) => suspend(env, 'ana', { ...PLACE, ...notes } as never, now())],
  ['resume', 'resumeUser', (notes) => resume(env, 'ana', { ...PLACE, ...notes }, now())],
  ['apply', 'applyPlan', (notes) => apply(env, [writeText('one.json', policy('one'))], { ...PLACE, ...YES, ...notes })],
  ['import', 'applyPlan', (notes) => importBundle(env, writeText('two.json', policy('two')), { ...PLACE, ...notes })],
  [
    'import of facts',
    'importFacts',
    (notes) =>
      importBundle(env, writeText('facts.ndjson', '{"zerohop_facts":1}\n{"user":{"key":"ivo"}}\n'), {
        ...PLACE,
        ...notes,
      }),
  ],
  [
    'copy',
    'copyEnvironment',
    (notes) => copyEnvironment(env, ['default/production', 'development'], { ...YES, ...notes }),
  ],
  ['history revert', 'revertRevision', (notes) => revertRevision(env, String(head()), { ...PLACE, ...YES, ...notes })],
]

describe('a command that writes', () => {
  it.each(COMMANDS)(
    '%s is refused without a reason, and its revision has the one that it says',
    async (name, operation, run) => {
      const before = head()
      const refused = await run({}).then(
        (code) => code,
        (error: Error) => error.message,
      )
      if (name === 'suspend')
        expect(refused).toContain('reason') // it has one always
      else expect(String(refused)).toMatch(/requires a reason|^1$/)
      expect(head()).toBe(before)
      await printedBy(() => run(SAID) as Promise<void>)
      const [entry] = api.store.entries(api.environment, before)
      expect(entry?.by).toMatchObject({ operation, reason: REASON })
      if (name !== 'revoke') expect(entry?.by.ticket).toBe('OPS-1741')
    },
  )

  it('is found by its ticket and a part of its reason, and shown with both', async () => {
    const history = (options: object) => printedBy(() => listHistory(env, { ...PLACE, limit: '2', ...options }, now()))
    for (const options of [{ ticket: 'OPS-1741' }, { reason: 'zürich' }]) {
      const [first, ...lines] = (await history(options)).trimEnd().split('\n')
      expect(first).toMatch(/what +ticket +reason$/)
      expect(lines).toHaveLength(2)
      for (const line of lines) expect(line).toMatch(/OPS-1741 +Zürich – 100 %$/)
    }
    expect((await history({ ticket: 'OPS' })).trimEnd().split('\n')).toHaveLength(1)
    const shown = await printedBy(() => showRevision(env, String(head()), { ...PLACE, access: false }))
    expect(shown).toContain('Reason: Zürich – 100 %\nTicket: OPS-1741\n')
  })
})
