// The front door: what `npm start` prints can be pasted and answers as it says, and whoever ends npm ends the server.
// Needs the build.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folders.ts'
import { freePort, url } from './support/server.ts'
import { ROOT } from './tidy/source.ts'

/** Stands in for curl where there is none: knows the options of the printed line. */
const CURL = `
  const [, address, ...options] = process.argv.slice(1)
  const values = (name) => options.flatMap((option, at) => (option === name ? [options[at + 1]] : []))
  const headers = Object.fromEntries(values('-H').map((header) => header.split(/: (.*)/s)))
  fetch(address, { method: 'POST', headers, body: values('-d')[0] }).then((answer) => answer.text()).then(console.log)`

const { PATH = '', HOME = '' } = process.env
let shell: ChildProcess
let output = ''
let health = ''

beforeAll(async () => {
  const port = await freePort()
  health = `${url(port)}/health`
  const env = { PATH, HOME, ZEROHOP_DATA: temporaryFolder('start'), ZEROHOP_API_PORT: '0', PDP_PORT: `${port}` }
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

  it('ends with the shell that npm started it in', async () => {
    const ended = once(shell, 'exit')
    shell.kill('SIGTERM')
    await ended
    const gone = () => true
    await eventually(() => fetch(health).then(() => false, gone), true)
  })
})
