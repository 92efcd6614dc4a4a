// Reads `model.conf` as casbin does: sections, one definition on each line, `#` and `;` for comments, `\` at the end of a
// line that goes on. Says what is wrong with line numbers, where casbin often reads on in silence.
import type { Problem, Source } from '../../management/policy-file/problem.ts'

/** A definition, such as `m = r.sub == p.sub`. */
export interface Definition {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** Names of the sections, by the letter that their definitions begin with. */
const SECTIONS = {
  r: 'request_definition',
  p: 'policy_definition',
  g: 'role_definition',
  e: 'policy_effect',
  m: 'matchers',
} as const
type Letter = keyof typeof SECTIONS

export interface ModelFile {
  readonly source: Source
  /** by section; first the plain one (`r`), then `r2`, `r3` … as far as casbin reads them */
  readonly definitions: { readonly [L in Letter]: readonly Definition[] }
  /** those that casbin does not read */
  readonly unread: readonly Definition[]
}

/** The definitions, and everything that is wrong with the file. */
export function readModel(source: Source): { readonly model: ModelFile; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const report = (line: number, message: string): void => {
    problems.push({ severity: 'error', message, place: { file: source.name, line, column: 1, length: 1 } })
  }
  const sections = readSections(source.text, report)
  const unread: Definition[] = []
  const definitions = {} as { [L in Letter]: readonly Definition[] }
  for (const letter of Object.keys(SECTIONS) as Letter[]) {
    const found = sections.get(SECTIONS[letter]) ?? []
    const read = readInOrder(letter, found)
    definitions[letter] = read
    unread.push(...found.filter((each) => !read.includes(each)))
    if (letter !== 'g' && read.length === 0)
      report(1, `the section [${SECTIONS[letter]}] with a definition \`${letter} = …\` is missing`)
  }
  for (const name of sections.keys())
    if (!Object.values(SECTIONS).includes(name as never)) unread.push(...(sections.get(name) ?? []))
  return { model: { source, definitions, unread }, problems }
}

/** `m`, `m2`, `m3` … up to the first that is missing; of two with one name the last. */
function readInOrder(letter: string, found: readonly Definition[]): Definition[] {
  const read: Definition[] = []
  for (let at = 1; ; at++) {
    const key = at === 1 ? letter : `${letter}${at}`
    const definition = found.findLast((each) => each.key === key && each.value !== '')
    if (definition === undefined) return read
    read.push(definition)
  }
}

function readSections(text: string, report: (line: number, message: string) => void): Map<string, Definition[]> {
  const sections = new Map<string, Definition[]>()
  let section: string | undefined
  let open: { text: string; line: number } | undefined
  const lines = text.replace(/^\ufeff/, '').split('\n')
  for (const [at, whole] of lines.entries()) {
    const line = whole.replace(/[#;].*$/s, '').trim()
    if (line === '') continue
    if (/^\[.*\]$/.test(line)) {
      section = line.slice(1, -1)
      if (sections.has(section)) report(at + 1, `the section [${section}] stands here a second time`)
      else sections.set(section, [])
      open = undefined
      continue
    }
    const goesOn = line.endsWith('\\') && at + 1 < lines.length
    open = { text: (open?.text ?? '') + (goesOn ? line.slice(0, -1).trim() : line), line: open?.line ?? at + 1 }
    if (goesOn) continue
    const [key, value] = splitOnce(open.text)
    if (value === undefined)
      report(open.line, 'a line is neither a section nor a definition such as `r = sub, obj, act`')
    else if (section === undefined) report(open.line, 'a definition stands before the first section')
    else sections.get(section)?.push({ key, value, line: open.line })
    open = undefined
  }
  return sections
}

function splitOnce(text: string): readonly [key: string, value?: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
