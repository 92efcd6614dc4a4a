// `zerohop data verify` and `zerohop data repair`, and the first before a server starts.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DAMAGES_LISTED_MAX } from '../../model/limits.ts'
import { dataFolder } from '../../store/disk.ts'
import { repairData } from '../../store/repair-data.ts'
import { verifyData } from '../../store/verify-data.ts'

const number = (value: number): string => value.toLocaleString('en')

/** Prints the damage and a summary. Returns the exit code: 0 intact, 1 damaged. */
export async function verify(data: string, json: boolean): Promise<number> {
  const listed: string[] = []
  const { checked, damages } = await verifyData(data, {
    progress: (count) => process.stderr.write(`${number(count)} records and entries compared\n`),
    damage: (text) => {
      if (listed.length >= DAMAGES_LISTED_MAX) return
      listed.push(text)
      if (!json) process.stdout.write(`${text}\n`)
    },
  })
  if (json) process.stdout.write(`${JSON.stringify({ whole: damages === 0, checked, damages, listed }, null, 2)}\n`)
  else if (damages === 0) process.stdout.write(`intact: ${number(checked)} records and entries compared\n`)
  else
    process.stdout.write(
      `${counted(damages, 'error')} found: try \`zerohop data repair\`, else \`zerohop restore\` a backup\n`,
    )
  return damages === 0 ? 0 : 1
}

/**
 * Repairs what can be repaired, and prints what was done and what is left. Returns the exit code: 0 intact, 1 damage is
 * left.
 */
export async function repair(data: string): Promise<number> {
  const print = (text: string): void => void process.stdout.write(`${text}\n`)
  const { found, left, aside } = await repairData(data, { report: print, reportLeft: (text) => print(`left: ${text}`) })
  if (found === 0) print('intact: there is nothing to repair')
  else if (aside === undefined) print('nothing could be repaired; the folder is unchanged')
  else print(`${number(found - left)} of ${counted(found, 'error')} repaired; the damaged file is kept as ${aside}`)
  if (left > 0) print('only a backup can restore the rest: `zerohop restore`, see docs/operations.md')
  return left === 0 ? 0 : 1
}

/** Verifies the folder before a server opens it. @throws DATA_DAMAGED */
export async function requireWhole(
  data: string,
  log: Logger,
  upgrading: (done: number, total: number) => void,
): Promise<void> {
  if (!existsSync(join(data, 'data.mdb'))) return
  let first: string | undefined
  const { checked, damages } = await verifyData(data, {
    upgrading,
    progress: (count) => log.info({ checked: count }, 'verifying records of the data folder'),
    damage: (text) => {
      first ??= text
      log.error({ damage: text }, 'the data folder is damaged')
    },
  })
  if (damages === 0) log.info({ checked }, 'the data folder is intact')
  else
    throw new ZerohopError('DATA_DAMAGED', {
      what: dataFolder(data),
      reason: `${counted(damages, 'error')}, the first: ${first}`,
    })
}
