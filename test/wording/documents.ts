// Phrases in documents.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tidy/source.ts'
import type { FoundPhrase } from './counts.ts'
import { EVERYWHERE, IN_DOCS } from './phrases.ts'

/** The limits of documents (counts.ts). */
export const LIMITS = 'test/wording/documents.json'

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
