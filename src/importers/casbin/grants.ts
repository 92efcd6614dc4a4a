// What the matcher and the rules of casbin give: grants, each with who may do what where. A part that has no
// equal becomes a finding and gives nothing. Rules that deny are grants of their own; effects.ts takes from the others
// what they could deny.
import type { Problem } from '../../management/policy-file/problem.ts'
import { ZerohopError } from '../../model/errors.ts'
import { IMPORTED_GRANTS_MAX } from '../../model/limits.ts'
import type { Finding } from '../frame/importer.ts'
import {
  type Alternative,
  type Comparison,
  ONLY_ACTION,
  type Part,
  type Parts,
  readAlternatives,
} from './alternatives.ts'
import { type CasbinFiles, requireName } from './casbin-files.ts'
import type { Links } from './links.ts'
import type { Term, Value } from './matcher.ts'
import type { PolicyLine } from './policy-lines.ts'
import { type ActionPattern, type Range, toActionPattern, toRange } from './ranges.ts'

export interface Grant {
  readonly subject: { readonly kind: 'anyone' } | { readonly kind: 'name' | 'group'; readonly name: string }
  /** undefined where requests have none */
  readonly domain: string | undefined
  readonly object: Range
  readonly actions: readonly string[]
  /** undefined for what the matcher gives without a rule */
  readonly rule: PolicyLine | undefined
  readonly denies: boolean
}

export interface Granted {
  readonly grants: readonly Grant[]
  readonly findings: readonly Finding[]
  readonly problems: readonly Problem[]
  readonly parts: Parts
  /** the role definition of subjects; undefined without one */
  readonly roles: string | undefined
  readonly actions: readonly string[]
  readonly domains: readonly string[]
  /** objects are compared by more than their name: they are instances, and not types */
  readonly hasRanges: boolean
  /** a part of the matcher was left out: what it would deny is not known */
  readonly isPartial: boolean
}

export interface GrantOptions {
  /** only the actions that rules name are ever asked about */
  readonly closedActions: boolean
}

/** Reads the grants of the first matcher. @throws LIMIT_EXCEEDED */
export function readGrants(files: CasbinFiles, parts: Parts, options: GrantOptions): Granted {
  return new GrantReader(files, parts, options).read()
}

class GrantReader {
  readonly #findings: Finding[] = []
  readonly #found = new Set<string>()
  readonly #problems: Problem[] = []
  readonly #grants: Grant[] = []
  readonly #domains = new Set<string>()
  readonly #actions = new Set<string>()
  #hasRanges = false

  constructor(
    readonly files: CasbinFiles,
    readonly parts: Parts,
    readonly options: GrantOptions,
  ) {}

