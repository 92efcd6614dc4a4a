// Phrases in documents, and how many of them each document still has. Counts only go down: test/wording/documents.json
// holds the most for each file, and a file that is not in it has none.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tidy/source.ts'
import { EVERYWHERE, IN_DOCS } from './phrases.ts'

const LIMITS = join(ROOT, 'test/wording/documents.json')

type Counts = Readonly<Record<string, number>>

/** A phrase in a document. */
export interface FoundPhrase {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly instead: string
}

/** README.md and the documents directly in docs. Decision records are not edited after they are accepted. */
export function findInDocuments(): FoundPhrase[] {
  const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  const paths = ['README.md', ...names.sort().map((name) => `docs/${name}`)]
  return paths.flatMap((path) => findInDocument(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** The phrases in the prose of a document: code, blocks of code and the targets of links are left out. */
export function findInDocument(path: string, markdown: string): FoundPhrase[] {
  let isCode = false
  return markdown.split('\n').flatMap((line, at) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    if (isFence || isCode) return []
    const prose = line.replace(/(`+).*?\1/g, '`…`').replace(/\]\([^)]*\)/g, ']')
    return [...EVERYWHERE, ...IN_DOCS].flatMap(({ phrase, instead }) => {
      const all = prose.match(new RegExp(phrase, `${phrase.flags}g`)) ?? []
      return all.map((text) => ({ path, line: at + 1, text, instead }))
    })
  })
}

function countByPath(found: readonly FoundPhrase[]): Counts {
  const counts: Record<string, number> = {}
  for (const { path } of found) counts[path] = (counts[path] ?? 0) + 1
  return counts
}

/** What is in a document with more phrases than it may have. */
export function findTooMany(found: readonly FoundPhrase[], limits: Counts): string[] {
  const counts = countByPath(found)
  return found
    .filter(({ path }) => counts[path]! > (limits[path] ?? 0))
    .map(({ path, line, text, instead }) => {
      return `${path}:${line}  "${text}": write ${instead} (${counts[path]} in this file, at most ${limits[path] ?? 0})`
    })
}

export const readLimits = (): Counts => JSON.parse(readFileSync(LIMITS, 'utf8')) as Counts

/** Writes limits that are not above those before. */
export function lowerLimits(found: readonly FoundPhrase[], limits: Counts): void {
  const lower = Object.entries(countByPath(found)).map(([path, count]) => [path, Math.min(count, limits[path] ?? 0)])
  const kept = Object.fromEntries(lower.filter(([, count]) => count !== 0))
  writeFileSync(LIMITS, `${JSON.stringify(kept, null, 2)}\n`)
}
