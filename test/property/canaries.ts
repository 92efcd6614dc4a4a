// Definitions that are wrong in one point each, named by the rule that they break. canaries.test.ts shows that the
// random questions tell each of them from the right one; what they cannot tell apart, no image is tested for. D12 is
// about answers side by side and D13 about limits, which the definition has none of: those have tests of their own.
import type { PolicyKind, PolicyObjects } from '../../src/kinds/index.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import type { Policy } from '../reference/policy.ts'
import { byRelations } from '../reference/relations.ts'
import { isKnown, type Request, resolveTenant, storedInstance } from '../reference/request.ts'
import { byRoles, rolesIn } from '../reference/roles.ts'
import { bySets, hasResource, hasUser, rulesFor } from '../reference/sets.ts'
import { policyAt } from '../reference/times.ts'
import type { Instant } from '../support/instants.ts'

/** What is stored, and the instant of the question, where the first argument is the policy of that instant (D15). */
interface InTime {
  readonly stored: Policy
  readonly t: Instant
}

export type Definition = (policy: Policy, at: InTime) => (request: Request) => boolean

/** The policy with other objects of one kind. */
function altered<K extends PolicyKind>(
  policy: Policy,
  kind: K,
  alter: (value: ReturnType<Policy[K]['get']> & object, key: string) => unknown,
): Policy {
  const objects = [...policy[kind]].map(([key, value]) => [key, alter(value as never, key)] as const)
  return { ...policy, [kind]: new Map(objects) }
}

/** Conditions in which one member is written otherwise, wherever it stands. */
function rewritten(json: Json, name: string, write: (value: Json) => JsonObject): Json {
  if (Array.isArray(json)) return json.map((item) => rewritten(item, name, write))
  if (typeof json !== 'object' || json === null) return json
  const members = Object.entries(json).flatMap(([member, value]) => {
    const inner = rewritten(value, name, write)
    return member === name ? Object.entries(write(inner)) : [[member, inner] as const]
  })
  return Object.fromEntries(members)
}

/** The definition in which an operator means something else. */
const reading = (operator: string, write: (value: Json) => JsonObject): Definition => {
  return (policy) => {
    const wrong = altered(policy, 'condition_set', (set) => ({
      ...set,
      conditions: rewritten(set.conditions, operator, write),
    }))
    return (request) => check(wrong, request)
  }
}
const instead = (operator: string, other: string) => reading(operator, (value) => ({ [other]: value }))

/** The definition over another policy. */
const over =
  (alter: (policy: Policy) => Policy): Definition =>
  (policy) => {
    const wrong = alter(policy)
    return (request) => check(wrong, request)
  }

/** The definition with every value of an attribute read otherwise. */
const valuesAs = (read: (value: Json) => Json): Definition => {
  const through = (json: Json): Json => {
    if (Array.isArray(json)) return json.map(through)
    if (typeof json !== 'object' || json === null) return read(json)
    return Object.fromEntries(
      // `ref` and `fk_resource_type` hold names, not values.
      Object.entries(json).map(([name, value]) => [
        name,
        /^(ref|fk_resource_type)$/.test(name) ? value : through(value),
      ]),
    )
  }
  const stored = <T extends { readonly attributes?: unknown }>(value: T): T =>
    value.attributes === undefined ? value : { ...value, attributes: through(value.attributes as Json) }
  return (policy) => {
    let wrong = altered(policy, 'condition_set', (set) => ({ ...set, conditions: through(set.conditions) }))
    for (const kind of ['user', 'tenant', 'resource_instance'] as const) wrong = altered(wrong, kind, stored)
    return (request) => check(wrong, { ...request, sent: through((request.sent ?? {}) as JsonObject) as JsonObject })
  }
}

const declaredAs = (read: (type: string) => string | undefined): Definition =>
  over((policy) =>
    altered(policy, 'resource', ({ attributes = {}, ...resource }) => {
      const types = Object.entries(attributes).map(([name, type]) => [name, read(type)] as const)
      return { ...resource, attributes: Object.fromEntries(types.filter(([, type]) => type !== undefined)) }
    }),
  )

interface Times {
  readonly valid_from?: number
  readonly valid_until?: number
}

