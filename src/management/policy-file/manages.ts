// What a policy file owns: the selectors of `manages`. What it does not own may be defined elsewhere.
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Manages } from '../schemas/policy-file.ts'

/** Whether one of the selectors has the kind, and the key when it says which keys. */
export function selects(selectors: readonly Manages[], kind: PolicyKind, key: string): boolean {
  return selectors.some((each) => each.kind === kind && (each.keys ?? ['*']).some((pattern) => matches(pattern, key)))
}

/** `*` stands for any characters. Takes time in proportion to the lengths, multiplied. */
function matches(pattern: string, key: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === key
  if (!key.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = key.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return key.length - last.length >= at && key.endsWith(last)
}
