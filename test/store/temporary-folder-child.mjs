// A process with a temporary folder that it does not remove: test/store/temporary-folder.test.ts ends it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../dist/src/store/temporary-folder.js'

const { path } = await makeTemporaryFolder()
writeFileSync(join(path, 'facts'), 'of someone')
process.on('message', () => process.exit())
process.send(path)