  read(): Granted {
    const { all: alternatives, findings, problems, roles, hasRanges } = readAlternatives(this.files, this.parts)
    for (const finding of findings) this.#find(finding)
    this.#problems.push(...problems)
    this.#hasRanges = hasRanges
    this.#collectDomains(alternatives)
    for (const each of alternatives) for (const rule of this.#listRules(each)) this.#collectActions(each, rule)
    if (this.parts.action === undefined) this.#actions.add(ONLY_ACTION)
    for (const each of alternatives) this.#grant(each)
    return {
      grants: this.#grants,
      findings: this.#findings,
      problems: this.#problems,
      parts: this.parts,
      roles,
      actions: [...this.#actions],
      domains: [...this.#domains],
      hasRanges: this.#hasRanges,
      isPartial: findings.length > 0,
    }
  }

  get #matcher() {
    return this.files.model.definitions.m[0] ?? { key: 'm', value: '', line: 1 }
  }

  /** Of what the matcher gives without a rule. */
  get #place() {
    return { file: this.files.model.source.name, line: this.#matcher.line }
  }

  /** The rules that an alternative is asked about; one that reads no column is true with each. */
  #listRules(alternative: Alternative): readonly (PolicyLine | undefined)[] {
    const { rules, columns } = this.files
    if (!/\bp\./.test(this.#matcher.value)) return [undefined]
    if (rules.length === 0) return this.#readsRules(alternative) ? [] : [undefined]
    return rules.filter((rule) =>
      alternative.filters.every(({ column, value }) => rule.values[columns.indexOf(column)] === value),
    )
  }

  #readsRules(alternative: Alternative): boolean {
    const terms = (Object.keys(this.parts) as Part[]).flatMap((part) => alternative[part] ?? [])
    return alternative.filters.length > 0 || terms.some((term) => 'column' in term.with)
  }

  #value(value: Value, rule: PolicyLine | undefined): string {
    return 'text' in value ? value.text : (rule?.values[this.files.columns.indexOf(value.column)] ?? '')
  }

  /** The value as a name; undefined for what the matcher compares a column with, such as `*`, and for what cannot be a name. */
  #name(alternative: Alternative, term: Comparison, rule: PolicyLine | undefined): string | undefined {
    const name = this.#value(term.with, rule)
    const { column } = { column: undefined, ...term.with }
    const isWildcard =
      this.#wildcards().has(`${column} ${name}`) && !alternative.filters.some((filter) => filter.column === column)
    return !isWildcard && requireName(name, rule ?? this.#place, this.#problems) ? name : undefined
  }

  /** Values that the matcher gives a meaning of their own: `p.act == "*"`. */
  #wildcards(): ReadonlySet<string> {
    this.#known ??= new Set(
      [...this.#matcher.value.matchAll(/\bp\.(\w+)\s*==\s*(?:"([^"]*)"|'([^']*)')/g)].map(
        ([, column, double, single]) => `${column} ${double ?? single}`,
      ),
    )
    return this.#known
  }
  #known: ReadonlySet<string> | undefined

  #collectDomains(alternatives: readonly Alternative[]): void {
    if (this.parts.domain === undefined) return
    for (const links of this.files.links.values())
      if (links.hasDomains) for (const { domain = '' } of links.all) if (domain !== '') this.#domains.add(domain)
    for (const each of alternatives) {
      const term = each.domain
      if (term === undefined) continue
      for (const rule of this.#listRules(each)) {
        const name = this.#name(each, term, rule)
        if (name !== undefined) this.#domains.add(name)
      }
      if (term.form === 'call')
        for (const { from, to } of this.#links(term).all) for (const name of [from, to]) this.#domains.add(name)
    }
  }

  #links({ name }: Term & { form: 'call' }): Links {
    const links = this.files.links.get(name)
    if (links === undefined) throw new ZerohopError('INTERNAL', {})
    return links
  }

  #collectActions(alternative: Alternative, rule: PolicyLine | undefined): void {
    const term = alternative.action
    if (term === undefined) {
      // the matcher does not compare it, but rules may name actions all the same
      const name = rule?.values[this.files.columns.indexOf(this.parts.action ?? '')] ?? ''
      const isWildcard = this.#wildcards().has(`${this.parts.action} ${name}`)
      if (name !== '' && !isWildcard && requireName(name, rule ?? this.#place, this.#problems)) this.#actions.add(name)
      return
    }
    const pattern = term.form === 'call' && !this.files.links.has(term.name)
    if (pattern) {
      for (const name of this.#pattern(term, rule)?.names ?? []) this.#actions.add(name)
      return
    }
    const name = this.#name(alternative, term, rule)
    if (name === undefined) return
    this.#actions.add(name)
    if (term.form === 'call')
      for (const linked of this.#links(term).listLinkedTo(name, undefined).keys()) this.#actions.add(linked)
  }

  #pattern(term: Term & { form: 'call' }, rule: PolicyLine | undefined): ActionPattern | undefined {
    return toActionPattern(term.name, this.#value(term.with, rule))
  }

  #grant(alternative: Alternative): void {
    const isSame = !this.#readsRules(alternative)
    const done = new Set<boolean>()
    for (const rule of this.#listRules(alternative)) {
      const eft = rule?.values[this.files.columns.indexOf('eft')] ?? ''
      if (!['', 'allow', 'deny'].includes(eft)) {
        if (rule !== undefined) this.#note(rule, `the effect \`${eft}\` is neither allow nor deny, and gives nothing`)
        continue
      }
      const denies = eft === 'deny'
      if (isSame && done.has(denies)) continue // true with each rule: once is enough
      done.add(denies)
      this.#grantRule(alternative, rule, denies)
    }
  }

  #grantRule(alternative: Alternative, rule: PolicyLine | undefined, denies: boolean): void {
    const object = this.#objectRange(alternative, rule, denies)
    const actions = this.#actionNames(alternative, rule, denies)
    if (object === undefined || actions === undefined) return
    for (const domain of this.#domainNames(alternative, rule, denies)) {
      const subject = this.#subject(alternative, rule)
      if (subject === undefined) continue
      const there = typeof object === 'function' ? object(domain) : object
      this.#grants.push({ subject, domain, object: there, actions, rule, denies })
      if (this.#grants.length > IMPORTED_GRANTS_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', { what: 'what the rules give', limit: IMPORTED_GRANTS_MAX })
    }
  }

  #subject(alternative: Alternative, rule: PolicyLine | undefined): Grant['subject'] | undefined {
    const term = alternative.subject
    if (term === undefined) return { kind: 'anyone' }
    const name = this.#name(alternative, term, rule)
    return name === undefined ? undefined : { kind: term.form === 'call' ? 'group' : 'name', name }
  }

  #domainNames(
    alternative: Alternative,
    rule: PolicyLine | undefined,
    denies: boolean,
  ): readonly (string | undefined)[] {
    if (this.parts.domain === undefined) return [undefined]
    const term = alternative.domain
    if (term === undefined) {
      if (!denies)
        this.#open(
          undefined,
          alternative.text,
          'domains that no rule names',
          'give the roles in each tenant when it is created',
        )
      return [...this.#domains]
    }
    const name = this.#name(alternative, term, rule)
    if (name === undefined) return []
    return term.form === 'call' ? [...this.#links(term).listLinkedTo(name, undefined).keys()] : [name]
  }

  #objectRange(
    alternative: Alternative,
    rule: PolicyLine | undefined,
    denies: boolean,
  ): Range | ((domain: string | undefined) => Range) | undefined {
    if (this.parts.object === undefined) return { kind: 'any' }
    const term = alternative.object
    if (term === undefined) {
      this.#hasRanges = true
      return { kind: 'any' }
    }
    if (term.form === 'call' && !this.files.links.has(term.name)) {
      const pattern = this.#value(term.with, rule)
      const range = toRange(term.name, pattern)
      if (range !== undefined) return range
      if (denies) return { kind: 'any' }
      if (rule !== undefined)
        this.#unsaidRule(
          rule,
          `\`${term.name}\` with \`${pattern}\` has no equal`,
          'a resource set with conditions on `resource.key` (docs/conditions.md), or a resource type for these objects',
        )
      return undefined
    }
    const name = this.#name(alternative, term, rule)
    if (name === undefined) return undefined
    if (term.form === 'equal') return { kind: 'names', names: [name], label: name }
    const links = this.#links(term)
    return (domain) => ({ kind: 'names', names: [...links.listLinkedTo(name, domain).keys()], label: name })
  }

  #actionNames(alternative: Alternative, rule: PolicyLine | undefined, denies: boolean): readonly string[] | undefined {
    const all = [...this.#actions]
    const term = alternative.action
    if (term === undefined) {
      if (this.parts.action !== undefined && !denies)
        this.#open(
          undefined,
          alternative.text,
          'actions that no rule names',
          '--closed-actions says that only these are asked about',
        )
      return all
    }
    if (term.form === 'call' && !this.files.links.has(term.name)) {
      const found = this.#pattern(term, rule)
      if (found === undefined) {
        if (denies) return all
        if (rule !== undefined)
          this.#unsaidRule(
            rule,
            `\`${term.name}\` with \`${this.#value(term.with, rule)}\` is not a list of names`,
            'name the actions of the role',
          )
        return undefined
      }
      if (found.isOpen && !denies)
        this.#open(
          rule,
          this.#value(term.with, rule),
          'other actions that match',
          '--closed-actions says that only those which rules name are asked about',
        )
      return all.filter(found.finds)
    }
    const name = this.#name(alternative, term, rule)
    if (name === undefined) return undefined
    return term.form === 'call' ? [...this.#links(term).listLinkedTo(name, undefined).keys()] : [name]
  }

  /** What casbin also allows for names that stand in no file. */
  #open(rule: PolicyLine | undefined, what: string, which: string, nearest: string): void {
    const { file, line } = rule ?? this.#place
    const isNote = this.options.closedActions && which.includes('actions')
    const reason = isNote ? `${which} are taken never to be asked about` : `casbin also allows ${which}`
    this.#find({ kind: isNote ? 'note' : 'unsaid', file, line, what, reason, nearest })
  }

  #unsaidRule(rule: PolicyLine, reason: string, nearest: string): void {
    this.#unsaid(rule.file, rule.line, formatRule(rule), reason, nearest)
  }

  #unsaid(file: string, line: number, what: string, reason: string, nearest: string): void {
    this.#find({ kind: 'unsaid', file, line, what, reason, nearest })
  }

  #note(rule: PolicyLine, reason: string): void {
    this.#find({
      kind: 'note',
      file: rule.file,
      line: rule.line,
      what: formatRule(rule),
      reason,
      nearest: 'nothing is to be done',
    })
  }

  #find(finding: Finding): void {
    const key = JSON.stringify([finding.file, finding.line, finding.reason])
    if (this.#found.has(key)) return
    this.#found.add(key)
    this.#findings.push(finding)
  }
}

export const formatRule = ({ type, values }: PolicyLine): string => [type, ...values].join(', ')
