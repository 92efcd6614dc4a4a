// docs/limits.md, from src/model/limits: a section for each file with its opening comment, a row for each constant with
// the comment above it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as limits from '../../src/model/limits.ts'
import { ROOT } from '../tidy/source.ts'

const ABI = 'assembly/limits.ts'
const SECTIONS = [
  'policy',
  'request',
  'store',
  'feed',
  'decision',
  'access-diff',
  'access-review',
  'directory',
  'snapshot',
  'past',
  'decision-log',
  'process',
  'integration',
  'console',
  'migration',
  'plan',
  'revert',
  'import',
  'sync',
  'shadow',
].map((name) => `src/model/limits/${name}-limits.ts`)

interface Limit {
  readonly name: string
  readonly reason: string
}

const HEAD = `# Limits

Everything is bounded, and every bound stands in \`src/model/limits\` (those that the layout of an image sets, in \`assembly/limits.ts\`), with its reason.
To ask for another value, say which workload needs it.

<!-- Generated from the code: ZEROHOP_WRITE_DOCS=1 npx vitest run test/docs.test.ts -->
`

/** Every limit that the files document, whatever it is worth. */
export const documentedLimits = (): Limit[] => SECTIONS.flatMap(listLimits)

/** The whole page. */
export function limitsPage(): string {
  return `${HEAD}${SECTIONS.map(formatSection).join('')}`
}

function formatSection(path: string): string {
  const [, title = '', about = ''] =
    /^(.+?)\. (.+)$/s.exec(commentText(/^(\/\/.*\n)+/.exec(read(path))?.[0] ?? '')) ?? []
  const rows = listLimits(path).map(({ name, reason }) => `| \`${name}\` | ${shownValue(name)} | ${reason} |`)
  return `\n## ${title}\n\n${about}\n\n| limit | value | what it bounds, and why there |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** The constants of a file in its order, and before them those that it exports again. */
function listLimits(path: string): Limit[] {
  const again: readonly string[] =
    /^export \{([^}]+)\} from '[./]+\/assembly\/limits\.ts'/m.exec(read(path))?.[1]?.match(/\w+/g) ?? []
  const ofLayout = commented(read(ABI)).filter(({ name }) => again.includes(name))
  return [...ofLayout, ...commented(read(path))]
}

function commented(code: string): Limit[] {
  return [...code.matchAll(/^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export const (\w+) = /gm)].map(
    ([, comment = '', name = '']) => ({ name, reason: commentText(comment) }),
  )
}

/** The words of a comment, without what marks it and its lines. */
const commentText = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\/|\*)?\s*/, '').trim())
    .join(' ')
    .trim()

function shownValue(name: string): string {
  const value = (limits as Readonly<Record<string, number>>)[name]
  if (value === undefined) throw new Error(`src/model/limits.ts does not export ${name}`)
  const number = value.toLocaleString('en')
  if (name.endsWith('_MS') || name.includes('_MS_')) return `${number} ms`
  if (!name.includes('BYTES')) return number
  const units = ['KiB', 'MiB', 'GiB', 'TiB'].map((unit, at) => ({ unit, size: 1024 ** (at + 1) }))
  const largest = units.findLast(({ size }) => value % size === 0)
  return `${number} bytes${largest === undefined ? '' : ` (${(value / largest.size).toLocaleString('en')} ${largest.unit})`}`
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
