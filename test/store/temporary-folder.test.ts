// Folders with facts below the temporary folder of the system: none outlives its process for long, however that ends.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openManagement } from '../../src/server.ts'
import { makeTemporaryFolder, removeAbandonedFolders } from '../../src/store/temporary-folder.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const CHILD = fileURLToPath(new URL('temporary-folder-child.mjs', import.meta.url))

/** From now on the temporary folder of the system, also of processes that are started. */
function useTemporaryFolder(): void {
  vi.stubEnv('TMPDIR', temporaryFolder('tmp'))
  onTestFinished(() => void vi.unstubAllEnvs())
}

async function startChild(): Promise<{ child: ChildProcess; path: string }> {
  const child = fork(CHILD)
  onTestFinished(() => void child.kill('SIGKILL'))
  const [path] = (await once(child, 'message')) as [string]
  return { child, path }
}

it('is gone when it is removed, and when its process exits before', async () => {
  useTemporaryFolder()
  const { path, remove } = await makeTemporaryFolder()
  writeFileSync(join(path, 'facts'), 'of someone')
  await remove()
  expect(existsSync(path)).toBe(false)
  const { child, path: left } = await startChild()
  expect(existsSync(join(left, 'facts'))).toBe(true)
  child.send('exit')
  await once(child, 'exit')
  expect(existsSync(left)).toBe(false)
})

it('that a killed process left is removed when a data folder is opened; those of others stay', async () => {
  useTemporaryFolder()
  const running = await startChild()
  const killed = await startChild()
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  expect(existsSync(killed.path)).toBe(true)
  const own = await makeTemporaryFolder()
  const elsewhere = temporaryFolder('elsewhere')
  writeFileSync(join(elsewhere, 'zerohop.lock'), '{"pid":0,"started":"0","place":"nowhere","token":""}')
  symlinkSync(elsewhere, join(tmpdir(), 'zerohop-export-link'))
  mkdirSync(join(tmpdir(), 'zerohop-export-new'))
  const { store } = await openManagement({ data: temporaryFolder('sweep') })
  await eventually(() => existsSync(killed.path), false)
  await removeAbandonedFolders()
  expect(existsSync(join(running.path, 'facts'))).toBe(true)
  expect(existsSync(own.path)).toBe(true)
  expect(existsSync(join(elsewhere, 'zerohop.lock'))).toBe(true)
  expect(existsSync(join(tmpdir(), 'zerohop-export-new'))).toBe(true)
  await own.remove()
  await store.close()
})
