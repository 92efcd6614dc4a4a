// Writes what a long command asked, and what came of it, into docs/runs.md: one row for each command, and for each
// database of one, of its last run with --record. Nothing else writes that table, so a figure in it was printed by the command that it names.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

const PAGE = new URL('../docs/runs.md', import.meta.url)
const CELLS = /(?<=^| )\| *| *\|(?= |$)/

/**
 * @param {string} command as it was given, after `npm run`
 * @param {{ asked: string, result: string, seconds: number }} run what was asked in numbers; `no difference` and the
 *   like, or what was wrong; how long it took
 */
export function recordRun(command, { asked, result, seconds }) {
  const commit =
    git('rev-parse', '--short=10', 'HEAD') +
    // what another run wrote there does not count
    (git('status', '--porcelain', '--untracked-files=no', '--', ':!docs/runs.md') === '' ? '' : ' and changes')
  const day = new Date().toISOString().slice(0, 10)
  const minutes = (seconds / 60).toFixed(1)
  const row = `| \`${command}\` | ${day} | ${commit} | ${asked} | ${minutes} | ${result} |`
  const lines = readFileSync(PAGE, 'utf8').trimEnd().split('\n')
  const name = commandName(command)
  const kept = lines.filter((line) => commandName(line.split(CELLS)[1] ?? '') !== name)
  writeFileSync(PAGE, `${[...kept, row].join('\n')}\n`)
  console.log(`recorded in docs/runs.md, on ${cpus()[0]?.model ?? 'an unknown processor'}`)
}

/** The script without its options, but for what it asks: `test:long` of `test:long -- --cases 10`. */
const commandName = (command) => /^[^ ]+( -- --on [^ ]+)?/.exec(command.replaceAll('`', ''))?.[0]

const git = (...args) => execFileSync('git', args, { cwd: new URL('..', import.meta.url), encoding: 'utf8' }).trim()
