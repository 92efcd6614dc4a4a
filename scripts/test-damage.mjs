// Flips random bits of a data file: npm run test:damage -- [--flips 200] [--seed N] Exit 0 when each flip was detected
// or had no effect on reads, and no server decided differently; 1 otherwise, 2 on a wrong argument.
import { parseArgs } from 'node:util'
import { runFlips } from '../test/damage/flips.mjs'

const usage = (message) => {
  process.stderr.write(`test:damage: ${message}\nusage: npm run test:damage -- [--flips N] [--seed N]\n`)
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
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    },
  }).values
} catch (error) {
  usage(error.message)
}
const [flips, seed] = [number('flips', options.flips, 1), number('seed', options.seed, 0)]
const wrong = await runFlips({ flips, seed, progress: (line) => process.stdout.write(`${line}\n`) })
for (const text of wrong) process.stderr.write(`${text}\n`)
process.stdout.write(wrong.length === 0 ? `${flips} flips: none decided otherwise\n` : `${wrong.length} wrong\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
