// Canaries: defects that a test plants in a copy of the sources, to show that it can fail. Such a place is named by a
// comment in the source, `/* canary: a-tag */`, and not by its text: when the code around it changes, the canary stays.
// What a canary replaces is the outermost node that begins behind its tag; everything else stays as it is written.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** What stands in place of the node behind each tag; a function is given the text of that node. */
export type Canary = Readonly<Record<string, string | ((code: string) => string)>>

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export const ROOT = join(import.meta.dirname, '../..')
/** Where tags may stand. */
const FOLDERS = ['src', 'assembly']
const TAG = /\/\* canary: ([a-z][a-z-]*) \*\/\s*/g

/** The tags of a source, each as often as it stands there. */
export const tagsIn = (source: string): string[] => [...source.matchAll(TAG)].map(([, tag]) => tag!)

/** Paths from the root of the repository of the sources that have tags, with their text. */
export function taggedSources(): Map<string, string> {
  const tagged = new Map<string, string>()
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const source = readFileSync(join(ROOT, folder, name), 'utf8')
      if (tagsIn(source).length > 0) tagged.set(`${folder}/${name.replaceAll('\\', '/')}`, source)
    }
  }
  return tagged
}

/**
 * The sources that are different with a canary, by their paths from the root of the repository.
 * @throws when a tag is not there exactly once, or the replacement is not TypeScript
 */
export function plantedSources(canary: Canary, tagged = taggedSources()): Map<string, string> {
  const planted = new Map<string, string>()
  for (const [tag, replacement] of Object.entries(canary)) {
    const [path, ...more] = [...tagged.keys()].filter((each) => tagsIn(tagged.get(each)!).includes(tag))
    if (path === undefined || more.length > 0)
      throw new Error(path === undefined ? `no source has the tag ${tag}` : `more than one source has the tag ${tag}`)
    planted.set(path, plant(planted.get(path) ?? tagged.get(path)!, { [tag]: replacement }))
  }
  return planted
}

/** The source with a canary. @throws as plantedSources */
export function plant(source: string, canary: Canary): string {
  let text = source
  for (const [tag, replacement] of Object.entries(canary)) {
    const [place, ...more] = [...text.matchAll(TAG)].filter(([, each]) => each === tag)
    if (place === undefined || more.length > 0) throw new Error(`the tag ${tag} is not there exactly once`)
    const start = place.index + place[0].length
    const node = outermostAt(start, parseAst(text, { lang: 'ts' }).body)
    if (node === undefined) throw new Error(`nothing begins behind the tag ${tag}`)
    const code = text.slice(start, node.end)
    const written = typeof replacement === 'string' ? replacement : replacement(code)
    text = text.slice(0, start) + written + text.slice(node.end)
  }
  parseAst(text, { lang: 'ts' })
  return text
}

/** The outermost node below `value` that begins at `start`. */
function outermostAt(start: number, value: unknown): Node | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isNode(value)) {
    if (value.start === start) return value
    if (start < value.start || start >= value.end) return undefined
  }
  for (const inner of Object.values(value)) {
    const found = outermostAt(start, inner)
    if (found !== undefined) return found
  }
  return undefined
}

const isNode = (value: object): value is Node => 'type' in value && 'start' in value && 'end' in value
