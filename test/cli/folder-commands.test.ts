// `history`, `log` and `why --decision` with `--data`: of a folder at rest, and through the socket of the server that has
// locked it. No API key is asked for, and the system is on record.
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listHistory } from '../../src/cli/commands/history.ts'
import { revertRevision } from '../../src/cli/commands/history-revert.ts'
import { showRevision } from '../../src/cli/commands/history-show.ts'
import { printLog } from '../../src/cli/commands/log.ts'
import { runWhy } from '../../src/cli/commands/why.ts'
import { whyDecision } from '../../src/cli/commands/why-decision.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import { serveAdmin } from '../../src/http/admin-socket.ts'
import { withoutRequest } from '../../src/log/change.ts'
import { runAdmin } from '../../src/management/host/admin.ts'
import { type Management, managementServer, openManagement } from '../../src/server.ts'
import { decisionLine } from '../replicas/decision-lines.ts'
import { temporaryFolder } from '../support/folders.ts'
import { printedBy } from '../support/printed.ts'

const SYSTEM = withoutRequest('test')
const where = { data: temporaryFolder('commands'), environment: 'development' }
const env = readEnv({ PDP_API_KEY: 'a-key-of-nobody', ZEROHOP_API: 'http://127.0.0.1:1' })
const end = new AbortController().signal
/** the write that gives ana what she may */
let given = 0

const open = (): Promise<Management> => openManagement({ data: where.data, noExample: true })

beforeAll(async () => {
  const { store, audit, organization } = await open()
  const { id } = store.view(organization).require('environment', 'default/development')
  const policy = {
    zerohop: 2,
    resources: [{ key: 'doc', actions: { read: {} } }],
    roles: [{ key: 'reader', permissions: ['doc:read'] }],
    users: [{ key: 'ana' }],
  }
  await store.commit(id, 'importBundle', { bundle: policy, dryRun: false }, SYSTEM)
  const assignment = { user: 'ana', role: 'reader', tenant: 'default' }
  given = (await store.commit(id, 'assign', assignment, SYSTEM)).revision
  const line = decisionLine({
    ...{ environment: id, instance: 'ab'.repeat(16), seq: 1, apiKey: 'k', at: Date.now() },
    ...{ user: 'ana', action: 'read', resourceType: 'doc', revision: given },
  })
  await audit.append({ lines: Buffer.from(line), isCompressed: false })
  await store.close()
})

async function printed(): Promise<string[]> {
  const texts = [
    await printedBy(() => listHistory(env, { ...where, limit: '30' }, Date.now())),
    await printedBy(() => showRevision(env, String(given), { ...where, access: true })),
    await printedBy(() => printLog(env, { ...where, limit: '30' }, Date.now(), end)),
  ]
  const [, decision = ''] = /([0-9a-f]{32})\n$/.exec(texts[2]!) ?? []
  return [...texts, await printedBy(() => whyDecision(env, decision, where))]
}

/** Runs it while a server has locked the folder. */
async function served<T>(run: () => Promise<T>): Promise<T> {
  const management = await open()
  const { store, past } = management
  const app = managementServer(management)
  const deps = { store, past, data: where.data, newId: () => '', answer: app.answerSystem }
  const stop = await serveAdmin(join(where.data, 'admin.sock'), (command, input) => runAdmin(deps, command, input))
  try {
    return await run()
  } finally {
    await stop()
    await app.close()
    await store.close()
  }
}

describe('commands about the past with --data', () => {
  it('print of a folder at rest what they print through the server that has locked it', async () => {
    const [history, shown, log, why] = await printed()
    expect(history).toMatch(new RegExp(`\\n${given} +\\S+Z +system +test`))
    expect(shown).toContain('ana')
    expect(log).toMatch(/ allow {2}ana read doc in default /)
    expect(why).toContain('ana has role reader in tenant default, which has doc:read')
    expect(await served(printed)).toEqual([history, shown, log, why])
  })

  it('explain a question as it was', async () => {
    const why = (at: number) => printedBy(() => runWhy(env, ['ana', 'read', 'doc'], { ...where, at: String(at) }))
    expect([await why(given), await why(given - 1)]).toEqual([
      expect.stringMatching(/^allow: /),
      expect.stringMatching(/^deny: /),
    ])
  })

  it('say what the folder does not have', async () => {
    const of = (other: object) => listHistory(env, { ...where, ...other, limit: '30' }, Date.now())
    await expect(of({ environment: 'nowhere' })).rejects.toMatchObject({
      code: 'API_REFUSED',
      details: { status: 404 },
    })
    await expect(of({ organization: 'nobody' })).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' })
    await expect(of({ data: temporaryFolder('nothing') })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('revert a revision as the system, at rest and through the server', async () => {
    const revert = (revision: number) => revertRevision(env, String(revision), { ...where, yes: true })
    const newest = () => printedBy(() => listHistory(env, { ...where, limit: '1' }, Date.now()))
    expect(await printedBy(() => revert(given))).toContain('0 to create, 0 to change, 1 to delete')
    expect(await newest()).toMatch(/system +revertRevision +revert revision \d+: 1 deleted\n$/)
    expect(await served(() => printedBy(() => revert(given + 1)))).toContain('1 to create, 0 to change, 0 to delete')
    expect(await newest()).toMatch(/system +revertRevision +revert revision \d+: 1 created\n$/)
  })
})
