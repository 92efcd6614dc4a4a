// Condition sets and the rules that name them. A set is left out with its parent, with its resource type, and with an
// attribute that it reads: without them it would be true of more.
import { parseConditions } from '../../model/condition.ts'
import type { Json } from '../../model/objects.ts'
import type { Answered } from './api.ts'
import type { At, LeftOut } from './left-out.ts'

/** A set without its parent, or without an attribute's type, would be true of more. */
export function keepSets(
  out: LeftOut,
  sets: readonly Answered[],
  keys: ReadonlyMap<unknown, string>,
): readonly Answered[] {
  for (const [index, set] of sets.entries()) {
    const at: At = ['condition_sets', index + 1]
    const name = String(set.key)
    if (!out.understands('condition set', name, set, at)) continue
    const reason = findFault(out, set, keys)
    if (reason !== undefined) out.add('condition set', name, { list: at[0], place: at[1], reason })
  }
  const isOut = (set: Answered): boolean => out.has('condition set', set.key)
  for (let before = -1, left = 0; left !== before; ) {
    for (const set of sets)
      if (
        !isOut(set) &&
        (out.has('condition set', keys.get(set.parent_id)) || out.has('resource', keys.get(set.resource_id)))
      )
        out.add('condition set', String(set.key))
    before = left
    left = sets.filter(isOut).length
  }
  return sets.filter((set) => !isOut(set))
}

function findFault(
  out: LeftOut,
  { type, conditions, parent_id: parent, resource_id: resource }: Answered,
  keys: ReadonlyMap<unknown, string>,
): string | undefined {
  if (type !== 'userset' && type !== 'resourceset') return `there is no type ${JSON.stringify(type)}`
  if (parent !== null && parent !== undefined && !keys.has(parent)) return 'its parent is not among the sets'
  if (type === 'resourceset' && !keys.has(resource)) return 'its resource type is not among those that are read'
  try {
    parseConditions((conditions ?? {}) as Json, [])
  } catch (error) {
    return (error as Error).message
  }
  const named = new Set(JSON.stringify(conditions ?? {}).match(/"(?:user|subject|resource|tenant)\.[^"]*"/g) ?? [])
  for (const quoted of named) {
    const [root = '', attribute = ''] = quoted.slice(1, -1).split('.')
    const of = root === 'resource' ? `resource.${String(keys.get(resource))}` : root === 'subject' ? 'user' : root
    const own = `${of}.${attribute}`
    if (out.has('attribute', own)) return `the attribute \`${attribute}\` was left out`
  }
  return undefined
}

export function isRule(out: LeftOut, rule: Answered, at: At): boolean {
  const { user_set: who, permission, resource_set: what } = rule
  if (!out.understands('set rule', `${String(who)} ${String(permission)} ${String(what)}`, rule, at)) return false
  const [type = ''] = String(permission).split(':')
  const isOut = [
    ...[out.has('condition set', who), out.has('condition set', what), out.has('role', who), out.has('resource', what)],
    ...[out.has('resource', type), out.has('action', permission)],
  ]
  return !isOut.includes(true)
}
