// docs/runtimes.md: what the last run with --record saw. The text around the table stands here, so that the page has one
// author.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const ABOUT = `# Bundlers and runtimes

\`npm run test:runtimes -- --record\` writes this page. It packs the package, installs it beside the bundlers and runtimes below, and has each run one program that follows an
environment: a check, then changes over the [feed](feed.md), one commit each, then a change of more objects than one turn of the event loop applies. After each step the program must
answer what was written. Bundlers and Next run in their default configuration for a server. The last line is [examples/next](../examples/next), without its
\`next.config.mjs\`, built, started and clicked through.

A bundle moves the code away from the files of its worker threads. \`connect\` says so at the start (the event \`no worker thread\`, \`PACKAGE_FILE_MISSING\`) and applies large changes
in many turns; webpack writes the place of the package into the bundle, so there it is said where the bundle runs without the package at that place. \`open\` of \`zerohop/embedded\` refuses. Leave \`zerohop\` out of the bundle to have the threads: \`--external:zerohop\` of esbuild, \`external\` of Rollup and webpack
(\`externals\`), \`ssr.external\` of Vite, \`serverExternalPackages: ['zerohop']\` of Next.

| what | version | changes over the feed | file of the worker thread | result |
|---|---|---|---|---|
`

const PAGE = 'docs/runtimes.md'

/** Replaces the rows of what was run now; those of a run of other programs stay, in the order of `names`. */
export function writePage(rows, names) {
  const written = rows.map(
    ({ name, version = '', changes = '', thread = '', result }) =>
      `| ${name} | ${version} | ${changes === '' ? '' : changes.toLocaleString('en')} | ${thread} | ${result.split('\n')[0]} |\n`,
  )
  const of = new Map([...readRows(PAGE), ...written].map((line) => [line.split(' | ')[0].slice(2), line]))
  const lines = names.filter((name) => of.has(name)).map((name) => of.get(name))
  const day = new Date().toISOString().slice(0, 10)
  const where = `Node.js ${process.versions.node}, ${process.platform} ${process.arch}, ${day}.\n`
  writeFileSync(PAGE, `${ABOUT}${lines.join('')}\n${where}`)
  console.log(`written: ${PAGE}`)
}

/** The rows that the page has now. */
function readRows(page) {
  const lines = existsSync(page) ? readFileSync(page, 'utf8').split('\n') : []
  return lines
    .slice(lines.findIndex((line) => line.startsWith('|---')) + 1)
    .flatMap((line) => (line.startsWith('| ') ? [`${line}\n`] : []))
}
