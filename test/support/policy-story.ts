// The way of a policy from an empty folder to a server and back, by the commands alone, as somebody meets them on the
// first day. What differs is the server: one with a folder, or replicas over one database.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folders.ts'
import { type Ran, runCommand } from './run-command.ts'
import { runHere } from './run-here.ts'

/** The management API, or the replicas of it, that commands ask in turn; the key reaches one empty environment. */
export interface PolicyServer {
  readonly apis: readonly string[]
  /** a PDP of that environment whose decisions are recorded there */
  readonly pdp: string
  readonly key: string
  /** without commands that are refused, without other forms of what is printed, and with no command as a process */
  readonly isBrief?: boolean
}

const ROLES = '  - key: viewer\n    permissions: [document:read, folder:read]\n'

/** Tells it; expects exit codes and what people read. Returns the folder with the files. */
export async function tellPolicyStory({ apis, pdp, key, isBrief = false }: PolicyServer): Promise<string> {
  const folder = temporaryFolder('policy-story')
  const policy = join(folder, 'policy.yaml')
  let asked = 0
  const seen = new Set<string | undefined>()
  const run = (...args: string[]): Promise<Ran> => {
    // each command runs as a process once, in the full story
    const how = isBrief || seen.has(args[0]) ? runHere : runCommand
    seen.add(args[0])
    return how(args, { ZEROHOP_API: apis[asked++ % apis.length]!, PDP_API_KEY: key }, folder)
  }
  const edit = (from: string, to: string): void => {
    const text = readFileSync(policy, 'utf8')
    expect(text).toContain(from)
    writeFileSync(policy, text.replace(from, to))
  }

  const offline = [['init'], ['validate', '--strict'], ...(isBrief ? [] : [['fmt', '--check']]), ['test']]
  for (const args of offline) expect(await run(...args)).toMatchObject({ code: 0, err: '' })

  // nothing is there yet, and all of it is once it is applied
  const first = await run('plan')
  expect(first).toMatchObject({ code: 2, out: expect.stringContaining('+ role viewer') })
  if (!isBrief) expect(await run('apply')).toMatchObject({ code: 64 }) // nobody can be asked
  expect(await run('apply', '--yes')).toMatchObject({ code: 0, err: '' })
  if (!isBrief) expect(await run('plan')).toMatchObject({ code: 0 })

  // facts are in a file of their own
  const facts = join(folder, 'facts.yaml')
  writeFileSync(
    facts,
    'zerohop: 2\nmanages: [{ kind: user }, { kind: role_assignment }]\nusers: [{ key: ana }]\nrole_assignments: [{ user: ana, role: viewer }]\n',
  )
  expect(await run('apply', facts, '--yes')).toMatchObject({ code: 0, err: '' })
  const why = ['why', 'ana', 'read', 'document', '--api', apis[0]!]
  expect(await run(...why)).toMatchObject({ code: 0, out: expect.stringContaining('viewer') })

  // her question is decided, and recorded
  await eventually(() => isAllowed(pdp, key), true)
  await eventually(() => isRecorded(apis[0]!, key), true)

  // a permission less: the comment names nobody, the plan does, and only that plan is applied
  edit(ROLES, ROLES.replace('document:read, ', ''))
  if (!isBrief) {
    const comment = await run('plan', '--markdown')
    expect(comment).toMatchObject({ code: 2, out: expect.stringContaining('document:read') })
    expect(comment.out).not.toContain('ana')
    expect(await run('plan', '--markdown', '--names')).toMatchObject({ out: expect.stringContaining('ana') })
  }
  const plan = join(folder, 'plan.json')
  const planned = await run('plan', '--details', '--out', plan)
  expect(planned).toMatchObject({ code: 2, out: expect.stringContaining('ana') })
  const [, revision = ''] = /, revision (\d+)/.exec(planned.out) ?? []
  expect(await run('apply', plan, '--yes')).toMatchObject({ code: 0, err: '' })
  if (!isBrief) {
    expect(await run(...why)).toMatchObject({ code: 1 })
    expect(await run(...why, '--at', revision)).toMatchObject({ code: 0, err: '' })
  }

  // what was decided before can still be read, with why, and which revision made it another answer
  const taken = String(Number(revision) + 1)
  const log = await run('log', '--user', 'ana', '--allow', '--limit', '1')
  expect(log).toMatchObject({ code: 0, err: '', out: expect.stringContaining('allow  ana read document in default') })
  const [, decision = ''] = /([0-9a-f]{32})\n$/.exec(log.out) ?? []
  expect(await run('why', '--decision', decision)).toMatchObject({
    code: 0,
    out: expect.stringMatching(new RegExp(`viewer[^]*today: deny[^]*deny since revision ${taken} `)),
  })

  // it was a mistake: that revision is taken back, by its number
  if (!isBrief) {
    expect(await run('history', 'revert', taken)).toMatchObject({ code: 64 }) // nobody can be asked
    const shown = await run('history', 'revert', taken, '--dry-run', '--json')
    expect(shown).toMatchObject({ code: 2, out: expect.stringContaining(`"reverts": ${taken}`) })
  }
  expect(await run('history', 'revert', taken, '--yes')).toMatchObject({ code: 0, err: '' })
  expect(await run(...why)).toMatchObject({ code: 0, err: '' })
  return folder
}

/** Whether the PDP lets ana read documents. */
async function isAllowed(pdp: string, key: string): Promise<boolean> {
  const body = { user: { key: 'ana' }, action: 'read', resource: { type: 'document', tenant: 'default' } }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${pdp}/allowed`, { method: 'POST', headers, body: JSON.stringify(body) })
  return ((await answer.json()) as { allow?: boolean }).allow === true
}

/** Whether a question of hers that was allowed is recorded. */
async function isRecorded(api: string, key: string): Promise<boolean> {
  const get = async (path: string) => {
    return (await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${key}` } })).json()
  }
  const { project_id: p, environment_id: e } = (await get('/v2/api-key/scope')) as Record<string, string>
  const { total_count } = (await get(`/v2/pdps/${p}/${e}/audit_logs?users=ana&decision=true`)) as {
    total_count: number
  }
  return total_count > 0
}
