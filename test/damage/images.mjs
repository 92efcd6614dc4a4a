// Changes each word of an image, or of so many, with a checksum that fits, and holds of each that whatever is asked of the
// image, verified or not, or signed, is answered or refused with a typed error: nothing hangs, and nothing ends.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Header } from '../../dist/assembly/abi.js'
import { managementServer, openManagement, readKeys } from '../../dist/src/server.js'
import { makeWorld } from './world.mjs'

const CHILD = fileURLToPath(new URL('./image-child.mjs', import.meta.url))
/** between two lines of the child: a question takes milliseconds */
const SILENCE_MS = 60_000

/** Makes the image of a small world; returns its bytes. */
async function makeImage(folder) {
  const data = join(folder, 'data')
  await makeWorld(data, 12)
  const management = await openManagement({ data })
  const app = managementServer(management)
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const headers = { authorization: `Bearer ${readKeys(data).environments.development}` }
    const answer = await fetch(`${url}/v2/feed/default/development/image`, { headers })
    return Buffer.from(await answer.arrayBuffer())
  } finally {
    await app.close()
    await management.store.close()
  }
}

/** Runs one child; returns where it stopped answering, undefined when it came to its end. */
async function run(file, { seed, from, until, step }, wrong) {
  const args = [CHILD, file, seed, from, until, step].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [last, errors, isHung] = ['', '', false]
  const hung = () => {
    isHung = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(hung, SILENCE_MS)
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  const ended = new Promise((resolve) => child.on('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    timer = setTimeout(hung, SILENCE_MS)
    if (line.startsWith('at ')) last = line
    else wrong.push(line)
  }
  const code = await ended
  clearTimeout(timer)
  if (code === 0) return undefined
  wrong.push(`${last}: ${isHung ? 'never answered' : `ended with ${code}: ${errors}`}`)
  return Number(last.split(' ')[1])
}

/** Changes `words` words, at even distances; returns what was wrong. */
export async function changeWords({ words, seed, folder }) {
  const bytes = await makeImage(folder)
  const file = join(folder, 'image')
  writeFileSync(file, bytes)
  const first = Header.Top + 4
  const step = Math.max(1, Math.floor((bytes.length - first) / 4 / words))
  const wrong = []
  let from = first + 4 * (seed % step)
  while (from !== undefined && from < bytes.length && wrong.length < 20) {
    const stopped = await run(file, { seed, from, until: bytes.length, step }, wrong)
    from = stopped === undefined ? undefined : stopped + 4 * step
  }
  return wrong
}
