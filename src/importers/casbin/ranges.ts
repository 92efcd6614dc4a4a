// What a value of a rule stands for: one name, all names with a beginning, or any name. Casbin's functions for patterns
// are said as far as they are exactly one of these; everything else is undefined here, and a finding.

export type Range =
  | { readonly kind: 'any' }
  | { readonly kind: 'names'; readonly names: readonly string[] /** the value in the rule */; readonly label: string }
  | { readonly kind: 'prefix'; readonly prefix: string; readonly label: string }

/** Functions that compare an object with a pattern. */
export const OBJECT_FUNCTIONS = ['keyMatch', 'keyMatch2', 'keyMatch3'] as const
/** Functions that compare an action with a pattern. */
export const ACTION_FUNCTIONS = ['keyMatch', 'regexMatch'] as const

/** The objects that a function of casbin finds for a pattern; undefined where it has another form. */
export function toRange(name: string, pattern: string): Range | undefined {
  const exact: Range = { kind: 'names', names: [pattern], label: pattern }
  if (name === 'keyMatch') {
    const [prefix = '', rest] = pattern.split(/\*(.*)/s)
    if (rest === undefined) return exact
    return prefix === '' ? { kind: 'any' } : { kind: 'prefix', prefix, label: pattern } // what follows the first * is not read
  }
  return (OBJECT_FUNCTIONS as readonly string[]).includes(name) && /^[\w/-]+$/.test(pattern) ? exact : undefined
}

/** Which of a closed list of actions a pattern finds. */
export interface ActionPattern {
  /** the actions that it names itself */
  readonly names: readonly string[]
  readonly finds: (action: string) => boolean
  /** it also finds actions that no rule names */
  readonly isOpen: boolean
}

/** Undefined where the pattern is not a list of names, `.*` or a beginning. */
export function toActionPattern(name: string, pattern: string): ActionPattern | undefined {
  if (name === 'keyMatch') {
    const range = toRange(name, pattern)
    if (range?.kind === 'names') return { names: range.names, finds: (action) => action === pattern, isOpen: false }
    const prefix = range?.kind === 'prefix' ? range.prefix : ''
    return { names: [], finds: (action) => action.startsWith(prefix), isOpen: true }
  }
  if (name !== 'regexMatch') return undefined
  if (/^\^?\.\*\$?$/.test(pattern)) return { names: [], finds: () => true, isOpen: true }
  const whole = /^\^(.*)\$$/s.exec(pattern)
  const isWhole = whole !== null
  const inner = stripParentheses(isWhole ? (whole[1] ?? '') : pattern)
  if (isWhole && inner === whole[1] && inner.includes('|')) return undefined // `^a|b$` is `^a` or `b$`
  const names = inner.split('|').map(stripParentheses)
  if (!names.every((each) => /^[\w:/-]+$/.test(each))) return undefined
  if (isWhole) return { names, finds: (action) => names.includes(action), isOpen: false }
  // without `^` and `$` it finds every action that contains a name
  return { names, finds: (action) => names.some((each) => action.includes(each)), isOpen: true }
}

function stripParentheses(text: string): string {
  const inner = /^\(([^()]*)\)$/.exec(text)
  return inner?.[1] ?? text
}

/** Whether some name is in both. */
export function overlaps(one: Range, other: Range): boolean {
  if (one.kind === 'any' || other.kind === 'any') return true
  if (one.kind === 'names') return one.names.some((name) => includes(other, name))
  if (other.kind === 'names') return other.names.some((name) => includes(one, name))
  return one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix)
}

function includes(range: Range, name: string): boolean {
  if (range.kind === 'any') return true
  return range.kind === 'names' ? range.names.includes(name) : name.startsWith(range.prefix)
}
