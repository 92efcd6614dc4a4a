// Rows beside an older version that is built in a folder (--against): what a check costs that meets nothing of what came since. The
// instructions of a check are counted by valgrind where it is installed; times are those of both versions in one process.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from '../child.mjs'
import { median } from '../sampling.mjs'
import { listKinds } from '../versions-world.mjs'

const SIZES = {
  full: { users: 500, questions: 1_000, rounds: 60, processes: 6, passes: 100 },
  quick: { users: 500, questions: 1_000, rounds: 30, processes: 2, passes: 20 },
}
/** One thread, and all of the kernel compiled before its first call: the same instructions in each run. */
const PREDICTABLE = ['--predictable', '--predictable-gc-schedule', '--no-liftoff', '--no-wasm-tier-up']
const VALGRIND = ['--tool=callgrind', '--callgrind-out-file=/dev/null', '--smc-check=all-non-file']
const OWN = fileURLToPath(new URL('../../', import.meta.url))
const COUNT = fileURLToPath(new URL('versions-count.mjs', import.meta.url))

export async function measureVersions(results, context) {
  if (context.against === undefined) return results.note('versions: left out, --against names no older version')
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-versions-'))
  try {
    await measureIn(folder, results, context)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureIn(folder, results, { effort, progress, against }) {
  const sizes = SIZES[effort]
  const samples = []
  for (let number = 0; number < sizes.processes; number++) {
    progress(`versions: process ${number + 1} of ${sizes.processes}`)
    const job = { ...sizes, older: against, folder, isOlderFirst: number % 2 === 0 }
    const { result, failure } = await runChild('./figures/versions-work.mjs', job)
    if (failure) throw new Error(`versions: ${failure}`)
    samples.push(result)
  }
  const isCounted = effort === 'full' && spawnSync('valgrind', ['--version']).status === 0
  if (!isCounted) results.note('versions: instructions are counted in a full run, where valgrind is installed')
  for (const [at, { world, isAllowed }] of listKinds().entries()) {
    const name = `a check that is ${isAllowed ? 'allowed' : 'denied'} ${world}`
    const of = samples.map((kinds) => kinds[at])
    const [least, most] = [Math.min, Math.max].map((end) => end(...of.map(({ best }) => best)).toFixed(3))
    const medians = median(of.map((each) => each.median)).toFixed(3)
    results.addFigure({
      name,
      ...{ value: median(of.map(({ ns }) => ns)), unit: 'ns', ratio: median(of.map(({ best }) => best)) },
      peer: `the older version; ${least} to ${most} in ${sizes.processes} processes, median of rounds ${medians}`,
    })
    if (!isCounted) continue
    progress(`versions: instructions of ${name}`)
    const own = countInstructions(OWN, join(folder, `own-${at}`), at, sizes)
    const older = countInstructions(against, join(folder, `older-${at}`), at, sizes)
    results.addFigure({
      name: `instructions of ${name}`,
      ...{ value: own, unit: 'instructions', ratio: own / older },
      peer: `the older version, ${older.toFixed(1)}`,
    })
  }
}

/** Those of one check: the difference between many passes and none. */
function countInstructions(version, image, kind, { users, questions, passes }) {
  const [without, asked] = [0, passes].map((number) => {
    const args = [...VALGRIND, process.execPath, ...PREDICTABLE, COUNT, version, image, kind, number, users, questions]
    const { status, stderr } = spawnSync('valgrind', args.map(String), { encoding: 'utf8' })
    const found = /Collected : (\d+)/.exec(stderr)
    if (status !== 0 || found === null)
      throw new Error(`versions: valgrind ended with ${status}: ${stderr.slice(-300)}`)
    return Number(found[1])
  })
  return (asked - without) / (passes * questions)
}
