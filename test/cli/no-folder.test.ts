// Folders that cannot be made, named by the operator: the command prints one line and ends. Below /proc, mkdir fails
// with ENOENT although the parent exists, and Node's own recursive mkdir tries again for ever. In processes of their own,
// so that one that never ends is found and ended. Needs the build.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { type Ran, startCommand } from '../support/run-command.ts'
import { runHere } from '../support/run-here.ts'
import { answersOk, endServers, freePort, readKeys, Server, url } from '../support/server.ts'

const folder = temporaryFolder('no-folder')
const NOWHERE = '/proc/nowhere'

afterAll(endServers)

/** Runs the command; one that has not ended after a minute is killed. */
async function ran(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = startCommand(args, env)
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { code, out, err }
}

// only Linux has such a folder
describe.skipIf(process.platform !== 'linux')('a folder that cannot be made', () => {
  it.each([
    ['serve', '--data', NOWHERE],
    ['serve', '--data', `${NOWHERE}/data`],
    ['api', '--data', NOWHERE],
    ['init', NOWHERE],
  ])('%s %s %s prints one line and ends with 1', async (...args) => {
    const { code, out, err } = await ran(args)
    expect({ code, out, lines: err.trim().split('\n') }).toEqual({
      code: 1,
      out: '',
      lines: [expect.stringMatching(/^zerohop: .*`\/proc\/nowhere.*` cannot be written: ENOENT/)],
    })
  })

  it('backup and restore end with one line, also where a file is in place of the folder', async () => {
    const data = join(folder, 'data')
    expect(await runHere(['org', 'create', 'acme', '--data', data])).toMatchObject({ code: 0 })
    const backup = join(folder, 'backup')
    expect(await runHere(['backup', backup, '--data', data])).toMatchObject({ code: 0 })
    writeFileSync(join(folder, 'file'), '')
    const refused = { code: 1, out: '', err: expect.stringMatching(/^zerohop: .*cannot be written: E\w+: [^\n]*\n$/) }
    expect(await ran(['backup', `${NOWHERE}/backup`, '--data', data])).toEqual(refused)
    expect(await ran(['restore', backup, '--data', `${NOWHERE}/data`])).toEqual(refused)
    expect(await ran(['restore', backup, '--data', join(folder, 'file', 'data')])).toEqual(refused)
    expect(await ran(['restore', backup, '--data', join(folder, 'file')])).toEqual(refused)
  })

  it('a PDP that cannot make the folder for its last image serves, logs that, and ends on a signal', async () => {
    const data = join(folder, 'served')
    const port = await freePort()
    const environment = { ZEROHOP_DATA: data, PDP_CONTROL_PLANE: url(port) }
    const api = new Server('api', { ...environment, ZEROHOP_API_PORT: String(port) })
    await api.until(answersOk(`${url(port)}/ready`))
    const pdp = new Server('pdp', {
      ...{ ...environment, PDP_PORT: String(await freePort()), PDP_OPA_PORT: String(await freePort()) },
      ...{ PDP_API_KEY: readKeys(data).environments.development, PDP_OFFLINE_MODE_BACKUP_DIR: `${NOWHERE}/last` },
    })
    await pdp.until(async () => /could not write the last image.*ENOENT/.test(pdp.output))
    expect(await pdp.end()).toBe(0)
  })
})
