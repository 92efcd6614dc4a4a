// What is left of the grants under the effect of the model. Zerohop has no rule that denies, so what a rule of casbin
// denies is not given: where a rule could deny a part of what another one allows, the other one is left out.
import type { Problem } from '../../management/policy-file/problem.ts'
import { ZerohopError } from '../../model/errors.ts'
import { IMPORTED_PAIRS_MAX } from '../../model/limits.ts'
import type { Finding } from '../frame/importer.ts'
import { at, type CasbinFiles } from './casbin-files.ts'
import { formatRule, type Grant, type Granted } from './grants.ts'
import type { PolicyLine } from './policy-lines.ts'
import { overlaps } from './ranges.ts'

const ALLOW = 'some(where (p_eft == allow))'
const DENY = '!some(where (p_eft == deny))'
const ALLOW_AND_DENY = `${ALLOW} && ${DENY}`
const PRIORITIES = ['priority(p_eft) || deny', 'subjectPriority(p_eft) || deny']

export interface Allowed {
  readonly grants: readonly Grant[]
  readonly findings: readonly Finding[]
  readonly problems: readonly Problem[]
}

const NEAREST =
  'give the role only to those whom no rule denies, or say the exception as a condition of a set rule (docs/conditions.md)'

/** @throws LIMIT_EXCEEDED */
export function applyEffect(files: CasbinFiles, granted: Granted): Allowed {
  const { line = 1, value = '' } = files.model.definitions.e[0] ?? {}
  const place = { file: files.model.source.name, line }
  const effect = value.replaceAll('p.eft', 'p_eft')
  const allows = granted.grants.filter(({ denies }) => !denies)
  const denies = granted.grants.filter((each) => each.denies)
  if (effect === ALLOW) {
    const findings = listRules(denies).map((rule) =>
      note(rule, 'the effect of the model looks at allow alone, so it gives nothing'),
    )
    return { grants: allows, findings, problems: [] }
  }
  if (effect === DENY) {
    const reason = 'it allows everything that no rule denies, also to those whom no rule names'
    return {
      grants: [],
      findings: [{ kind: 'unsaid', ...place, what: value, reason, nearest: 'name what is allowed' }],
      problems: [],
    }
  }
  if (effect !== ALLOW_AND_DENY && !PRIORITIES.includes(effect))
    return { grants: [], findings: [], problems: [at(place, `casbin has no effect \`${value}\``)] }
  if (denies.length === 0) return { grants: allows, findings: [], problems: [] }
  if (granted.isPartial || files.patterns.length > 0) {
    const reason =
      'rules deny, and by what has no equal in the matcher or in the links they may deny anything: nothing is converted'
    return { grants: [], findings: [{ kind: 'unsaid', ...place, what: value, reason, nearest: NEAREST }], problems: [] }
  }
  return leaveOut(files, granted, allows, denies)
}

function leaveOut(files: CasbinFiles, granted: Granted, allows: readonly Grant[], denies: readonly Grant[]): Allowed {
  if (allows.length * denies.length > IMPORTED_PAIRS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'pairs of rules that allow and deny', limit: IMPORTED_PAIRS_MAX })
  const findings: Finding[] = []
  const subjects = new Subjects(files, granted)
  const denied = new Map<PolicyLine | undefined, PolicyLine | undefined>()
  const denying = new Set<PolicyLine | undefined>()
  const grants = allows.filter((allow) => {
    const against = denies.filter((deny) => isDenied(allow, deny, subjects))
    for (const { rule } of against) denying.add(rule)
    if (against.length > 0 && !denied.has(allow.rule)) denied.set(allow.rule, against[0]?.rule)
    return against.length === 0
  })
  for (const [rule, by] of denied) {
    if (rule === undefined) continue
    const reason = `\`${by === undefined ? '' : formatRule(by)}\` (line ${by?.line}) denies a part of it, and Zerohop has no rule that denies`
    findings.push({ kind: 'unsaid', ...findPlace(rule), what: formatRule(rule), reason, nearest: NEAREST })
  }
  for (const rule of listRules(denies))
    if (!denying.has(rule)) findings.push(note(rule, 'no rule allows what it denies'))
  return { grants, findings, problems: [] }
}

function isDenied(allow: Grant, deny: Grant, subjects: Subjects): boolean {
  return (
    allow.domain === deny.domain &&
    overlaps(allow.object, deny.object) &&
    allow.actions.some((action) => deny.actions.includes(action)) &&
    subjects.meet(allow, deny)
  )
}

/** Whom grants are for, the roles themselves among them; undefined for anyone. */
class Subjects {
  readonly #known = new Map<string, ReadonlySet<string> | undefined>()
  constructor(
    readonly files: CasbinFiles,
    readonly granted: Granted,
  ) {}

  get #links() {
    return this.granted.roles === undefined ? undefined : this.files.links.get(this.granted.roles)
  }

  meet(allow: Grant, deny: Grant): boolean {
    const [one, other] = [this.#list(allow), this.#list(deny)]
    if (one === undefined || other === undefined) return true
    const [few, many] = one.size < other.size ? [one, other] : [other, one]
    for (const name of few) if (many.has(name)) return true
    return false
  }

  #list({ subject, domain }: Grant): ReadonlySet<string> | undefined {
    if (subject.kind === 'anyone') return undefined
    if (subject.kind === 'name') return new Set([subject.name])
    const key = JSON.stringify([subject.name, domain])
    if (!this.#known.has(key))
      this.#known.set(key, new Set(this.#links?.listLinkedTo(subject.name, domain).keys() ?? [subject.name]))
    return this.#known.get(key)
  }
}

const listRules = (grants: readonly Grant[]): readonly PolicyLine[] => [
  ...new Set(grants.flatMap(({ rule }) => rule ?? [])),
]

const findPlace = ({ file, line }: PolicyLine) => ({ file, line })

const note = (rule: PolicyLine, reason: string): Finding => ({
  ...{ kind: 'note', ...findPlace(rule), what: formatRule(rule), reason },
  nearest: 'nothing is to be done',
})
