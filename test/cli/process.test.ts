// How a process ends: what does not end by itself is killed at the deadline, with a line that says so. Needs the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const PROCESS = fileURLToPath(new URL('../../dist/src/cli/process/process.js', import.meta.url))

/** A process with something that never closes, and a thread that its exit would have to wait for. */
async function start(withinMs: number) {
  const script = `
    import { Closers, closeOnSignals } from ${JSON.stringify(PROCESS)}
    const closers = new Closers()
    closers.add(() => new Promise(() => {}))
    closeOnSignals(closers, 0, ${withinMs})
    setInterval(() => {}, 1000)
    process.on('exit', () => { for (;;); })
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child.stdout, 'data')
  return { child, output: () => output, ended: once(child, 'close') }
}

describe('a process that does not end', () => {
  it('is killed at the deadline, and says so', async () => {
    const { child, output, ended } = await start(100)
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(output()).toBe('zerohop: what was running did not end in time\n')
  })

  it('is killed by a second signal', async () => {
    const { child, output, ended } = await start(600_000)
    child.kill('SIGTERM')
    child.kill('SIGINT')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(output()).toBe('zerohop: ended by a second signal\n')
  })
})
