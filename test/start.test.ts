// The front door: what `npm start` prints can be pasted and answers as it says, and whoever ends npm ends the server.
// Needs the build.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folders.ts'
import { runHere } from './support/run-here.ts'
import { freePort, url } from './support/server.ts'
import { ROOT } from './tidy/source.ts'

/** Stands in for curl where it is not installed: knows the options of the printed line. */
const CURL = `
  const [, address, ...options] = process.argv.slice(1)
  const values = (name) => options.flatMap((option, at) => (option === name ? [options[at + 1]] : []))
  const headers = Object.fromEntries(values('-H').map((header) => header.split(/: (.*)/s)))
  fetch(address, { method: 'POST', headers, body: values('-d')[0] }).then((answer) => answer.text()).then(console.log)`

const { PATH = '', HOME = '' } = process.env
const data = temporaryFolder('start')
let shell: ChildProcess
let output = ''
let health = ''

beforeAll(async () => {
  const port = await freePort()
  health = `${url(port)}/health`
  const env = { PATH, HOME, ZEROHOP_DATA: data, ZEROHOP_API_PORT: '0', PDP_PORT: `${port}` }
  // as npm does it: a script in a shell that stays between
  shell = spawn('sh', ['-c', 'node scripts/start.mjs; true'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  shell.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const answers = () => fetch(health).then(({ ok }) => ok)
  await eventually(async () => output.includes('"ben"') && (await answers().catch(() => false)), true)
})

afterAll(() => void shell.kill('SIGKILL'))

describe('npm start', () => {
  it.each([
    ['ana', true],
    ['ben', false],
  ])('prints a line that asks whether %s may say hello, and answers allow:%s', async (user, allow) => {
    const line = output.split('\n').find((each) => each.startsWith('curl ') && each.includes(`"${user}"`))
    const script = `curl() { node -e "$CURL" -- "$@"; }\n${line}`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { PATH, HOME, CURL } })
    expect(JSON.parse(stdout)).toMatchObject({ allow })
  })

  it('prints no key where it does not print to a terminal', () => {
    expect(output).not.toMatch(/zh_(org|proj|env)_/)
  })

  it('prints no link that signs in where it does not print to a terminal', () => {
    expect(output).toMatch(/^console +http:[^ ]+\/console\/$/m)
    expect(output).not.toContain('token=')
  })

  it('has a command that prints a link that signs in to the console, once', async () => {
    const { out } = await runHere(['console-link', '--data', data])
    const [, origin = '', token = ''] = /^(http:[^ ]+)\/console\/#token=([\w-]+)\n$/.exec(out) ?? []
    const headers = { origin, 'content-type': 'application/json' }
    const redeem = () =>
      fetch(`${origin}/console/api/session/link`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    const answer = await redeem()
    const { csrf_token, access } = (await answer.json()) as { csrf_token: string; access: object }
    expect(access).toMatchObject({ object_type: 'org', access_level: 'admin' })
    expect((await redeem()).status).toBe(401)
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    const asked = await fetch(`${origin}/console/api/allowed?project=default&environment=development`, {
      method: 'POST',
      headers: { ...headers, cookie, 'x-csrf-token': csrf_token },
      body: JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }),
    })
    expect(await asked.json()).toMatchObject({ allow: true })
  })

  it('ends with the shell that npm started it in', async () => {
    const ended = once(shell, 'exit')
    shell.kill('SIGTERM')
    await ended
    const gone = () => true
    await eventually(() => fetch(health).then(() => false, gone), true)
  })
})
