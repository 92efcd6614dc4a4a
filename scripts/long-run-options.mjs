// The options of the commands that ask random cases for as long as they are told, and look for planted faults.
import { parseArgs } from 'node:util'

const MINUTES_MAX = 24 * 60

/**
 * Reads them. Prints the help and ends with 0 when that is asked for; ends with 2 on a wrong argument: nothing is
 * started then.
 * @param {string} command its name, such as `test:ways`
 * @param {string} help what `--help` prints
 * @param {Record<string, { type: 'string' | 'boolean', default?: boolean }>} own options of this command alone; what is
 *   a flag among them starts another kind of run, which neither records nor looks for planted faults
 */
export function readLongRunOptions(command, help, own) {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        minutes: { type: 'string', default: '1' },
        canaries: { type: 'boolean', default: false },
        canary: { type: 'string' },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        ...own,
      },
    })
    if (values.help) {
      console.log(help)
      process.exit(0)
    }
    const { record, canaries, canary: named, help: _, ...others } = values
    const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
    if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed takes a whole number')
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) throw new Error(`--minutes takes a number up to ${MINUTES_MAX}`)
    const canary = canaries ? 'all' : named
    const kinds = Object.keys(own).filter((name) => own[name].type === 'boolean')
    const kind = kinds.find((name) => values[name])
    if (record && (kind !== undefined || canary !== undefined))
      throw new Error(`--record is for a run without --canaries and --${kinds.join(', --')}`)
    if (kind !== undefined && canary !== undefined) throw new Error(`--${kind} is for a run without --canaries`)
    return { ...others, seed, minutes, canary, record }
  } catch (error) {
    process.stderr.write(`${command}: ${error.message.split('. ')[0]} (see --help)\n`)
    process.exit(2)
  }
}