/** The definition in which other grants are in force at an instant. */
const inForce =
  (
    isInForce: (times: Times, t: number) => boolean,
    kinds: readonly ('role_assignment' | 'relationship_tuple')[] = ['role_assignment', 'relationship_tuple'],
    isMeant: (grant: { readonly resource_instance?: string | null }) => boolean = () => true,
  ): Definition =>
  (policy, { stored, t }) => {
    if (t === undefined) return (request) => check(policy, request)
    const wrong: Record<string, unknown> = { ...policy }
    for (const kind of kinds) {
      const grants = [...(stored[kind] as Map<string, Times & { readonly resource_instance?: string | null }>)]
      wrong[kind] = new Map(
        grants.filter(([key, grant]) => (isMeant(grant) ? isInForce(grant, t) : policy[kind].has(key))),
      )
    }
    return (request) => check(wrong as Policy, request)
  }

const isRight = ({ valid_from = Number.NEGATIVE_INFINITY, valid_until = Number.POSITIVE_INFINITY }: Times, t: number) =>
  valid_from <= t && t < valid_until
const ALL = () => true
const TUPLES = ['relationship_tuple'] as const
const ASSIGNMENTS = ['role_assignment'] as const

/** The definition in which conditions see other grants than the other parts: those that are stored. */
const whereConditionsSee =
  (seen: (policy: Policy, stored: Policy) => Policy): Definition =>
  (policy, { stored }) => {
    const wrong = seen(policy, stored)
    return (request) =>
      isKnown(policy, request) && (byRoles(policy, request) || byRelations(policy, request) || bySets(wrong, request))
  }

/** A role of the type with the empty name. */
const emptyRole = (resource: string) =>
  [`${resource}/`, { resource, role: '', permissions: [], extends: [], granted_to: null }] as const

/** Every stored role in a tenant as a membership: the tenants of the user are those of grants at any time. */
const withTenantsOfStored = (policy: Policy, stored: Policy): Policy => {
  const ties = [...stored.role_assignment.values()].map(
    ({ user, tenant }) => [`${tenant}/${user}`, { user, tenant }] as const,
  )
  return { ...policy, membership: new Map([...policy.membership, ...ties]) }
}

const OFF = { no_direct_roles_on_object: false }
/** A test that any value passes which is there. */
const THERE: JsonObject = {
  or: [{ equals: '' }, { 'not-equals': '' }, { array_superset: [] }, { object_match: { match: {} } }],
}

/** Every assignment that a policy ever had. */
const EVER = new WeakMap<Policy, Map<string, PolicyObjects['role_assignment']>>()

