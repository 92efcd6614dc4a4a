// The definition: where the value of an attribute comes from (D8), and when it is as good as missing (D7).
import type { PolicyObjects } from '../../src/kinds/index.ts'
import type { AttributePath } from '../../src/model/condition.ts'
import { parseInstant } from '../../src/model/instant.ts'
import type { AttributeType, Json, JsonObject } from '../../src/model/objects.ts'
import type { Policy } from './policy.ts'
import { type Request, resolveTenant, storedInstance } from './request.ts'
import { rolesIn } from './roles.ts'

/**
 * One side of a test. Without a value it is missing or ill-typed; `time` says that it is compared as an instant (D9).
 */
export interface Operand {
  readonly value: Json | undefined
  readonly time: boolean
  /** the value that is there, but not of its declared type */
  readonly illTyped?: Json
}

/**
 * D8: what makes up a question. It is read from the question and the policy, whatever attributes of these names are
 * stored or sent.
 */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  user: ['key', 'roles', 'tenants'],
  resource: ['type', 'key', 'tenant'],
  tenant: ['key'],
}

/** What a path of a condition leads to for this question. */
export function operandAt(policy: Policy, request: Request, { root, names }: AttributePath): Operand {
  const attribute = names[0]!
  if (IDENTITY[root]?.includes(attribute)) {
    return member(identity(policy, request)[root], names)
  }
  switch (root) {
    case 'user':
      return declared(policy, '__user', names, [sent(request, root), policy.user.get(request.user)!.attributes])
    case 'resource': {
      const stored = storedInstance(policy, request)?.attributes
      return declared(policy, request.resource.type, names, [sent(request, root), stored])
    }
    case 'tenant':
      return declared(policy, '__tenant', names, [tenantAttributes(policy, request)])
    case 'context':
      return { ...member(sent(request, root), names), time: names.length === 1 && attribute === 'now' } // D9
    case 'action':
      return member(sent(request, root), names)
  }
}

/** What is stored about an instance that a value names by its key. */
export function readOperand(
  policy: Policy,
  type: string,
  instance: PolicyObjects['resource_instance'],
  names: readonly string[],
): Operand {
  return declared(policy, type, names, [instance.attributes])
}

/** What lies inside a value. Nothing is declared about it. */
export function member(value: Json | undefined, names: readonly string[]): Operand {
  let inner: Json | undefined = value
  for (const name of names) inner = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  return { value: inner, time: false }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const sent = (request: Request, root: 'user' | 'resource' | 'context' | 'action') => request.sent?.[root]

function identity(policy: Policy, request: Request): Record<string, JsonObject> {
  const { type, key } = request.resource
  const tenant = resolveTenant(policy, request)
  return {
    user: {
      key: request.user,
      roles: rolesIn(policy, request.user, tenant), // D6: assigned in this tenant, not extended, not on instances
      tenants: listTenants(policy, request.user),
    },
    resource: { type, tenant, ...(key === undefined ? {} : { key }) },
    tenant: { key: tenant },
  }
}

/** D6: the tenants in which the user has an assignment or a membership. */
function listTenants(policy: Policy, user: string): string[] {
  const ties = [...policy.role_assignment.values(), ...policy.membership.values()]
  return [...new Set(ties.filter((each) => each.user === user).map(({ tenant }) => tenant))]
}

/** D6: whether the user belongs to the tenant of the question. */
export const isInTenant = (policy: Policy, request: Request): boolean =>
  listTenants(policy, request.user).includes(resolveTenant(policy, request))

/** D6: what is stored about the tenant, only for a user who belongs to it. */
function tenantAttributes(policy: Policy, request: Request): JsonObject | undefined {
  const tenant = resolveTenant(policy, request)
  return isInTenant(policy, request) ? policy.tenant.get(tenant)!.attributes : undefined
}

/**
 * D8: of several sources, the highest first, the first that has the attribute. D7: not of its declared type is as good
 * as missing.
 */
function declared(
  policy: Policy,
  resource: string,
  names: readonly string[],
  sources: readonly (JsonObject | undefined)[],
): Operand {
  const attribute = names[0]!
  const types = policy.resource.get(resource)?.attributes ?? {}
  const type = Object.hasOwn(types, attribute) ? types[attribute]! : 'json'
  const source = sources.find((each) => each !== undefined && Object.hasOwn(each, attribute))
  const value = member(source, [attribute]).value
  if (!hasType(value, type)) {
    const whole = names.length === 1 && value !== undefined
    return { value: undefined, time: false, ...(whole ? { illTyped: value } : {}) }
  }
  return { ...member(source, names), time: names.length === 1 && type === 'time' }
}

/** The type that is declared for the attribute of a path, which is one that has a type. */
export function typeDeclared(policy: Policy, request: Request, { root, names }: AttributePath): AttributeType {
  const owner = root === 'user' ? '__user' : root === 'tenant' ? '__tenant' : request.resource.type
  return policy.resource.get(owner)!.attributes![names[0]!]!
}

function hasType(value: Json | undefined, type: AttributeType): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'time':
      return parseInstant(value) !== undefined
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'object_array':
      return Array.isArray(value) && value.every(isObject)
    case 'json':
      return true
  }
}
