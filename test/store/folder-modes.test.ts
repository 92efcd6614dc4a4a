// Folders with facts, keys or images are for their owner alone, whatever the umask of the process.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describeBackup, runAdmin } from '../../src/management/host/admin.ts'
import { openManagement } from '../../src/server.ts'
import { restoreBackup } from '../../src/store/backup.ts'
import { temporaryFolder } from '../support/folders.ts'

const parent = temporaryFolder('modes')
const mask = process.umask(0o022)
afterAll(() => void process.umask(mask))
const fileMode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
let count = 0
const newId = (): string => (++count).toString(16).padStart(32, '0')

describe('the mode of a new folder', () => {
  it('is 700 for a data folder, its backup, what is restored from it, and those above that were made', async () => {
    const data = join(parent, 'above', 'data')
    const management = await openManagement({ data })
    const { store } = management
    const backup = join(parent, 'backups', 'monday')
    await runAdmin({ store, data, newId }, 'backup', { folder: backup })
    await store.close()
    await describeBackup(backup, 0)
    const restored = join(parent, 'again', 'data')
    await restoreBackup(backup, restored, () => 'a'.repeat(64))
    for (const path of [data, join(parent, 'above'), backup, restored]) expect(fileMode(path), path).toBe('700')
  })
})
