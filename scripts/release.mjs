// npm run release: publishes the version of package.json with its provenance and a bill of materials; with --dry-run
// everything but the publishing. Exit 0 when it was published (or could be), 1 when a precondition fails, 2 on a wrong
// argument.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm run release -- [options]

Publishes the version of package.json to the npm registry. Runs in a workflow that npm trusts (CONTRIBUTING.md).

  --dry-run      does everything but the publishing, on any branch and with uncommitted changes
  --out FOLDER   where the tarball and the bill of materials go; a temporary folder that is removed when there is none
  --help         this text`

const options = read()
if (options.help) {
  console.log(HELP)
} else {
  const folder = options.out ?? mkdtempSync(join(tmpdir(), 'zerohop-release-'))
  mkdirSync(folder, { recursive: true })
  if (options.out === undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  requireNotes(version)
  if (!options['dry-run']) requireCommit(version)

  run('npm', ['run', '-s', 'build'])
  // what is checked is what is published
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
  const tarball = resolve(folder, `${name}-${version}.tgz`)
  run('npm', ['run', '-s', 'lint:package', '--', tarball])
  const bill = run(
    'npm',
    ['sbom', '--no-workspaces', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'],
    'pipe',
  )
  const file = join(folder, `${name}-${version}.cdx.json`)
  writeFileSync(file, bill)
  console.log(`bill of materials: ${JSON.parse(bill).components.length} packages`)
  if (options['dry-run']) run('npm', ['publish', tarball, '--dry-run', '--ignore-scripts', '--loglevel', 'error'])
  else run('npm', ['publish', tarball, '--provenance', '--access', 'public', '--ignore-scripts'])
  console.log(options['dry-run'] ? `${name} ${version} could be published` : `${name} ${version} is published`)
}

/** The changelog has a section of this version, with a date and with something in it. */
function requireNotes(version) {
  const text = readFileSync('CHANGELOG.md', 'utf8')
  const start = text.search(new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm'))
  if (start < 0) fail(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD"`)
  const section = text.slice(text.indexOf('\n', start)).split(/^## /m, 1)[0]
  if (!/^- /m.test(section)) fail(`the section of ${version} in CHANGELOG.md is empty`)
}

/** The published commit must have the tag of the version. */
function requireCommit(version) {
  if (run('git', ['status', '--porcelain'], 'pipe') !== '') fail('there are uncommitted changes')
  const tags = run('git', ['tag', '--points-at', 'HEAD'], 'pipe').split('\n')
  if (!tags.includes(`v${version}`)) fail(`the commit has no tag v${version}`)
}

function run(command, args, output = 'inherit') {
  const { status, stdout, error } = spawnSync(command, args, {
    stdio: ['ignore', output, 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (error) fail(`${command}: ${error.message}`)
  if (status !== 0) fail(`\`${command} ${args.join(' ')}\` ended with ${status}`)
  return stdout
}

function read() {
  try {
    return parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    fail(error.message, 2)
  }
}

function fail(text, code = 1) {
  console.error(`release: ${text}`)
  process.exit(code)
}
