// npm run bench: measures Zerohop beside its peers and its budgets (docs/bench/README.md). What is measured lives in
// bench/; here are the command line, the installation of the peers on first use, and where the results go.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const SECTIONS = [
  'W1',
  'W2',
  'W3',
  'W4',
  'W4-1000',
  'image',
  'facts',
  'permissions',
  'times',
  'conditional',
  'everybody',
  'tenant-roles',
  'last-used',
  'access-requests',
  'versions',
  'delta',
  'http',
  'api',
  'pdp',
  'start',
  'filters',
  'shadow',
  'policy-test',
  'access-diff',
  'access-review',
  'plan',
  'replicas',
  'console',
  'shapes',
  'environments',
  'imports',
  'curves',
]
/** The tiny worlds take the place of W1 to W4; what needs much to mean anything is left out. */
const NOT_TINY = new Set([
  'versions',
  'filters',
  'access-diff',
  'access-review',
  'plan',
  'replicas',
  'console',
  'last-used',
  'access-requests',
])
const TINY_SECTIONS = ['tiny', 'tiny-rules', ...SECTIONS.filter((name) => !/^W\d/.test(name) && !NOT_TINY.has(name))]
/** Of the 90 seconds of --quick: the rest is for the build and the charts. */
const QUICK_MS = 80_000
const HELP = `Usage: npm run bench [-- options]

  --quick        fewer rounds and less patience; ends within 90 seconds
  --only NAMES   only these parts, separated by commas: ${SECTIONS.join(', ')}
  --facts SIZES  the sizes of the curves in facts, such as 100000,1000000,5000000: multiples of 1,000. Shapes and imports have the first
  --against FOLDER  an older version that is built there, for the part versions
  --json FILE    also writes the results as JSON
  --no-charts    leaves docs/bench/*.svg alone (as --only does, except for the chart of the curves)
  --tiny         a few rounds on a tiny world, without peers: proves that the harness works, measures nothing
  --help         this text

Peers are installed into bench/node_modules on first use. Method and reading: docs/bench/README.md`

const root = new URL('../', import.meta.url)
const options = readOptions()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
if (options.help) {
  console.log(HELP)
} else {
  if (!existsSync(new URL('dist/src/index.js', root))) fail('dist/ is missing: run npm run build first')
  if (options.effort !== 'tiny') installPeers()
  await run()
}

async function run() {
  const { Results } = await import('../bench/results.mjs')
  const { print } = await import('../bench/report.mjs')
  const { listParts, measureAll } = await import('../bench/sections.mjs')
  for (const part of listParts()) if (!SECTIONS.includes(part)) fail(`--only does not offer the part ${part}`)
  const results = new Results()
  const start = performance.now()
  const progress = (text) =>
    process.stderr.write(`[${((performance.now() - start) / 1000).toFixed(0).padStart(3)} s] ${text}\n`)
  const endsAt = options.effort === 'quick' ? start + QUICK_MS : Number.POSITIVE_INFINITY
  const remainingMs = () => Math.min(endsAt - performance.now(), 2 ** 31 - 1)
  await measureAll(options.sections, results, { ...options, progress, remainingMs })
  print(results)
  console.log(`measured in ${((performance.now() - start) / 1000).toFixed(0)} s`)
  if (options.effort === 'tiny') console.log('a tiny run proves the harness; its figures mean nothing')
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  if (options.charts) {
    const { drawCharts } = await import('../bench/chart.mjs')
    await drawCharts(results, new URL('docs/bench/', root))
  }
  if (options.curves && results.curves.length > 0) {
    const { drawCurves } = await import('../bench/chart.mjs')
    await drawCurves(results.curves, new URL('docs/bench/curves.svg', root))
  }
}

function readOptions() {
  let values
  try {
    values = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        tiny: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        facts: { type: 'string' },
        against: { type: 'string' },
        json: { type: 'string' },
        'no-charts': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    fail(`${error.message.split('. ')[0]} (see --help)`)
  }
  const only = values.only?.flatMap((names) => names.split(',')).map((name) => name.trim())
  const effort = values.tiny ? 'tiny' : values.quick ? 'quick' : 'full'
  const known = effort === 'tiny' ? TINY_SECTIONS : SECTIONS
  const unknown = only?.filter((name) => !known.includes(name)) ?? []
  if (unknown.length > 0) fail(`--only takes ${known.join(', ')}, not ${unknown.join(', ')}`)
  const sections = known.filter((name) => only === undefined || only.includes(name))
  const facts = values.facts?.split(',').map(Number)
  if (facts && (facts.length < 2 || facts.some((size, at) => !(size % 1000 === 0 && size > (facts[at - 1] ?? 0)))))
    fail('--facts takes two or more growing multiples of 1000, separated by commas')
  if (values.against !== undefined && !existsSync(`${values.against}/dist/src/index.js`))
    fail(`--against takes a folder with a built version: ${values.against} has no dist/src/index.js`)
  const against = values.against && resolve(values.against)
  const curves = effort !== 'tiny' && !values['no-charts']
  const charts = effort !== 'tiny' && only === undefined && !values['no-charts']
  return { help: values.help, json: values.json, effort, sections, facts, against, charts, curves }
}

/** `npm ci` on first use and whenever the lock file is another one than what was installed. */
function installPeers() {
  const lock = readFileSync(new URL('bench/package-lock.json', root), 'utf8')
  const stamp = new URL('bench/node_modules/.installed-lock.json', root)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  process.stderr.write('installing the peers into bench/node_modules (first use, some 75 MB) …\n')
  const folder = fileURLToPath(new URL('bench/', root))
  const npm = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) fail('the peers could not be installed (npm ci in bench/ failed)')
  writeFileSync(stamp, lock)
}

function fail(reason) {
  process.stderr.write(`bench: ${reason}\n`)
  process.exit(1)
}
