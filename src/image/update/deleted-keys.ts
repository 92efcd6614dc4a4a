// The objects that the keys of deletes name: assignments, tuples, memberships and set rules are deleted by their key
// alone.
import type { PolicyObjects } from '../../kinds/index.ts'
import { isInstanceKey } from '../contents.ts'
import { invalid } from './staged-symbols.ts'

export function parseAssignment(key: string, to: number): PolicyObjects['role_assignment'] {
  const [user, role, tenant, instance, rest] = key.split('/')
  if (!user || !role || !tenant || rest !== undefined || (instance !== undefined && !isInstanceKey(instance)))
    throw invalid(to, `\`${key}\` is not the key of an assignment`)
  return { user, role, tenant, resource_instance: instance ?? null }
}

export function parseTuple(key: string, to: number): PolicyObjects['relationship_tuple'] {
  const [subject, relation, object, rest] = key.split('/')
  if (subject && relation && object && rest === undefined && isInstanceKey(subject) && isInstanceKey(object))
    return { subject, relation, object }
  throw invalid(to, `\`${key}\` is not the key of a tuple`)
}

export function parseMembership(key: string, to: number): PolicyObjects['membership'] {
  const [tenant, user, rest] = key.split('/')
  if (tenant && user && rest === undefined) return { tenant, user }
  throw invalid(to, `\`${key}\` is not the key of a membership`)
}

export function parseSetRule(key: string, to: number): PolicyObjects['set_rule'] {
  const [user_set, permission, resource_set, rest] = key.split('/')
  if (user_set && permission && resource_set && rest === undefined) return { user_set, permission, resource_set }
  throw invalid(to, `\`${key}\` is not the key of a set rule`)
}
