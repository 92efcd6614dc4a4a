// The printed report: a table of checks for each workload, and one of figures with budget and measurement side by side.
import { cpus, totalmem } from 'node:os'

export function machine() {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${memory} GB, Node ${process.version}`
}

/** @param {import('./results.mjs').Results} results */
export function print(results, write = (text) => process.stdout.write(text)) {
  for (const workload of new Set(results.rows.map((row) => row.workload))) {
    write(`\n${workload}: checks, decided alike by the plain definition before they count\n`)
    write(table(CHECK_HEAD, checkLines(results, workload)))
  }
  if (results.figures.length > 0) {
    write('\nFigures and budgets (docs/bench/README.md)\n')
    write(table(FIGURE_HEAD, results.figures.map(figureLine)))
  }
  for (const note of results.notes) write(`note: ${note}\n`)
  const judged = results.figures.filter(({ holds }) => holds !== null)
  const missed = judged.filter(({ holds }) => !holds)
  write(`\n${machine()}\n${judged.length - missed.length} of ${judged.length} budgets hold\n`)
}

const CHECK_HEAD = ['candidate', 'checks/s', '±', 'p50', 'p99', '× hand-written', 'checked']
const FIGURE_HEAD = ['figure', 'measured', 'beside', 'ratio', 'budget', 'holds']

function checkLines(results, workload) {
  const rows = results.rows.filter((row) => row.workload === workload)
  return rows.map((row) => {
    if (row.opsPerSecond === null) return [row.candidate, 'not measured', '', '', '', '', 'no']
    const { spread, used } = results.details.get(`${workload} ${row.candidate}`)
    return [
      row.candidate,
      amount(row.opsPerSecond),
      `${Math.round(spread * 100)}%`,
      duration(row.p50Ns),
      duration(row.p99Ns),
      String(row.ratioToHandWritten),
      `yes, ${used}`,
    ]
  })
}

function figureLine({ name, value, unit, peer, ratio, budget, holds }) {
  const mark = holds === null ? '' : holds ? 'yes' : 'NO'
  return [name, `${amount(value)} ${unit}`, peer ?? '', ratio === null ? '' : `${ratio}×`, budget ?? '', mark]
}

function amount(value) {
  if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toPrecision(4))} M`
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(4))} k`
  return String(value)
}

function duration(ns) {
  if (ns >= 1e6) return `${Number((ns / 1e6).toPrecision(3))} ms`
  if (ns >= 1e3) return `${Number((ns / 1e3).toPrecision(3))} µs`
  return `${Number(ns.toPrecision(3))} ns`
}

/** Left-aligned first column, the others right-aligned. */
function table(head, lines) {
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)))
  const shown = (line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((line) => `  ${shown(line).trimEnd()}\n`)
    .join('')
}
