// Flips single random bits of a whole data file and holds three things of each: `data verify` reports it or all that
// can be read is as it was; a server on that file never decides otherwise than before, it refuses; and neither ends the
// process that asks.
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifyData } from '../../dist/src/store/verify-data.js'
import { makeWorld } from './world.mjs'

const SERVER = fileURLToPath(new URL('./server.mjs', import.meta.url))
const FILES = ['data.mdb', 'keys.json', 'secrets.key']
const SERVER_MS = 60_000
const PAGE_BYTES = 4_096
/** the head of a page and where its first entries are */
const PAGE_HEAD_BYTES = 64

/** mulberry32: numbers below 1, the same for the same seed. */
function makeRandom(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Half of the changes are anywhere, half at the beginning of a page, where LMDB says what is in it. */
function pickPlace(random, length) {
  if (random() < 0.5) return Math.floor(random() * length)
  return Math.floor(random() * (length / PAGE_BYTES)) * PAGE_BYTES + Math.floor(random() * PAGE_HEAD_BYTES)
}

/** The answers of a server on the folder: name → value. Those that it did not reach are missing. */
function ask(data) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SERVER, data], { stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), SERVER_MS)
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const lines = output.split('\n').slice(0, -1)
      resolve({ answers: new Map(lines.map((line) => JSON.parse(line))), ended: signal ?? code, errors })
    })
  })
}

/** Holds what a server on a changed file said against what one on the whole file did. */
function judge(before, { answers, ended, errors }, damages) {
  const wrong = []
  for (const [name, value] of answers) {
    if (value !== 'refused' && value !== before.get(name))
      wrong.push(`${name}: ${value} instead of ${before.get(name)}`)
    if (value === 'refused' && damages === 0) wrong.push(`${name} is refused, but verify found nothing`)
  }
  if (damages === 0 && answers.size < before.size)
    wrong.push(`verify found nothing, but the server ended: ${ended} ${errors}`)
  return wrong
}

/**
 * @param {{ flips: number, seed: number, progress: (line: string) => void }} options
 * @returns {Promise<string[]>} what did not hold
 */
export async function runFlips({ flips, seed, progress }) {
  const root = mkdtempSync(join(tmpdir(), 'zerohop-flips-'))
  try {
    const whole = join(root, 'whole')
    await makeWorld(whole)
    const bytes = readFileSync(join(whole, 'data.mdb'))
    const { answers: before, errors } = await ask(whole)
    const clean = await verifyData(whole)
    if (
      clean.damages > 0 ||
      [...before.values()].some((value) => value === 'refused' || String(value).startsWith('failed'))
    )
      return [`the whole folder is not whole: ${errors}`]
    const allowed = [...before.values()].filter((value) => value === true).length
    progress(`${bytes.length} bytes, ${before.size} answers of which ${allowed} allow, seed ${seed}`)
    const random = makeRandom(seed)
    const counts = { found: 0, unseen: 0, refused: 0, ended: 0 }
    const wrong = []
    for (let flip = 0; flip < flips; flip++) {
      const [at, bit] = [pickPlace(random, bytes.length), Math.floor(random() * 8)]
      const data = join(root, `flip-${flip}`)
      mkdirSync(data)
      for (const file of FILES) copyFileSync(join(whole, file), join(data, file))
      const changed = Buffer.from(bytes)
      changed[at] ^= 1 << bit
      writeFileSync(join(data, 'data.mdb'), changed)
      const copy = join(data, 'copy')
      mkdirSync(copy)
      copyFileSync(join(data, 'data.mdb'), join(copy, 'data.mdb'))
      const [{ damages }, answer] = await Promise.all([verifyData(copy), ask(data)])
      for (const text of judge(before, answer, damages)) wrong.push(`bit ${bit} of byte ${at}: ${text}`)
      counts[damages > 0 ? 'found' : 'unseen']++
      if ([...answer.answers.values()].includes('refused')) counts.refused++
      if (answer.answers.size < before.size) counts.ended++
      rmSync(data, { recursive: true })
      if ((flip + 1) % 10 === 0) progress(`${flip + 1} flips: ${JSON.stringify(counts)}, ${wrong.length} wrong`)
    }
    return wrong
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
