// Flips random bits of a data file, and changes words of an image: npm run test:damage -- [--flips 200] [--words 1000]
// [--seed N] Exit 0 when each flip was detected or had no effect on reads, no server decided differently, and each image
// answered or refused; 1 otherwise, 2 on a wrong argument.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runFlips } from '../test/damage/flips.mjs'
import { changeWords } from '../test/damage/images.mjs'
import { recordRun } from './record-run.mjs'

const usage = (message) => {
  process.stderr.write(
    `test:damage: ${message}\nusage: npm run test:damage -- [--flips N] [--words N] [--seed N] [--record]\n`,
  )
  process.exit(2)
}

const number = (name, text, least) => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    usage(`--${name} must be a whole number of at least ${least}`)
  return value
}

let options
try {
  options = parseArgs({
    options: {
      flips: { type: 'string', default: '200' },
      words: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      record: { type: 'boolean', default: false },
    },
  }).values
} catch (error) {
  usage(error.message)
}
const [flips, seed] = [number('flips', options.flips, 0), number('seed', options.seed, 0)]
const words = number('words', options.words, 0)
const begun = performance.now()
const wrong = await runFlips({ flips, seed, progress: (line) => process.stdout.write(`${line}\n`) })
const folder = mkdtempSync(join(tmpdir(), 'zerohop-words-'))
try {
  if (words > 0) wrong.push(...(await changeWords({ words, seed, folder })))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const text of wrong) process.stderr.write(`${text}\n`)
process.stdout.write(
  wrong.length === 0
    ? `${flips} flips: none decided otherwise\n${words} words: each image answered or refused\n`
    : `${wrong.length} wrong\n`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
if (options.record) {
  const result = wrong.length === 0 ? 'each was detected or changed no answer' : `${wrong.length} wrong`
  const asked = `${flips} data files with one bit flipped, images with one of ${words} words changed, seed ${seed}`
  recordRun(`test:damage -- --flips ${flips}`, { asked, result, seconds: (performance.now() - begun) / 1000 })
}
