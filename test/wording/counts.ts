// Phrases that there may be fewer of, never more: a file of limits holds the most for each path, and a path that is not
// in it has none.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tidy/source.ts'

export interface FoundPhrase {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly instead: string
}

type Counts = Readonly<Record<string, number>>

function countByPath(found: readonly FoundPhrase[]): Counts {
  const counts: Record<string, number> = {}
  for (const { path } of found) counts[path] = (counts[path] ?? 0) + 1
  return counts
}

/** What is in a file with more phrases than it may have. */
export function findTooMany(found: readonly FoundPhrase[], limits: Counts): FoundPhrase[] {
  const counts = countByPath(found)
  const isTooMany = ({ path }: FoundPhrase): boolean => counts[path]! > (limits[path] ?? 0)
  return found.filter(isTooMany).map((phrase) => {
    const most = `${counts[phrase.path]} in this file, at most ${limits[phrase.path] ?? 0}`
    return { ...phrase, instead: `"${phrase.text}": write ${phrase.instead} (${most})` }
  })
}

export const format = ({ path, line, instead }: FoundPhrase): string => `${path}:${line}  ${instead}`

/** @param file path of the limits from the root of the repository */
export const readLimits = (file: string): Counts => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Counts

/** Writes limits that are not above those before. */
export function lowerLimits(file: string, found: readonly FoundPhrase[]): void {
  const limits = readLimits(file)
  const lower = Object.entries(countByPath(found)).map(([path, count]) => [path, Math.min(count, limits[path] ?? 0)])
  const kept = Object.fromEntries(lower.filter(([, count]) => count !== 0))
  writeFileSync(join(ROOT, file), `${JSON.stringify(kept, null, 2)}\n`)
}
