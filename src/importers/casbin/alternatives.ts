// The alternatives of a matcher, with what each part of a request must be. An alternative with a term that has no equal is
// left out, which gives less, and is a finding.
import type { Problem } from '../../management/policy-file/problem.ts'
import type { Finding } from '../frame/importer.ts'
import { at, type CasbinFiles } from './casbin-files.ts'
import { readMatcher, type Term } from './matcher.ts'
import { ACTION_FUNCTIONS, OBJECT_FUNCTIONS } from './ranges.ts'

/** Which part of a request is what; undefined where requests have none. */
export interface Parts {
  readonly subject?: string
  readonly domain?: string
  readonly object?: string
  readonly action?: string
}
export type Part = keyof Parts

const WORDS: { readonly [P in Part]: readonly string[] } = {
  subject: ['sub', 'subject', 'user'],
  domain: ['dom', 'domain', 'tenant'],
  object: ['obj', 'object', 'res', 'resource', 'thing'],
  action: ['act', 'action', 'method'],
}

/** What each part of a request is, by its name; undefined when a name is unknown. */
export function findParts(request: readonly string[]): Parts | undefined {
  const parts: { -readonly [P in Part]?: string } = {}
  for (const name of request) {
    const part = (Object.keys(WORDS) as Part[]).find((each) => WORDS[each].includes(name))
    if (part === undefined || parts[part] !== undefined) return undefined
    parts[part] = name
  }
  return parts
}

/** Where requests have no action. */
export const ONLY_ACTION = 'access'

/** What a part of the request is compared with. */
export type Comparison = Term & { form: 'equal' | 'call' }

export type Alternative = { readonly [P in Part]?: Comparison } & {
  readonly filters: readonly (Term & { form: 'filter' })[]
  readonly text: string
}

export interface Alternatives {
  readonly all: readonly Alternative[]
  readonly findings: readonly Finding[]
  readonly problems: readonly Problem[]
  /** the role definition of subjects; undefined without one */
  readonly roles: string | undefined
  /** objects are compared by more than their name */
  readonly hasRanges: boolean
}

const NEAREST = 'say it as a condition set and a set rule (docs/conditions.md), or as a role'

/** The alternatives of the first matcher that can be said. */
export function readAlternatives(files: CasbinFiles, parts: Parts): Alternatives {
  const { value, line } = files.model.definitions.m[0] ?? { value: '', line: 1 }
  const place = { file: files.model.source.name, line }
  const read = readMatcher(value)
  const reader = new AlternativeReader(files, parts)
  if (typeof read === 'string')
    return { all: [], findings: [], problems: [at(place, read)], roles: undefined, hasRanges: false }
  const findings: Finding[] = []
  const all = read.flatMap((terms) => {
    const text = terms.map((term) => term.text).join(' && ')
    const understood = reader.understand(terms, text)
    if (typeof understood !== 'string') return [understood]
    findings.push({ kind: 'unsaid', ...place, what: text, reason: understood, nearest: NEAREST })
    return []
  })
  return { all, findings, problems: [], roles: reader.roles, hasRanges: reader.hasRanges }
}

class AlternativeReader {
  roles: string | undefined
  hasRanges = false

  constructor(
    readonly files: CasbinFiles,
    readonly parts: Parts,
  ) {}

  /** What each part must be, or why it cannot be said. */
  understand(terms: readonly Term[], text: string): Alternative | string {
    const alternative: { -readonly [P in Part]?: Comparison } = {}
    const filters: (Term & { form: 'filter' })[] = []
    for (const term of terms) {
      if (term.form === 'other') return `\`${term.text}\` has no equal`
      if (term.form === 'filter') {
        if (!this.files.columns.includes(term.column)) return `the model has no column \`p.${term.column}\``
        filters.push(term)
        continue
      }
      const part = (Object.keys(this.parts) as Part[]).find((each) => this.parts[each] === term.request)
      if (part === undefined) return `requests have no \`r.${term.request}\``
      if ('column' in term.with && !this.files.columns.includes(term.with.column))
        return `the model has no column \`p.${term.with.column}\``
      if (alternative[part] !== undefined && alternative[part].text !== term.text)
        return `\`r.${term.request}\` is compared twice`
      const why = term.form === 'call' ? this.#refuseCall(term, part) : undefined
      if (why !== undefined) return why
      alternative[part] = term
    }
    return { ...alternative, filters, text }
  }

  /** Why a function cannot be said here; undefined when it can. */
  #refuseCall({ name, domain, text }: Term & { form: 'call' }, part: Part): string | undefined {
    const links = this.files.links.get(name)
    if (links === undefined) {
      const known: readonly string[] = part === 'object' ? OBJECT_FUNCTIONS : part === 'action' ? ACTION_FUNCTIONS : []
      if (!known.includes(name) || domain !== undefined) return `\`${text}\` has no equal`
      if (part === 'object') this.hasRanges = true
      return undefined
    }
    if ((domain !== undefined) !== links.hasDomains)
      return `\`${text}\` has another number of arguments than \`${name}\` in [role_definition]`
    if (domain !== undefined && domain !== this.parts.domain)
      return `\`${text}\` takes another domain than that of the request`
    if (domain !== undefined && (part === 'domain' || part === 'action'))
      return `\`${text}\` links ${part}s within a domain`
    if (part === 'object') this.hasRanges = true
    if (part !== 'subject') return undefined
    if (this.roles !== undefined && this.roles !== name) return `subjects have roles by \`${this.roles}\` already`
    this.roles = name
    return undefined
  }
}
