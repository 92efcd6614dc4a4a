// From an empty folder to a policy on a server, by the commands alone, and the same files in a pull request, by the
// steps of deploy/github-action. Needs the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/folders.ts'
import { tellPolicyStory } from '../support/policy-story.ts'
import { COMMAND } from '../support/run-command.ts'
import { IS_WHOLE } from '../support/sample.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

interface Action {
  inputs: Record<string, { default: string }>
  runs: { steps: { name: string; run: string; env: Record<string, string> }[] }
}

let api = ''
let pdp = ''
let key = ''
let folder = ''

beforeAll(async () => {
  const data = temporaryFolder('policy-server')
  const ports = { api: await freePort(), pdp: await freePort() }
  await serveHere(data, ports)
  api = url(ports.api)
  pdp = url(ports.pdp)
  key = readKeys(data).environments.production
})
afterAll(endServers)

it('the policy story goes from an empty folder through plan and apply to the reasons of a past decision', async () => {
  folder = await tellPolicyStory({ apis: [api], pdp, key, isBrief: !IS_WHOLE })
})

// skipped on Windows: the steps of the action are programs of a shell
it.skipIf(process.platform === 'win32')('is validated, tested and planned in a pull request', async () => {
  const programs = temporaryFolder('action')
  const program = (name: string, text: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(programs, name), 0o755)
  }
  mkdirSync(join(programs, 'out'))
  program(
    'npx',
    `[ "$1 $2" = "--yes zerohop@latest" ] || exit 9\nshift 2\nexec "${process.execPath}" "${COMMAND}" "$@"`,
  )
  program('gh', `echo "$@" >"${programs}/out/gh"`)
  const { inputs, runs } = parse(readFileSync(join(ROOT, 'deploy/github-action/action.yml'), 'utf8')) as Action
  const given: Record<string, string> = { 'inputs.api': api, 'inputs.api-key': key }
  for (const [name, input] of Object.entries(inputs)) given[`inputs.${name}`] ??= input.default
  given['steps.plan.outputs.markdown'] = join(programs, 'out/zerohop-plan.md')
  given['github.repository'] = 'acme/policies'
  given['github.event.pull_request.number'] = '17'
  writeFileSync(
    join(folder, 'policy.yaml'),
    readFileSync(join(folder, 'policy.yaml'), 'utf8').replace('folder:read', 'document:read'),
  )

  for (const { name, run, env } of runs.steps) {
    const resolved = Object.entries(env).map(([name, text]) => {
      return [name, text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, named: string) => given[named] ?? '')]
    })
    const step = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: folder,
      env: {
        ...Object.fromEntries(resolved),
        PATH: `${programs}:${process.env.PATH}`,
        RUNNER_TEMP: join(programs, 'out'),
        GITHUB_OUTPUT: join(programs, 'out/output'),
        GITHUB_STEP_SUMMARY: join(programs, 'out/summary'),
      },
      stdio: 'ignore',
    })
    expect([name, ...(await once(step, 'exit'))]).toEqual([name, 0, null])
  }
  expect(runs.steps).toHaveLength(4)
  const read = (name: string) => readFileSync(join(programs, 'out', name), 'utf8')
  expect(read('output')).toContain('changes=true')
  expect(read('summary')).toBe(read('zerohop-plan.md'))
  expect(read('summary')).toContain('viewer can folder:read')
  expect(read('gh')).toBe(
    `pr comment 17 --edit-last --create-if-none --body-file ${join(programs, 'out/zerohop-plan.md')}\n`,
  )
})
