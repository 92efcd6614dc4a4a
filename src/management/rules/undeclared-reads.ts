// Warnings about conditions that read attributes of a resource type which declares none at all (D7: missing values).
// They are stored as they are sent; whether the attribute is ever there only the questions can say. Where the type
// declares others, or below a `not`, such conditions are refused: condition-sets/condition-types.ts.

import type { ConditionSet } from '../../kinds/condition-set.ts'
import type { Change } from '../../log/change.ts'
import { parseConditions } from '../../model/condition.ts'
import { resourceAttributes } from '../../model/condition-reads.ts'
import { isZerohopError } from '../../model/errors.ts'
import { Draft } from '../../store/draft.ts'
import type { View } from '../../store/view.ts'

/** A sentence for each set that the changes write with other conditions than before. */
export function warnOfUndeclared(view: View, changes: readonly Change[]): string[] {
  const sets = changes.flatMap((change) => {
    if (change.op !== 'put' || change.kind !== 'condition_set') return []
    const before = view.get('condition_set', change.key)
    return JSON.stringify(before?.conditions) === JSON.stringify(change.value.conditions) ? [] : [change.value]
  })
  if (sets.length === 0) return []
  const after = new Draft(view).stage(changes)
  return sets.flatMap((set) => sentences(after, set))
}

function sentences(view: View, { key, conditions, resource }: ConditionSet): string[] {
  const found = new Map<string, Set<string>>()
  for (const { type, attribute } of read(conditions, resource)) {
    if (view.get('resource', type)?.attributes.length !== 0) continue
    found.set(type, (found.get(type) ?? new Set()).add(attribute))
  }
  return Array.from(found, ([type, attributes]) => {
    const names = [...attributes].map((name) => `\`${name}\``).join(', ')
    return `condition set \`${key}\` reads ${names} of resource \`${type}\`, which declares no attributes: declare what it reads`
  })
}

function read(conditions: ConditionSet['conditions'], resource: string | null) {
  try {
    return [...resourceAttributes(parseConditions(conditions), resource)]
  } catch (error) {
    if (isZerohopError(error)) return []
    throw error
  }
}
