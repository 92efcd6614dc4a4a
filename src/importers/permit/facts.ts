// Tenants, users, instances, tuples and assignments. What names an object that was left out is left out, too.
import type { Fact } from '../frame/importer.ts'
import type { Answered } from './api.ts'
import { listIn, pick, textsIn } from './fields.ts'
import type { At, LeftOut } from './left-out.ts'

interface Lists {
  readonly tenants: readonly Answered[]
  readonly users: readonly Answered[]
  readonly instances: readonly Answered[]
  readonly tuples: readonly Answered[]
  readonly assignments: readonly Answered[]
}

export function toFacts(out: LeftOut, { tenants, users, instances, tuples, assignments }: Lists): readonly Fact[] {
  const kept = <K extends string>(name: K, list: readonly Answered[], isKept: (one: Answered, at: At) => boolean) =>
    list.filter((one, index) => isKept(one, [name, index + 1]))
  const ownTenants = kept('tenants', tenants, (one, at) => out.understands('tenant', String(one.key), one, at))
  const ownUsers = kept('users', users, (one, at) => {
    for (const member of listIn(one.associated_tenants)) checkMember(out, String(one.key), member, at)
    return out.understands('user', String(one.key), one, at)
  })
  const ownInstances = kept('resource_instances', instances, (one, at) => {
    const name = formatInstance(one)
    if (!out.understands('resource instance', name, one, at)) return false
    if (!out.has('resource', one.resource) && !out.has('tenant', findTenant(one))) return true
    out.add('resource instance', name)
    return false
  })
  const typeIn = (instance: unknown): string => String(instance).split(':')[0] ?? ''
  const hasInstance = (name: unknown): boolean =>
    out.has('resource instance', name) || out.has('resource', typeIn(name))
  const ownTuples = kept('relationship_tuples', tuples, (one, at) => {
    const name = `${String(one.subject)} ${String(one.relation)} ${String(one.object)}`
    if (!out.understands('relationship tuple', name, one, at)) return false
    const relation = `${typeIn(one.object)}#${String(one.relation)}`
    return !hasInstance(one.subject) && !hasInstance(one.object) && !out.has('relation', relation)
  })
  const ownAssignments = kept('role_assignments', assignments, (one, at) => {
    const { user, role, resource_instance: instance } = one
    const tenant = findTenant(one)
    const place = typeof instance === 'string' ? `on ${instance}` : `in ${tenant}`
    if (!out.understands('role assignment', `${String(user)} ${String(role)} ${place}`, one, at)) return false
    const ofType = typeof instance === 'string' ? `${typeIn(instance)}#${String(role)}` : String(role)
    const names = [
      ...[out.has('user', user), out.has('tenant', tenant), out.has('role', ofType)],
      ...[out.has('member', `${String(user)} of ${tenant}`), typeof instance === 'string' && hasInstance(instance)],
    ]
    return !names.includes(true)
  })
  return [
    ...ownTenants.map(toFact('tenant', ['key', 'name', 'description', 'attributes'])),
    ...ownUsers.map(toUser),
    ...ownUsers.flatMap((user) => listMemberships(out, user)),
    ...ownInstances.map(toFact('resource_instance', ['resource', 'key', 'tenant', 'attributes'])),
    ...ownTuples.map(toFact('relationship_tuple', ['subject', 'relation', 'object', 'valid_from', 'valid_until'])),
    ...ownAssignments.map(
      toFact('role_assignment', ['user', 'role', 'tenant', 'resource_instance', 'valid_from', 'valid_until']),
    ),
  ]
}

const findTenant = ({ tenant }: Answered): string => String(tenant ?? 'default')
const formatInstance = ({ resource, key }: Answered): string => `${String(resource)}:${String(key)}`

/** A user in a tenant who is not active there has no roles in it. */
function checkMember(out: LeftOut, user: string, member: Answered, at: At): void {
  const name = `${user} of ${findTenant(member)}`
  if (!out.understands('member', name, member, at)) return
  const { status } = member
  if (status !== undefined && status !== null && status !== 'active')
    out.add('member', name, { list: at[0], place: at[1], reason: `its status is ${JSON.stringify(status)}` })
}

const toFact =
  (kind: Fact['kind'], fields: readonly string[]) =>
  (object: Answered): Fact => ({ kind, fact: pick(object, fields) })

function toUser(user: Answered): Fact {
  const suspension = pick((user.suspension ?? {}) as Answered, ['reason', 'valid_from', 'valid_until'])
  const fact = pick(user, ['key', 'email', 'first_name', 'last_name', 'attributes'])
  return { kind: 'user', fact: { ...fact, ...(Object.keys(suspension).length === 0 ? {} : { suspension }) } }
}

/** Those without a role: a role in a tenant makes a member. */
const listMemberships = (out: LeftOut, { key, associated_tenants }: Answered): readonly Fact[] =>
  listIn(associated_tenants)
    .filter(({ roles }) => textsIn(roles).length === 0)
    .filter(
      (member) => !out.has('tenant', member.tenant) && !out.has('member', `${String(key)} of ${findTenant(member)}`),
    )
    .map(({ tenant }) => ({ kind: 'membership', fact: { user: key, tenant } }))
