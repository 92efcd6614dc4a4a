// Strict PDPs: a name that the policy does not have is an error with the nearest name, not a deny. Users are data, not
// names: an unknown user stays a deny. Instances too, for applications ask about objects that are stored nowhere.
import type { PolicyNames } from '../image/list/policy-names.ts'
import { ZerohopError } from '../model/errors.ts'
import { nearestName } from '../model/nearest-name.ts'
import { shortText } from '../model/shorten.ts'
import type { PermissionFilter } from './pdp-listings.ts'

/** Names of a question. What is undefined was not named. */
interface Names {
  readonly type?: string | null | undefined
  /** of the type */
  readonly action?: string | undefined
  readonly tenant?: string | null | undefined
  /** of the type: those that are sent with a question */
  readonly relations?: readonly { readonly relation: string }[] | undefined
}

/** @throws UNKNOWN_NAME with the first name that the policy does not have */
export function requireNames(policy: PolicyNames, { type, action, tenant, relations = [] }: Names): void {
  if (typeof type === 'string') {
    if (!policy.hasType(type)) throw unknown('resource_type', type, policy.types(), ['resource', 'type'])
    if (action !== undefined && !policy.hasAction(type, action))
      throw unknown('action', action, policy.actions(type), ['action'], type)
    for (const { relation } of relations) {
      if (!policy.hasRelation(type, relation))
        throw unknown('relation', relation, policy.relations(type), ['resource', 'relations', relation], type)
    }
  }
  if (typeof tenant === 'string') requireTenant(policy, tenant, ['resource', 'tenant'])
}

/** The tenants and types of a filter. @throws UNKNOWN_NAME with the first that the policy does not have */
export function requireFilter(policy: PolicyNames, { tenants, resourceTypes }: PermissionFilter): void {
  for (const tenant of namesIn(tenants)) requireTenant(policy, tenant, ['tenants'])
  for (const type of namesIn(resourceTypes)) {
    if (type !== '__tenant' && !policy.hasType(type))
      throw unknown('resource_type', type, policy.types(), ['resourceTypes'])
  }
}

/** The names of a list; anything else is refused by the listing itself. */
function namesIn(list: readonly string[] | null | undefined): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}

function requireTenant(policy: PolicyNames, tenant: string, path: readonly string[]): void {
  if (!policy.hasTenant(tenant)) throw unknown('tenant', tenant, policy.someTenants(), path)
}

function unknown(
  kind: string,
  name: string,
  names: readonly string[],
  path: readonly string[],
  type?: string,
): ZerohopError {
  const nearest = nearestName(name, names)
  const where = type === undefined ? '' : ` of resource type \`${shortText(type)}\``
  const hint = nearest === undefined ? '' : `: did you mean \`${nearest}\`?`
  return new ZerohopError('UNKNOWN_NAME', { kind, name: shortText(name), where, hint, nearest }, { path })
}
