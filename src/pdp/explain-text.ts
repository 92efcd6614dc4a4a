// Explanations as sentences, shared by the PDP's debug answer and `zerohop check --explain`.

import { sayEnd } from '../image/explain/why-words.ts'
import type { Because, FailedSet, IllTyped, Miss, Note, TestFound } from '../image/image.ts'
import type { Json } from '../model/objects.ts'

/** One reason that allows. */
export function sayBecause({
  source,
  role,
  resource_set,
  tenant,
  resource_instance: on,
  permission,
  path,
  valid_until,
}: Because): string {
  const end = sayEnd(valid_until)
  if (source === 'abac') return `user set ${role} may ${permission} on resource set ${resource_set}${end}`
  return `${role} ${on === undefined ? 'in' : `on ${on} in`} ${tenant} has ${permission} (${path.join(' → ')})${end}`
}

/** Why a set rule does not allow. */
export function sayMiss({ user_set, resource_set, failed }: Miss): string {
  return `rule (${user_set}, ${resource_set}): ${failed.map(sayFailed).join('; ')}`
}

function sayFailed({ side, set, reason, tests }: FailedSet): string {
  const what = `${side === 'user_set' ? 'user set' : 'resource set'} ${set}`
  if (reason === 'role_not_assigned') return `${what}: the role is not assigned in this tenant`
  if (reason === 'role_not_held') return `${what}: the role is not held on the resource`
  if (reason === 'other_resource') return `${what} is about another resource type`
  return `${what}: ${tests.map(sayTest).join(', ')}`
}

/** A test with the values that it compared. */
function sayTest(test: TestFound): string {
  return `${sayFinding(test)} (at ${test.path.join(' / ')})`
}

function sayFinding({ attribute, operator, reason, value, declared, expected, ref, ref_value }: TestFound): string {
  const is = `${attribute} is ${print(value)}`
  const other = ref === undefined ? print(expected) : `${ref}, which is ${print(ref_value)}`
  const isMatch = expected === undefined && ref === undefined
  switch (reason) {
    case 'missing':
      return `${attribute} is missing`
    case 'not_in_tenant':
      return `${attribute} is not read: the user does not belong to the tenant`
    case 'ref_not_in_tenant':
      return `${is}, but ${ref} is not read: the user does not belong to the tenant`
    case 'wrong_type':
      if (declared !== undefined) return `${is}, but is declared ${declared}`
      return `${is}, which ${operator} does not ${isMatch ? 'take' : `compare with ${other}`}`
    case 'ref_missing':
      return `${is}, but ${ref} is missing`
    case 'ref_wrong_type':
      return `${is}, but ${ref} is ${print(ref_value)}, which ${operator} does not take`
    case 'not_met':
      return isMatch ? `${is}: not ${operator}` : `${is}, not ${operator} ${other}`
    case 'met':
      return `${is}: ${operator}${isMatch ? '' : ` ${other}`} is true, under a not`
    case 'undecided':
      return `${attribute}: ${operator} is too much work for an explanation`
  }
}

/** A test that is false because its value is missing, under a `not` that makes it true. */
export function sayNote({ set, ...test }: Note): string {
  return `in set ${set}, under a not: ${sayTest(test)}`
}

export function sayIllTyped({ attribute, declared, value }: IllTyped): string {
  return `${attribute} is declared ${declared}: conditions do not see ${print(value)}`
}

function print(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
