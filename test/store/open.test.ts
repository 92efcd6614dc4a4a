// What a data folder that is in use, not ours, damaged or not writable answers. src/store/lock.ts, data-file.ts,
// disk.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { open } from 'lmdb'
import { describe, expect, it } from 'vitest'
import { SHORT_LIVED } from '../support/short-lived.ts'
import { BY, error, LOG, openTestStore, temporaryFolder } from './support.ts'

async function holdInChild(data: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./hold-folder.mjs', import.meta.url))
  const child = spawn(process.execPath, [...SHORT_LIVED, script, data], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout ?? child, 'data')
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A folder with some hundred pages of data. */
async function filledFolder(): Promise<string> {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  for (let at = 0; at < 20; at++) await store.commit(LOG, 'fill', { bytes: 30_000 }, BY)
  await store.close()
  return data
}

describe('a folder in use', () => {
  it('is refused to the same process until it is closed', async () => {
    const data = join(temporaryFolder(), 'made', 'on the way')
    const store = await openTestStore(data)
    const refused = { ...error('DATA_IN_USE'), message: expect.stringContaining(`(pid ${process.pid})`) }
    await expect(openTestStore(data)).rejects.toMatchObject(refused)
    await store.close()
    await expect(openTestStore(data)).resolves.toBeDefined()
  })

  it('by another process is refused with its pid, and free at once when that process was killed', async () => {
    const data = temporaryFolder()
    const child = await holdInChild(data)
    const refused = { ...error('DATA_IN_USE'), message: expect.stringContaining(`(pid ${child.pid})`) }
    await expect(openTestStore(data)).rejects.toMatchObject(refused)
    await killed(child)
    const store = await openTestStore(data)
    expect((await store.commit(LOG, 'countUp', null, BY)).result).toBe(2)
  })

  it('goes to exactly one of those who take it over at once', async () => {
    const data = temporaryFolder()
    await killed(await holdInChild(data))
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => openTestStore(data)))
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of settled) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(error('DATA_IN_USE'))
    }
  })

  it('is not held by a process that only has the number of a dead holder', async () => {
    const data = temporaryFolder()
    const child = await holdInChild(data)
    const lock = join(data, 'zerohop.lock')
    const holder = JSON.parse(readFileSync(lock, 'utf8'))
    await killed(child)
    writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid }))
    await expect(openTestStore(data)).resolves.toBeDefined()
  })

  it('by a holder on another machine is refused while it shows signs of life, and free when it does not', async () => {
    const data = temporaryFolder()
    const lock = join(data, 'zerohop.lock')
    const foreign = { pid: 1, started: '1', place: 'boot elsewhere', token: 'x' }
    writeFileSync(lock, JSON.stringify(foreign))
    const heart = setInterval(() => utimesSync(lock, new Date(), new Date()), 200)
    await expect(openTestStore(data)).rejects.toMatchObject(error('DATA_IN_USE'))
    clearInterval(heart)
    utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
    await expect(openTestStore(data)).resolves.toBeDefined()
  })
})

describe('a damaged data file', () => {
  const damage = async (data: string) => {
    await expect(openTestStore(data)).rejects.toMatchObject(error('DATA_DAMAGED'))
    // refused again, and the refusal leaves no lock behind
    await expect(openTestStore(data)).rejects.toMatchObject(error('DATA_DAMAGED'))
    expect(readdirSync(data)).not.toContain('zerohop.lock')
  }

  it('that was cut off is refused', async () => {
    const data = await filledFolder()
    truncateSync(join(data, 'data.mdb'), 100_000)
    await damage(data)
  })

  it('that is empty, or shorter than one page, is refused', async () => {
    for (const bytes of [0, 1_000]) {
      const data = await filledFolder()
      truncateSync(join(data, 'data.mdb'), bytes)
      await damage(data)
    }
  })

  it('that holds something else is refused', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'data.mdb'), Buffer.alloc(300_000, 'no database '))
    await damage(data)
  })

  it('with garbage in its middle is refused after a holder that died, and never kills this process', async () => {
    const data = await filledFolder()
    const child = await holdInChild(data)
    await killed(child)
    const file = join(data, 'data.mdb')
    const bytes = readFileSync(file)
    bytes.fill(0xa5, 2 * 4096, bytes.length - 4096)
    writeFileSync(file, bytes)
    await expect(openTestStore(data)).rejects.toMatchObject(error('DATA_DAMAGED'))
  })

  it('that is whole is opened after a holder that died', async () => {
    const data = await filledFolder()
    await killed(await holdInChild(data))
    const store = await openTestStore(data)
    expect(store.view(LOG).count('user')).toBe(21)
  })
})

describe('a folder that is not ours', () => {
  it('is refused when it has another format, and left as it was', async () => {
    const data = await filledFolder()
    const root = open({ path: data, noSubdir: false })
    await root.openDB<number, string>({ name: 'meta', encoding: 'json' }).put('format', 999)
    await root.close()
    const refused = { ...error('DATA_FOREIGN'), details: { got: 999, want: '3 to 14' } }
    await expect(openTestStore(data)).rejects.toMatchObject(refused)
  })

  it('is refused when it is the database of another program', async () => {
    const data = temporaryFolder()
    const root = open({ path: data, noSubdir: false })
    await root.openDB({ name: 'somebody' }).put('x', 'y')
    await root.close()
    const before = readFileSync(join(data, 'data.mdb'))
    await expect(openTestStore(data)).rejects.toMatchObject(error('DATA_FOREIGN'))
    expect(readFileSync(join(data, 'data.mdb')).equals(before)).toBe(true)
  })

  it('opens when it is the copy of a closed folder', async () => {
    const [data, copy] = [await filledFolder(), temporaryFolder()]
    for (const file of ['data.mdb', 'secrets.key']) copyFileSync(join(data, file), join(copy, file))
    const store = await openTestStore(copy)
    expect(store.view(LOG).count('user')).toBe(20)
  })
})

describe('a folder that cannot be written', () => {
  it('is refused with the reason', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await expect(openTestStore(file)).rejects.toMatchObject(error('DATA_READ_ONLY'))
    await expect(openTestStore(join(file, 'below'))).rejects.toMatchObject(error('DATA_READ_ONLY'))
    await expect(openTestStore('/proc/self')).rejects.toMatchObject(error('DATA_READ_ONLY'))
    mkdirSync(`${file}-folder`)
    await expect(openTestStore(`${file}-folder`)).resolves.toBeDefined()
  })
})
