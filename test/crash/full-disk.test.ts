// A full disk, a limit of file size, a read-only mount: a clear error, nothing half written, the process alive and able
// to go on as soon as there is room. The tmpfs part needs the right to mount; where that is missing the file-size part
// proves the same path.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { BY, error, LOG, openTestStore, temporaryFolder } from '../store/support.ts'
import { remount, temporaryMount, unmount } from '../support/mount.ts'

const script = fileURLToPath(new URL('./filling-child.mjs', import.meta.url))

interface Report {
  acknowledged: string[]
  refusals: string[]
  refusedTogether: number
  readable: number
  later?: number
}

/** Everything acknowledged is there, nothing else is, and the folder takes writes again. */
async function expectIntact(data: string, report: Report): Promise<void> {
  const store = await openTestStore(data)
  const view = store.view(LOG)
  for (const key of report.acknowledged) expect(view.get('user', key)).toBeDefined()
  expect(view.count('user')).toBe(report.acknowledged.length)
  expect(store.head(LOG).revision).toBe(report.acknowledged.length)
  await expect(store.commit(LOG, 'fill', { bytes: 100_000 }, BY)).resolves.toBeDefined()
  await store.close()
}

describe('a limit of file size', () => {
  it('answers DISK_FULL to the whole batch, and the data is whole without the limit', async () => {
    for (const blocks of [4_000, 4_001, 4_013]) {
      const data = temporaryFolder()
      const limited = `ulimit -f ${blocks} && exec "$0" "$@"`
      const child = spawnSync('sh', ['-c', limited, process.execPath, script, data], { encoding: 'utf8' })
      expect(child.status, child.stderr).toBe(0)
      const report: Report = JSON.parse(child.stdout)
      expect(report.refusals).toEqual(['DISK_FULL'])
      expect(report.refusedTogether).toBe(4)
      expect(report.acknowledged.length).toBeGreaterThan(8)
      expect(report.readable).toBe(report.acknowledged.length)
      await expectIntact(data, report)
    }
  })
})

const mountPoint = temporaryMount('size=4m')
afterAll(() => unmount(mountPoint))

// skipped where this user may not mount a file system: the limit of file size above takes the same path through LMDB
describe.skipIf(mountPoint === undefined)('a small file system', () => {
  it('answers DISK_FULL when it is full, and the same process writes on when it has grown', async () => {
    const data = join(mountPoint ?? '', 'data')
    const child = spawn(process.execPath, [script, data, 'wait'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const closed = once(child, 'close')
    await Promise.race([once(child.stdout, 'data'), closed])
    expect(output).toBe('full\n')
    expect(remount(mountPoint ?? '', 'size=32m')).toBe(true)
    child.stdin.write('go on\n')
    expect((await closed)[0]).toBe(0)
    const report: Report = JSON.parse(output.slice('full\n'.length))
    expect(report.refusals).toEqual(['DISK_FULL'])
    expect(report.later).toBe(0)
    await expectIntact(data, report)
  })

  it('that was mounted read-only is refused with the reason', async () => {
    expect(remount(mountPoint ?? '', 'ro')).toBe(true)
    const refused = {
      ...error('DATA_READ_ONLY'),
      details: { reason: expect.stringContaining('read-only file system') },
    }
    await expect(openTestStore(join(mountPoint ?? '', 'data'))).rejects.toMatchObject(refused)
    await expect(openTestStore(join(mountPoint ?? '', 'new'))).rejects.toMatchObject(refused)
  })
})
