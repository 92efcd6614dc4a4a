// A program that forgets to close what it opened: one that reads an image or policy files ends by itself, all the same.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { imageOfFiles } from '../src/policy-test/load-policy.ts'
import { temporaryFolder } from './support/folders.ts'
import { ROOT } from './tidy/source.ts'

const POLICY = {
  zerohop: 2 as const,
  resources: [{ key: 'note', actions: { read: {} } }],
  roles: [{ key: 'reader', permissions: ['note:read'] }],
}
const FACTS = { users: [{ key: 'ana' }], role_assignments: [{ user: 'ana', role: 'reader', tenant: 'default' }] }
/** Asked in each way that may leave something behind. */
const ASK = `
console.log(pdp.check('ana', 'read', 'note'))
pdp.explain('ana', 'read', 'note')
pdp.filter('ana', 'read', 'note', { tenant: 'default' })
pdp.bulkCheck([])`
/** Long enough on a busy machine; a program that goes on is ended by it. */
const ENDS_MS = 60_000

it.each(['loadImage', 'loadPolicy'])('a program that uses %s and closes nothing ends by itself', async (name) => {
  const folder = temporaryFolder('ending')
  const door = name === 'loadImage' ? 'index' : 'policy'
  const address = pathToFileURL(join(ROOT, `dist/bundle/${door}.js`)).href
  const image = join(folder, 'policy.image')
  writeFileSync(image, imageOfFiles(POLICY, FACTS).save())
  const input =
    name === 'loadImage' ? JSON.stringify(image) : `${JSON.stringify(POLICY)}, { facts: ${JSON.stringify(FACTS)} }`
  const program = `import { ${name} } from '${address}'\nconst pdp = await ${name}(${input})${ASK}`
  const args = ['--input-type=module', '--eval', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: ENDS_MS })
  expect([status, stdout, stderr]).toEqual([0, 'true\n', ''])
})
