// What a test file costs: the seconds of processor time of its worker, and of the processes that the worker started and
// that run or have ended. `npm run test:cost` asks for it by ZEROHOP_TEST_COST, a file that takes one line for each.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Fields of /proc/PID/stat after the name of the command, and their unit. */
const PARENT = 1
const TIMES = { utime: 11, stime: 12, cutime: 13, cstime: 14 }
const TICKS_PER_SECOND = 100

const report = process.env.ZEROHOP_TEST_COST
delete process.env.ZEROHOP_TEST_COST // a run of vitest that a test starts belongs to that test

/** Begins to measure. What it returns writes what was spent since then; does nothing unless asked for. */
export function measure(): (file: string) => void {
  if (report === undefined) return () => undefined
  const before = { worker: spentHere(), started: spentByChildren() }
  return (file) => {
    const worker = spentHere() - before.worker
    const started = spentByChildren() - before.started
    appendFileSync(report, `${JSON.stringify({ file: relative(process.cwd(), file), worker, started })}\n`)
  }
}

function spentHere(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** By those that have ended, and by those that run with all that they started. */
function spentByChildren(): number {
  const all = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? findProcessStat(name) : undefined
    if (fields !== undefined) all.set(Number(name), fields)
  }
  const below = (parent: number): number => {
    let ticks = 0
    for (const [pid, fields] of all)
      if (fields[PARENT] === parent) ticks += fields[TIMES.utime]! + fields[TIMES.stime]! + ended(fields) + below(pid)
    return ticks
  }
  const own = all.get(process.pid)
  return own === undefined ? 0 : (ended(own) + below(process.pid)) / TICKS_PER_SECOND
}

const ended = (fields: readonly number[]): number => fields[TIMES.cutime]! + fields[TIMES.cstime]!

/** Undefined when the process is gone. */
function findProcessStat(pid: string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return undefined
  }
}