export const WRONG: Readonly<Record<string, Definition>> = {
  '[D3] everything is denied': () => () => false,
  '[D1] everything known is allowed': (policy) => (request) => isKnown(policy, request),
  '[D4] roles of another tenant count': (policy) => (request) =>
    check(policy, request) || check(policy, { ...request, resource: { ...request.resource, tenant: 'acme' } }),
  '[D4] roles extend nothing': over((policy) => altered(policy, 'role', (role) => ({ ...role, extends: [] }))),
  '[D2] no tenant means the default one': (policy) => (request) =>
    check(policy, { ...request, resource: { tenant: 'default', ...request.resource } }),
  '[D2] the tenant that was sent is ignored': (policy) => (request) => {
    const { tenant: _, ...resource } = request.resource
    return check(policy, { ...request, resource })
  },
  '[D5] the instance is ignored': (policy) => (request) => {
    const { key: _, ...resource } = request.resource
    return check(policy, { ...request, resource })
  },
  '[D2] instances are in every tenant': (policy) => (request) => {
    const tenant = resolveTenant(policy, request)
    return check(
      altered(policy, 'resource_instance', (value) => ({ ...value, tenant })),
      request,
    )
  },
  '[D5] nothing is derived': over((policy) => ({ ...policy, relationship_tuple: new Map() })),
  '[D5] roles are derived over one relation only': (policy) => {
    const wrong = altered(policy, 'resource_role', (role) => {
      const rules = role.granted_to?.users_with_role.filter(({ role: source, on_resource }) => {
        return policy.resource_role.get(`${on_resource}/${source}`)?.granted_to == null
      })
      return rules === undefined ? role : { ...role, granted_to: { ...role.granted_to!, users_with_role: rules } }
    })
    return (request) => check(wrong, request)
  },
  '[D5] relations lead both ways': over((policy) => {
    const both = [...policy.relationship_tuple].flatMap(([key, tuple]) => [
      [key, tuple] as const,
      [`${key}/`, { ...tuple, subject: tuple.object, object: tuple.subject }] as const,
    ])
    return { ...policy, relationship_tuple: new Map(both) }
  }),
  '[D5] the relation of a rule is ignored': over((policy) => {
    const relation = 'any'
    const roles = altered(policy, 'resource_role', (role) => ({
      ...role,
      granted_to: role.granted_to && {
        ...role.granted_to,
        users_with_role: role.granted_to.users_with_role.map((rule) => ({ ...rule, linked_by_relation: relation })),
      },
    }))
    return altered(roles, 'relationship_tuple', (tuple) => ({ ...tuple, relation }))
  }),
  '[D5] roles of a type extend nothing': over((policy) =>
    altered(policy, 'resource_role', (role) => ({ ...role, extends: [] })),
  ),
  '[D5] direct roles switch nothing off': over((policy) =>
    altered(policy, 'resource_role', (role) => ({
      ...role,
      granted_to: role.granted_to && {
        when: OFF,
        users_with_role: role.granted_to.users_with_role.map((rule) => ({ ...rule, when: OFF })),
      },
    })),
  ),
  '[D5] the switch of a rule holds for its role': over((policy) =>
    altered(policy, 'resource_role', (role) => {
      const rules = role.granted_to?.users_with_role ?? []
      const when = { no_direct_roles_on_object: rules.some((rule) => rule.when.no_direct_roles_on_object) }
      return rules.length === 0 ? role : { ...role, granted_to: { when, users_with_role: rules } }
    }),
  ),
  '[D3] set rules give nothing': over((policy) => ({ ...policy, set_rule: new Map() })),
  '[D6] one of the two sets is enough': (policy) => (request) =>
    check(policy, request) ||
    (isKnown(policy, request) &&
      rulesFor(policy, request).some(
        (rule) => hasUser(policy, request, rule.user_set) || hasResource(policy, request, rule.resource_set),
      )),
  '[D6] a set rule is about every action of its type': (policy) => (request) => {
    const own = [...policy.set_rule].map(([key, rule]) => {
      const same = rule.permission.startsWith(`${request.resource.type}:`)
      return [key, same ? { ...rule, permission: `${request.resource.type}:${request.action}` } : rule] as const
    })
    return check({ ...policy, set_rule: new Map(own) }, request)
  },
  '[D6] parents of sets do not count': over((policy) =>
    altered(policy, 'condition_set', (set) => ({ ...set, parent: null })),
  ),
  '[D6] a role as a set means the roles that extend it, too': (policy) => (request) => {
    const roles = rolesIn(policy, request.user, resolveTenant(policy, request))
    const extended = roles.flatMap((role) => policy.role.get(role)?.extends ?? [])
    return (
      check(policy, request) ||
      (isKnown(policy, request) &&
        rulesFor(policy, request).some(
          (rule) =>
            extended.some((role) => rule.user_set === `__autogen_${role}`) &&
            hasResource(policy, request, rule.resource_set),
        ))
    )
  },
  '[D1] a user who is not stored may be in a set': (policy) => (request) =>
    check({ ...policy, user: new Map([[request.user, {}], ...policy.user]) }, request),
  '[D1] a tenant that is not stored may be asked about': (policy) => (request) =>
    check({ ...policy, tenant: new Map([[resolveTenant(policy, request), {}], ...policy.tenant]) }, request),
  '[D8] the key that is sent is believed': (policy) => (request) => {
    const key = request.sent?.user?.key
    return check(policy, request) || (typeof key === 'string' && check(policy, { ...request, user: key }))
  },
  '[D8] what is sent about the user is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, user: {} } }),
  '[D8] what is sent about the resource is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, resource: {} } }),
  '[D8] what is sent with the action is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, action: {} } }),
  '[D8] the context is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, context: {} } }),
  '[D8] what is stored hides what is sent': (policy) => (request) =>
    check(policy, {
      ...request,
      sent: { ...request.sent, user: { ...request.sent?.user, ...policy.user.get(request.user)?.attributes } },
    }),
  '[D8] attributes of users are not stored': over((policy) => altered(policy, 'user', () => ({}))),
  '[D8] attributes of instances are not stored': over((policy) =>
    altered(policy, 'resource_instance', ({ tenant }) => ({ tenant })),
  ),
  '[D8] attributes of tenants are not stored': over((policy) => altered(policy, 'tenant', () => ({}))),
  '[D6] everybody belongs to every tenant': over((policy) => {
    const pairs = [...policy.user.keys()].flatMap((user) =>
      [...policy.tenant.keys()].map((tenant) => ({ user, tenant })),
    )
    return { ...policy, membership: new Map(pairs.map((pair) => [`${pair.tenant}/${pair.user}`, pair])) }
  }),
  '[D6] memberships do not count': over((policy) => ({ ...policy, membership: new Map() })),
  '[D7] declared types are ignored': declaredAs(() => undefined),
  '[D9] times compare as they are written': declaredAs((type) => (type === 'time' ? undefined : type)),
  '[D9] text folds case': valuesAs((value) => (typeof value === 'string' ? value.toLowerCase() : value)),
  '[D7] values are compared as text': valuesAs((value) => (value === null ? null : String(value))),
  '[D7] truth is a number': valuesAs((value) => (typeof value === 'boolean' ? Number(value) : value)),
  '[D7] null is text': valuesAs((value) => value ?? 'null'),
  '[D7] `not-equals` of what is missing is true': reading('not-equals', (value) => ({ not: { equals: value } })),
  '[D7] `not` of what is missing is false': (policy) => {
    const wrong = altered(policy, 'condition_set', (set) => ({ ...set, conditions: presentUnderNot(set.conditions) }))
    return (request) => check(wrong, request)
  },
  '[D7] `equals` is `not-equals`': instead('equals', 'not-equals'),
  '[D7] `less-than` includes': instead('less-than', 'less-than-equals'),
  '[D7] `less-than-equals` leaves out': instead('less-than-equals', 'less-than'),
  '[D7] `greater-than` includes': instead('greater-than', 'greater-than-equals'),
  '[D7] `greater-than-equals` leaves out': instead('greater-than-equals', 'greater-than'),
  '[D7] `between` leaves out its first': reading('between', (range) => ends(range, 'greater-than', 'less-than-equals')),
  '[D7] `between` leaves out its last': reading('between', (range) => ends(range, 'greater-than-equals', 'less-than')),
  '[D7] `contains` is `starts-with`': instead('contains', 'starts-with'),
  '[D7] `starts-with` is `contains`': instead('starts-with', 'contains'),
  '[D7] `ends-with` is `contains`': instead('ends-with', 'contains'),
  '[D7] `in` looks at the first item': reading('in', (list) => ({ in: Array.isArray(list) ? list.slice(0, 1) : list })),
  '[D7] `array_subset` is `array_intersect`': instead('array_subset', 'array_intersect'),
  '[D7] `array_subset` of nothing is false': reading('array_subset', (list) => ({
    array_subset: list,
    array_intersect: list,
  })),
  '[D7] `array_superset` is `array_intersect`': instead('array_superset', 'array_intersect'),
  '[D7] `array_intersect` is `array_superset`': instead('array_intersect', 'array_superset'),
  '[D7] `array_contains` looks at the whole': reading('array_contains', (value) => ({
    array_contains: value,
    equals: 'a',
  })),
  '[D7] `any_match` asks all': instead('any_match', 'all_match'),
  '[D7] `all_match` asks some': instead('all_match', 'any_match'),
  '[D7] `object_match` takes a list': instead('object_match', 'any_match'),
  '[D7] foreign keys are not followed': reading('fk_resource_type', () => ({})),
  '[D7] `anyOf` means all': instead('anyOf', 'allOf'),
  '[D7] `or` means all': instead('or', 'and'),
  '[D7] `allOf` means some': instead('allOf', 'anyOf'),
  '[D7] `and` means some': instead('and', 'or'),
  '[D14] relations that are sent give nothing': (policy) => (request) => {
    const { relations: _, ...resource } = request.resource
    return check(policy, { ...request, resource })
  },
  '[D14] what is not stored gets nothing': (policy) => (request) =>
    check(policy, storedInstance(policy, request) === undefined ? withRelations(request, {}) : request),
  '[D14] what has no key gets nothing': (policy) => (request) =>
    check(policy, request.resource.key === undefined ? withRelations(request, {}) : request),
  '[D14] the relation that is sent is ignored': (policy) => (request) => {
    const { type, relations = {} } = request.resource
    const all = [...policy.resource_role.values()].filter((role) => role.resource === type)
    const names = all.flatMap(
      ({ granted_to }) => granted_to?.users_with_role.map((rule) => rule.linked_by_relation) ?? [],
    )
    const subjects = Object.values(relations).flat()
    return check(policy, withRelations(request, Object.fromEntries(names.map((name) => [name, subjects]))))
  },
  '[D14] one subject of each relation counts': (policy) => (request) => {
    const first = Object.entries(request.resource.relations ?? {}).map(([name, subjects]) => [
      name,
      subjects.slice(0, 1),
    ])
    return check(policy, withRelations(request, Object.fromEntries(first)))
  },
  '[D14] related instances are in every tenant': (policy) => (request) => {
    const tenant = resolveTenant(policy, request)
    const subjects = Object.values(request.resource.relations ?? {}).flat()
    const here = altered(policy, 'resource_instance', (value, key) =>
      subjects.includes(key) ? { ...value, tenant } : value,
    )
    return check(here, { ...request, resource: { ...request.resource, tenant } })
  },
  '[D14] direct roles switch nothing off that is sent': (policy) => (request) => {
    const { key, relations } = request.resource
    const other = {
      ...request,
      resource: { ...request.resource, key: 'not stored', tenant: resolveTenant(policy, request) },
    }
    return check(policy, request) || (key !== undefined && relations !== undefined && check(policy, other))
  },
  '[D15] a grant counts at its end': inForce(
    ({ valid_until, ...times }, t) => isRight(times, t) && (valid_until === undefined || t <= valid_until),
  ),
  '[D15] a grant does not count at its start': inForce(
    ({ valid_from, ...times }, t) => isRight(times, t) && (valid_from === undefined || valid_from < t),
  ),
  '[D15] what has ended counts': inForce(({ valid_until: _, ...times }, t) => isRight(times, t)),
  '[D15] what has not started counts': inForce(({ valid_from: _, ...times }, t) => isRight(times, t)),
  '[D15] what has a time never counts': inForce(
    ({ valid_from, valid_until }) => valid_from === undefined && valid_until === undefined,
  ),
  '[D15] an instant of 0 is none': inForce(({ valid_from, valid_until }, t) =>
    isRight({ valid_from: valid_from || Number.NEGATIVE_INFINITY, valid_until: valid_until || Infinity }, t),
  ),
  '[D15] roles in tenants have no times': inForce(ALL, ASSIGNMENTS, ({ resource_instance }) => !resource_instance),
  '[D15] roles on instances have no times': inForce(ALL, ASSIGNMENTS, ({ resource_instance }) => !!resource_instance),
  '[D15] relations have no times': inForce(ALL, TUPLES),
  '[D15] instants are whole seconds': inForce((times, t) => isRight(times, Math.floor(t / 1000) * 1000)),
  '[D15] a `now` that is sent moves grants': (policy, { stored }) => {
    return (request) => {
      const now = request.sent?.context?.now
      return check(typeof now === 'number' ? policyAt(stored, now) : policy, request)
    }
  },
  '[D15] `user.roles` has what is stored': whereConditionsSee((policy, stored) => ({
    ...policy,
    role_assignment: new Map([
      ...policy.role_assignment,
      ...[...stored.role_assignment].filter(([, { resource_instance }]) => !resource_instance),
    ]),
  })),
  '[D15] `user.tenants` has what is stored': whereConditionsSee(withTenantsOfStored),
  '[D15] a direct role of another time switches a derivation off':
    (policy, { stored }) =>
    (request) => {
      const others = [...stored.role_assignment].filter(
        ([key, { user, resource_instance }]) =>
          !policy.role_assignment.has(key) && user === request.user && resource_instance,
      )
      // such a role counts, and permits nothing
      const direct = new Map(others.map(([key, assignment]) => [key, { ...assignment, role: '' }] as const))
      const roles = new Map([...policy.resource_role, ...[...policy.resource.keys()].map(emptyRole)])
      return check(
        { ...policy, resource_role: roles, role_assignment: new Map([...policy.role_assignment, ...direct]) },
        request,
      )
    },
  '[D10] what was asked before is answered': (policy) => {
    let before = false
    return (request) => {
      const answer = before
      before = check(policy, request)
      return answer
    }
  },
  '[D11] what was deleted still counts': (policy) => {
    const assigned = EVER.get(policy) ?? new Map()
    EVER.set(policy, assigned)
    for (const [key, assignment] of policy.role_assignment) assigned.set(key, assignment)
    const standing = [...assigned].filter(
      ([, { role, resource_instance }]) => resource_instance || policy.role.has(role),
    )
    return (request) =>
      check(
        { ...policy, role_assignment: new Map(standing.filter(([, { resource_instance }]) => !resource_instance)) },
        request,
      ) || check(policy, request)
  },
}

const ends = (range: Json, low: string, high: string): JsonObject => {
  const [first, last] = range as readonly Json[]
  return { [low]: first!, [high]: last! }
}

const withRelations = (request: Request, relations: Record<string, readonly string[]>): Request => ({
  ...request,
  resource: { ...request.resource, relations },
})

/** Every `not` of a test also asks for a value. */
function presentUnderNot(json: Json): Json {
  if (Array.isArray(json)) return json.map(presentUnderNot)
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]): [string, Json] => {
      const inner = presentUnderNot(value)
      const negated = name.includes('.') && typeof inner === 'object' && inner !== null && 'not' in inner
      return [name, negated ? { and: [inner, THERE] } : inner]
    }),
  )
}
