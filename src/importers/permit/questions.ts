// Questions to the PDP of Permit and to the written files: every user with every permission in each tenant, and on each
// instance. Of many a sample is asked, which --seed chooses.
import type { Question, Questions } from '../frame/importer.ts'
import { combinationAt, countCombinations, type Dimension, findUnknown, stateDimensions } from '../frame/universe.ts'
import type { Names } from './objects.ts'

/** The body of `POST /allowed`. */
export interface Asked {
  readonly user: { readonly key: string }
  readonly action: string
  readonly resource: { readonly type: string; readonly key?: string; readonly tenant: string }
}

/** Questions about those who have a role: in a sample of all others few are allowed. */
const ABOUT_ROLES_MAX = 200

export function makeQuestions(names: Names): Questions<Asked> {
  const { users, tenants, permissions, instances } = names
  const first = askAboutRoles(names)
  const asked = [...users, findUnknown(users, 'unknown-user')]
  const types = new Set(instances.map(({ type }) => type))
  const onInstances = permissions.filter((permission) => types.has(permission.split(':')[0] ?? ''))
  const dimension = (one: string, names: readonly string[]): Dimension => ({ word: [one, `${one}s`], names })
  const numbers = (length: number): readonly string[] => Array.from({ length }, (_, at) => String(at))
  const inTenants = [dimension('user', asked), dimension('permission', permissions), dimension('tenant', tenants)]
  const byType = [...types].map((type) => {
    const there = instances.filter((instance) => instance.type === type)
    const its = onInstances.filter((permission) => permission.startsWith(`${type}:`))
    return {
      there,
      dimensions: [dimension('user', asked), dimension('permission', its), dimension(type, numbers(there.length))],
    }
  })
  const blocks = [{ there: undefined, dimensions: inTenants }, ...byType]
  const sizes = blocks.map(({ dimensions }) => countCombinations(dimensions))
  return {
    stated: `${blocks.map(({ dimensions }) => stateDimensions(dimensions)).join('; ')}, one user unknown, after ${first.length} about who has a role`,
    total: first.length + sizes.reduce((sum, size) => sum + size, 0),
    always: first.length,
    at(index) {
      const about = first[index]
      if (about !== undefined) return toQuestion(about)
      let [rest, at] = [index - first.length, 0]
      while (rest >= (sizes[at] ?? 0) && at < sizes.length - 1) rest -= sizes[at++] ?? 0
      const block = blocks[at]
      const [user = '', permission = '', third = ''] = combinationAt(block?.dimensions ?? [], rest)
      const [type = '', action = ''] = permission.split(':')
      const instance = block?.there?.[Number(third)]
      const resource = instance ?? { type, tenant: third }
      return toQuestion({ user: { key: user }, action, resource })
    },
  }
}

function askAboutRoles({ assignments, permissions, instances }: Names): readonly Asked[] {
  const asked: Asked[] = []
  for (const { user: key, tenant, instance } of assignments) {
    if (asked.length >= ABOUT_ROLES_MAX) break
    const there = instances.find((each) => `${each.type}:${each.key}` === instance)
    if (instance !== undefined && there === undefined) continue
    for (const permission of permissions) {
      const [type = '', action = ''] = permission.split(':')
      if (there === undefined) asked.push({ user: { key }, action, resource: { type, tenant } })
      else if (there.type === type) asked.push({ user: { key }, action, resource: there })
    }
  }
  return asked.slice(0, ABOUT_ROLES_MAX)
}

const toQuestion = (old: Asked): Question<Asked> => ({
  text: `allowed(${old.user.key}, ${old.action}, ${old.resource.type}${old.resource.key === undefined ? '' : `:${old.resource.key}`} in ${old.resource.tenant})`,
  old,
  check: { user: old.user.key, action: old.action, resource: old.resource },
})
