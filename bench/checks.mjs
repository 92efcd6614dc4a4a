// W1 to W4: the candidates that share a process first, over several fresh processes, then each peer beside
// hand-written.
import { LOAD_MS_MAX, runChild } from './child.mjs'
import { CORE, candidate, PEERS } from './registry.mjs'
import { rounded } from './results.mjs'
import { RULE_WORLDS } from './rule-worlds.mjs'
import { median, spread } from './sampling.mjs'
import { CHECKS } from './workloads.mjs'

/**
 * The effort of a run. Quick has shorter time limits for loading, so that the slowest peers are reported as too slow
 * instead of awaited.
 */
const EFFORTS = {
  full: {
    core: { processes: 3, rounds: 5, roundMs: 40, verifyMs: 0, checks: CHECKS },
    peer: { rounds: 9, roundMs: 200, verifyMs: 2_000, checks: CHECKS, loadMs: LOAD_MS_MAX },
  },
  quick: {
    core: { processes: 2, rounds: 5, roundMs: 10, verifyMs: 0, checks: CHECKS },
    peer: { rounds: 3, roundMs: 30, verifyMs: 80, checks: CHECKS, loadMs: 10_000 },
  },
  tiny: { core: { processes: 1, rounds: 3, roundMs: 1, verifyMs: 0, checks: 400 } },
}
const PEER_MS_MAX = 600_000
/** The least remaining time in which a peer is started. */
const PEER_MS_MIN = 2_000

/** Names of the core candidates whose rounds the budgets compare. */
const CHECK = 'zerohop check'
const FRESH = ' (fresh strings)'

/** The candidates that support the workload: not every engine has rules about attributes. */
const loading = (candidates, workload) =>
  workload in RULE_WORLDS ? candidates.filter(({ rules }) => rules !== undefined) : candidates

/** Zerohop and the hand-written candidates. */
export async function measureChecks(workload, results, { effort, progress }) {
  const { processes: usual, ...plan } = EFFORTS[effort].core
  // W3 takes seconds to load: a quick run does it once, and makes up for it in rounds.
  const processes = effort === 'quick' && workload === 'W3' ? 1 : usual
  plan.rounds *= usual / processes
  const runs = []
  const racing = loading(CORE, workload)
  for (let run = 0; run < processes; run++) {
    progress(`${workload}: zerohop and hand-written code, process ${run + 1} of ${processes}`)
    const job = { workload, candidates: racing.map(({ name }) => name), tiny: effort === 'tiny', ...plan }
    const { result, failure } = await runChild('./run-checks.mjs', job)
    if (failure) throw new Error(`${workload}: ${failure}`)
    runs.push(result)
  }
  for (const { name } of racing) addRow(results, workload, name, runs)
  addCheckBudgets(results, workload, runs)
}

/** The peers, each in its own process, as long as there is time. */
export async function measurePeers(workload, results, { effort, progress, remainingMs }) {
  const { loadMs, ...plan } = EFFORTS[effort].peer
  for (const { name, flags } of loading(PEERS, workload)) {
    if (remainingMs() < PEER_MS_MIN) {
      addNothing(results, workload, name, 'left out, the time of --quick is used up')
      continue
    }
    progress(`${workload}: ${name}`)
    const job = { workload, candidates: ['hand-written', name], ...plan }
    const limits = { flags, loadMs: Math.min(loadMs, remainingMs()), totalMs: Math.min(PEER_MS_MAX, remainingMs()) }
    const { result, failure } = await runChild('./run-checks.mjs', job, limits)
    if (failure) addNothing(results, workload, name, failure)
    else addRow(results, workload, name, [result])
  }
  addPeerBudgets(results, workload)
}

function addNothing(results, workload, candidate, reason) {
  const nothing = { opsPerSecond: null, p50Ns: null, p99Ns: null, ratioToHandWritten: null, checked: false }
  results.addRow({ workload, candidate, ...nothing })
  results.note(`${workload} ${candidate}: ${reason}`)
}

function addRow(results, workload, name, runs) {
  const racers = runs.map((run) => run.find((racer) => racer.name === name))
  const rounds = racers.flatMap((racer) => racer.rounds)
  const { baseline } = candidate(name)
  const row = {
    workload,
    candidate: name,
    opsPerSecond: Math.round(median(rounds)),
    p50Ns: rounded(median(racers.map((racer) => racer.p50Ns))),
    p99Ns: rounded(median(racers.map((racer) => racer.p99Ns))),
    ratioToHandWritten: rounded(median(ratios(runs, name, baseline))),
    checked: true, // run-checks.mjs throws at the first decision that differs from the definition
  }
  results.addRow(row, { spread: spread(rounds), used: Math.min(...racers.map((racer) => racer.used)) })
}

/** Compared round by round, so that a slow moment of the machine affects both. */
function ratios(runs, name, baseline) {
  return runs.flatMap((run) => {
    const [racer, base] = [name, baseline].map((wanted) => run.find((known) => known.name === wanted))
    return racer.rounds.map((ops, round) => ops / base.rounds[round])
  })
}

function addCheckBudgets(results, workload, runs) {
  const held = (name, peer, bound) => {
    const value = results.row(workload, name).opsPerSecond
    results.addFigure({
      name: `${workload} ${name}`,
      value,
      unit: 'checks/s',
      peer,
      ratio: median(ratios(runs, name, peer)),
      ...bound,
    })
  }
  if (workload in RULE_WORLDS) {
    const least = RULE_WORLDS[workload].spread ? 1 : 7
    for (const form of ['', FRESH]) held(CHECK + form, `hand-written${form}`, { least })
    return
  }
  for (const form of ['', FRESH]) {
    if (workload !== 'W3') held(CHECK + form, `hand-written${form}`, { least: 2 })
    held(CHECK + form, `hand-tuned${form}`, { least: workload === 'W3' ? 2 : 1.2 })
    if (workload !== 'W2') continue
    const { p50Ns, p99Ns } = results.row(workload, CHECK + form)
    const name = `W2 ${CHECK}${form}, p99`
    results.addFigure({ name, value: p99Ns, unit: 'ns', peer: 'its p50', ratio: p99Ns / p50Ns, most: 3 })
  }
  held('zerohop subject.can', 'hand-written', workload === 'W2' ? { least: 5 } : {})
}

/** Ahead of every peer that can load the workload; both are held against hand-written in their own process. */
function addPeerBudgets(results, workload) {
  const own = results.row(workload, CHECK)
  for (const peer of loading(PEERS, workload)) {
    const row = results.row(workload, peer.name)
    if (row.opsPerSecond === null) continue
    const ratio = own.ratioToHandWritten / row.ratioToHandWritten
    results.addFigure({
      name: `${workload} ${CHECK}`,
      value: own.opsPerSecond,
      unit: 'checks/s',
      peer: peer.name,
      ratio,
      above: 1,
    })
  }
}
