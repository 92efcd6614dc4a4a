// A server whose log is on a full disk: it goes on without it, and ends in order. Needs the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { AT_ONCE, freePort, url } from '../support/server.ts'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))

describe('a PDP whose log cannot be written', () => {
  // only Linux has a device that is always full
  it.skipIf(!existsSync('/dev/full'))('answers, and ends with 0', async () => {
    const image = join(temporaryFolder('full-log'), 'policy.image')
    writeFileSync(image, Image.build(ENVIRONMENT, makePosition(1), HELLO).save())
    const port = await freePort()
    const full = openSync('/dev/full', 'w')
    const { PATH = '' } = process.env
    const pdp = spawn(process.execPath, [COMMAND, 'pdp', '--image', image], {
      env: { PATH, ...AT_ONCE, PDP_PORT: String(port), PDP_API_KEY: 'the-key-of-the-environment' },
      stdio: ['ignore', full, 'ignore'],
    })
    onTestFinished(() => void pdp.kill('SIGKILL'))
    closeSync(full)
    const ready = async () => (await fetch(`${url(port)}/ready`).catch(() => undefined))?.status ?? pdp.exitCode
    await eventually(ready, 200)
    const headers = { authorization: 'Bearer the-key-of-the-environment', 'content-type': 'application/json' }
    const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
    const answer = await fetch(`${url(port)}/allowed`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ allow: true })
    const ended = once(pdp, 'exit')
    pdp.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
