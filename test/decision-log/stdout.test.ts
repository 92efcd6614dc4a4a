// The sink `stdout` beside the process's own log, on a pipe whose reader is slow: a line of one never falls into a line
// of the other.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { streamSink } from '../../src/decision-log/stdout.ts'
import { temporaryFolder } from '../support/folders.ts'

it('the sink `stdout` writes whole lines between those of the log, also to a slow reader', async () => {
  const folder = temporaryFolder('stdout')
  const [fifo, out] = [join(folder, 'pipe'), join(folder, 'out')]
  execFileSync('mkfifo', [fifo])
  const reader = spawn('sh', ['-c', 'exec 3< "$0"; sleep 0.3; cat <&3 > "$1"', fifo, out])
  const fd = openSync(fifo, 'w')
  const lines = Array.from({ length: 2_000 }, (_, seq) => `${JSON.stringify({ seq, text: 'x'.repeat(seq % 300) })}\n`)
  const sent = streamSink(fd).send(Buffer.from(lines.join('')), new AbortController().signal)
  let isSent = false
  void sent.then(() => {
    isSent = true
  })
  let logged = 0
  do {
    writeSync(fd, `${JSON.stringify({ log: logged++ })}\n`)
    await new Promise((resolve) => setImmediate(resolve))
  } while (!isSent)
  lines.push(`${JSON.stringify({ seq: 2_000, text: 'longer than a piece'.repeat(500) })}\n`)
  await streamSink(fd).send(Buffer.from(lines.at(-1) ?? ''), new AbortController().signal)
  closeSync(fd)
  await once(reader, 'exit')
  const read = readFileSync(out, 'utf8').trim().split('\n')
  expect(read.filter((line) => line.startsWith('{"log"'))).toHaveLength(logged)
  expect(read.filter((line) => line.startsWith('{"seq"')).map((line) => `${line}\n`)).toEqual(lines)
  expect(read).toHaveLength(logged + lines.length)
})
