// Under an option of Node that forbids to make functions from text: servers say so at their start, the library works.
// Needs the build.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { ROOT } from '../tidy/source.ts'

const OPTION = '--disallow-code-generation-from-strings'
const folder = temporaryFolder('code')
const image = join(folder, 'policy.image')
writeFileSync(image, Image.build(ENVIRONMENT, makePosition(1), HELLO).save())

function run(args: readonly string[]) {
  const env = {
    ...process.env,
    ZEROHOP_DATA: join(folder, 'data'),
    PDP_API_KEY: 'permit_key_the_key_of_every_server',
    PDP_PORT: '0',
  }
  return spawnSync(process.execPath, [OPTION, ...args], { encoding: 'utf8', env, timeout: 60_000 })
}

it.each([
  ['serve', ['serve']],
  ['api', ['api']],
  ['pdp', ['pdp', '--image', image]],
])('%s ends with the line that names the option', (_, args) => {
  const { status, stderr } = run([join(ROOT, 'dist/bundle/zerohop.js'), ...args])
  expect(status).toBe(1)
  expect(stderr).toMatch(/^zerohop: Node runs with --disallow-code-generation-from-strings. .*\n$/m)
})

it('the library checks', () => {
  const program = `
    const { loadImage } = await import('${pathToFileURL(join(ROOT, 'dist/bundle/index.js')).href}')
    console.log(loadImage(${JSON.stringify(image)}).check('ana', 'say', 'hello'))`
  const { stdout, stderr } = run(['--input-type=module', '-e', program])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^(true|false)\n$/)
})
