// `zerohop plan --propose` and `zerohop proposals` against a management API in this process, whose environment requires
// approval: the story of two people, and what each may not.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { apply, plan } from '../../src/cli/commands/plan.ts'
import { applyProposal, endProposal, listProposals, showProposal } from '../../src/cli/commands/proposals.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { temporaryFolder } from '../support/folders.ts'
import { printedBy } from '../support/printed.ts'

const PLACE = { project: 'default', environment: 'development' }
let api: Harness
let ana: Env
let ben: Env
let file: string

beforeAll(async () => {
  api = await openHarness()
  const { organization_id, environment_id } = api.place
  const makeEnv = async (): Promise<Env> => {
    const { body } = await api.ask('POST', '/v2/api-key', {
      organization_id,
      environment_id,
      object_type: 'env',
      name: 'k',
    })
    return { ...readEnv({}), api: url, pdpApiKey: body.secret }
  }
  const url = await api.app.listen({ port: 0 })
  ana = await makeEnv()
  ben = await makeEnv()
  await api.ask('PATCH', '/v2/projects/default/envs/development', { require_approval: true })
  file = join(temporaryFolder('proposals'), 'policy.json')
  writeFileSync(file, JSON.stringify({ zerohop: 2, roles: [{ key: 'auditor' }] }))
})
afterAll(() => api.close())

/** Proposes the file as ana, and returns the id and what was printed. */
async function propose(): Promise<{ readonly id: string; readonly text: string }> {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const text = await printedBy(() =>
    plan(ana, [file], { ...PLACE, propose: true, reason: 'auditors read', ticket: 'OPS-7' }),
  )
  vi.restoreAllMocks()
  const lines = (await printedBy(() => listProposals(ana, { ...PLACE, state: ['proposed'], json: true }))).trim()
  return { id: JSON.parse(lines.split('\n').at(-1)!).id, text }
}

it('one proposes, another one applies, with the reason of the proposal', async () => {
  await expect(printedBy(() => apply(ana, [file], { ...PLACE, yes: true, force: true }))).rejects.toThrow(
    /by proposals/,
  )
  const { id, text } = await propose()
  expect(text).toContain('+ role auditor')
  const listed = await printedBy(() => listProposals(ben, PLACE))
  expect(listed).toMatch(new RegExp(`${id} +proposed .* k +1 created +OPS-7 +auditors read`))
  const shown = await printedBy(() => showProposal(ben, id, PLACE))
  expect(shown).toMatch(/^Proposal .* by k: proposed\nReason: auditors read\nTicket: OPS-7\n\n.*role auditor/s)
  const options = { ...PLACE, yes: true, force: true }
  await expect(printedBy(() => applyProposal(ana, id, options))).rejects.toThrow(/someone else decides/)
  expect(await printedBy(() => applyProposal(ben, id, options))).toMatch(/Applied \(1 to create.*\): revision \d+\n$/)
  expect((await api.ask('GET', '$S/roles/auditor')).status).toBe(200)
  const [entry] = api.store.entries(api.environment, api.store.head(api.environment).revision - 1)
  expect(entry?.by).toMatchObject({ operation: 'applyProposal', reason: 'auditors read', ticket: 'OPS-7' })
  expect(await printedBy(() => showProposal(ana, id, PLACE))).toContain('applied by k')
})

it('is rejected by another one with a reason, and withdrawn by whoever proposed it', async () => {
  writeFileSync(file, JSON.stringify({ zerohop: 2, roles: [{ key: 'other' }] }))
  const first = (await propose()).id
  await expect(printedBy(() => endProposal(ana, first, 'reject', PLACE))).rejects.toThrow(/someone else decides/)
  await expect(printedBy(() => endProposal(ben, first, 'withdraw', PLACE))).rejects.toThrow(/only the one who proposed/)
  expect(await printedBy(() => endProposal(ben, first, 'reject', { ...PLACE, reason: 'too wide' }))).toBe(
    `rejected: ${first}\n`,
  )
  expect(await printedBy(() => showProposal(ana, first, PLACE))).toContain('rejected by k: too wide')
  const second = (await propose()).id
  expect(await printedBy(() => endProposal(ana, second, 'withdraw', PLACE))).toBe(`withdrawn: ${second}\n`)
})
