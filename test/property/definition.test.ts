// The laws of the definition itself, over random policies of all three parts; and canaries: a definition that is wrong in one point differs
// from the right one within 10,000 of the questions that these generators ask. What they cannot tell apart, no image is tested for.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import type { PolicyKind } from '../../src/log/delta.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { type Case, requestOf } from '../conformance/cases.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { emptyPolicy, type Policy, policyOf } from '../reference/policy.ts'
import { byRelations } from '../reference/relations.ts'
import { isKnown, type Request, tenantOf } from '../reference/request.ts'
import { byRoles, rolesIn } from '../reference/roles.ts'
import { bySets, hasResource, hasUser, rulesFor } from '../reference/sets.ts'
import type { Operation } from '../support/world.ts'
import { World } from '../support/world.ts'
import { type History, mixedHistories, numbers, operationsOf, POOLS, plainHistories } from './histories.ts'
import { Disagreement, shuffled } from './laws.ts'
import { questions } from './questions.ts'
import { caseOf } from './save.ts'
import { parameters } from './seed.ts'

interface Drawn {
  readonly history: History
  readonly seed: number
}
const mixed: fc.Arbitrary<Drawn> = fc.record({ history: mixedHistories, seed: fc.nat() })
const plain: fc.Arbitrary<Drawn> = fc.record({ history: plainHistories, seed: fc.nat() })

/** The world after each revision of a history, with questions about it. */
function* walk({ history, seed }: Drawn, asked: number, change = (operation: Operation) => operation) {
  const pool = POOLS[history.pool]
  const next = numbers(seed)
  const world = new World()
  for (const edits of history.revisions) {
    for (const edit of edits) world.runAll(operationsOf(world, pool, edit).map(change))
    yield { world, next, requests: [...questions(world, pool, next, asked)] }
  }
}

describe('the definition', () => {
  it('decides every question, and each of its parts allows a good share', () => {
    const allowed = { all: 0, roles: 0, relations: 0, sets: 0, nothing: 0 }
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, requests } of walk(drawn, 20)) {
          for (const request of requests) {
            allowed.all++
            if (!check(world.policy, request)) allowed.nothing++
            if (!isKnown(world.policy, request)) continue
            if (byRoles(world.policy, request)) allowed.roles++
            if (byRelations(world.policy, request)) allowed.relations++
            if (bySets(world.policy, request)) allowed.sets++
          }
        }
      }),
      parameters(150),
    )
    expect(allowed.all).toBeGreaterThan(10_000)
    for (const part of ['roles', 'relations', 'sets', 'nothing'] as const) {
      expect([part, allowed[part] / allowed.all > 0.05]).toEqual([part, true])
    }
  })

  it('[D1] denies everything when nobody has a role and no rule stands', () => {
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, requests } of walk(drawn, 20)) {
          const nothing = { ...world.policy, role_assignment: new Map(), set_rule: new Map() }
          for (const request of requests) expect(check(nothing, request)).toBe(false)
        }
      }),
      parameters(40),
    )
  })

  it('[D3] [D10] does not depend on the order of what was written, nor on who asked before', () => {
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, next, requests } of walk(drawn, 20)) {
          const other = policyOf(shuffled(world.contents(), next))
          const answers = requests.map((request) => check(world.policy, request))
          expect(requests.map((request) => check(other, request))).toEqual(answers)
          expect(bulkCheck(world.policy, requests)).toEqual(answers) // D12
          expect(requests.toReversed().map((request) => check(world.policy, request))).toEqual(answers.toReversed())
        }
      }),
      parameters(60),
    )
  })

  it('[D8] takes no identity from attributes, sent or stored', () => {
    const lies = { key: 'ana', roles: ['admin'], tenants: ['acme'], type: 'doc', tenant: 'acme' }
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, requests } of walk(drawn, 20)) {
          const { policy } = world
          for (const request of requests) {
            const { user, resource, ...rest } = request.sent ?? {}
            // `roles`, `tenants` and `type` of the other root are attributes like any other, but no condition here reads them.
            const sent = { ...rest, user: { ...user, ...lies }, resource: { ...resource, ...lies } }
            expect([request, check(policy, { ...request, sent })]).toEqual([request, check(policy, request)])
          }
        }
      }),
      parameters(40),
    )
  })

  it('[D3] gives nothing up when somebody gets more, as long as nothing asks for less', () => {
    let allowed = 0
    fc.assert(
      fc.property(plain, fc.nat(), (drawn, seed) => {
        const draw = numbers(seed)
        for (const { world, requests } of walk(drawn, 25, withoutSwitches)) {
          const more = new World(world)
          for (let count = 1 + draw(3); count > 0; count--) more.runAll(grant(more, draw))
          for (const request of requests) {
            if (!check(world.policy, request)) continue
            allowed++
            expect([request, check(more.policy, request)]).toEqual([request, true])
          }
        }
      }),
      parameters(100),
    )
    expect(allowed).toBeGreaterThan(5_000)
  })
})

/** The operation without `no_direct_roles_on_object`: there, a role more takes a derivation away. */
function withoutSwitches(operation: Operation): Operation {
  const [op, kind, object] = operation
  if (op !== 'put' || kind !== 'resource_role' || object.granted_to == null) return operation
  const rules = object.granted_to.users_with_role.map(({ when: _, ...rule }) => rule)
  return [op, kind, { ...object, granted_to: { users_with_role: rules } }]
}

/** One more assignment, in a tenant or on an instance, one more membership, or one more permission of a role. */
function grant({ policy }: World, draw: (below: number) => number): Operation[] {
  const any = <T>(from: Iterable<T>): T | undefined => {
    const items = [...from]
    return items[draw(items.length)]
  }
  const [user, tenant, role] = [any(policy.user.keys()), any(policy.tenant.keys()), any(policy.role)]
  const [instance, stored] = any(policy.resource_instance) ?? []
  const held = any([...policy.resource_role.values()].filter((each) => instance?.startsWith(`${each.resource}:`)))
  const permissions = [...policy.resource].flatMap(([type, { actions }]) =>
    actions.map((action) => `${type}:${action}`),
  )
  switch (draw(4)) {
    case 0:
      if (user === undefined || tenant === undefined || role === undefined) return []
      return [['put', 'role_assignment', { user, role: role[0], tenant }]]
    case 1:
      if (user === undefined || instance === undefined || held === undefined) return []
      return [
        ['put', 'role_assignment', { user, role: held.role, tenant: stored!.tenant, resource_instance: instance }],
      ]
    case 2:
      return user === undefined || tenant === undefined ? [] : [['put', 'membership', { user, tenant }]]
    default:
      if (role === undefined || permissions.length === 0) return []
      return [['put', 'role', { key: role[0], ...role[1], permissions: [...role[1].permissions, any(permissions)!] }]]
  }
}

type Definition = (policy: Policy) => (request: Request) => boolean

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
      // What a `ref` and `fk_resource_type` name is no value.
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

const OFF = { no_direct_roles_on_object: false }
/** A test that any value passes which is there. */
const THERE: JsonObject = {
  or: [{ equals: '' }, { 'not-equals': '' }, { array_superset: [] }, { object_match: { match: {} } }],
}

const WRONG: Record<string, Definition> = {
  'everything is denied': () => () => false,
  'everything known is allowed': (policy) => (request) => isKnown(policy, request),
  'roles of another tenant count': (policy) => (request) =>
    check(policy, request) || check(policy, { ...request, resource: { ...request.resource, tenant: 'acme' } }),
  'roles extend nothing': over((policy) => altered(policy, 'role', (role) => ({ ...role, extends: [] }))),
  'no tenant means the default one': (policy) => (request) =>
    check(policy, { ...request, resource: { tenant: 'default', ...request.resource } }),
  'the tenant that was sent is ignored': (policy) => (request) => {
    const { tenant: _, ...resource } = request.resource
    return check(policy, { ...request, resource })
  },
  'the instance is ignored': (policy) => (request) => {
    const { key: _, ...resource } = request.resource
    return check(policy, { ...request, resource })
  },
  'instances are in every tenant': (policy) => (request) => {
    const tenant = tenantOf(policy, request)
    return check(
      altered(policy, 'resource_instance', (value) => ({ ...value, tenant })),
      request,
    )
  },
  'nothing is derived': over((policy) => ({ ...policy, relationship_tuple: new Map() })),
  'roles are derived over one relation only': (policy) => {
    const wrong = altered(policy, 'resource_role', (role) => {
      const rules = role.granted_to?.users_with_role.filter(({ role: source, on_resource }) => {
        return policy.resource_role.get(`${on_resource}/${source}`)?.granted_to == null
      })
      return rules === undefined ? role : { ...role, granted_to: { ...role.granted_to!, users_with_role: rules } }
    })
    return (request) => check(wrong, request)
  },
  'relations lead both ways': over((policy) => {
    const both = [...policy.relationship_tuple].flatMap(([key, tuple]) => [
      [key, tuple] as const,
      [`${key}/`, { ...tuple, subject: tuple.object, object: tuple.subject }] as const,
    ])
    return { ...policy, relationship_tuple: new Map(both) }
  }),
  'the relation of a rule is ignored': over((policy) => {
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
  'roles of a type extend nothing': over((policy) =>
    altered(policy, 'resource_role', (role) => ({ ...role, extends: [] })),
  ),
  'direct roles switch nothing off': over((policy) =>
    altered(policy, 'resource_role', (role) => ({
      ...role,
      granted_to: role.granted_to && {
        when: OFF,
        users_with_role: role.granted_to.users_with_role.map((rule) => ({ ...rule, when: OFF })),
      },
    })),
  ),
  'the switch of a rule holds for its role': over((policy) =>
    altered(policy, 'resource_role', (role) => {
      const rules = role.granted_to?.users_with_role ?? []
      const when = { no_direct_roles_on_object: rules.some((rule) => rule.when.no_direct_roles_on_object) }
      return rules.length === 0 ? role : { ...role, granted_to: { when, users_with_role: rules } }
    }),
  ),
  'set rules give nothing': over((policy) => ({ ...policy, set_rule: new Map() })),
  'one of the two sets is enough': (policy) => (request) =>
    check(policy, request) ||
    (isKnown(policy, request) &&
      rulesFor(policy, request).some(
        (rule) => hasUser(policy, request, rule.user_set) || hasResource(policy, request, rule.resource_set),
      )),
  'a set rule is about every action of its type': (policy) => (request) => {
    const own = [...policy.set_rule].map(([key, rule]) => {
      const same = rule.permission.startsWith(`${request.resource.type}:`)
      return [key, same ? { ...rule, permission: `${request.resource.type}:${request.action}` } : rule] as const
    })
    return check({ ...policy, set_rule: new Map(own) }, request)
  },
  'parents of sets do not count': over((policy) =>
    altered(policy, 'condition_set', (set) => ({ ...set, parent: null })),
  ),
  'a role as a set means the roles that extend it, too': (policy) => (request) => {
    const roles = rolesIn(policy, request.user, tenantOf(policy, request))
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
  'a user who is not stored may be in a set': (policy) => (request) =>
    check({ ...policy, user: new Map([[request.user, {}], ...policy.user]) }, request),
  'a tenant that is not stored may be asked about': (policy) => (request) =>
    check({ ...policy, tenant: new Map([[tenantOf(policy, request), {}], ...policy.tenant]) }, request),
  'the key that is sent is believed': (policy) => (request) => {
    const key = request.sent?.user?.key
    return check(policy, request) || (typeof key === 'string' && check(policy, { ...request, user: key }))
  },
  'what is sent about the user is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, user: {} } }),
  'what is sent about the resource is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, resource: {} } }),
  'what is sent with the action is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, action: {} } }),
  'the context is ignored': (policy) => (request) =>
    check(policy, { ...request, sent: { ...request.sent, context: {} } }),
  'what is stored hides what is sent': (policy) => (request) =>
    check(policy, {
      ...request,
      sent: { ...request.sent, user: { ...request.sent?.user, ...policy.user.get(request.user)?.attributes } },
    }),
  'attributes of users are not stored': over((policy) => altered(policy, 'user', () => ({}))),
  'attributes of instances are not stored': over((policy) =>
    altered(policy, 'resource_instance', ({ tenant }) => ({ tenant })),
  ),
  'attributes of tenants are not stored': over((policy) => altered(policy, 'tenant', () => ({}))),
  'everybody belongs to every tenant': over((policy) => {
    const pairs = [...policy.user.keys()].flatMap((user) =>
      [...policy.tenant.keys()].map((tenant) => ({ user, tenant })),
    )
    return { ...policy, membership: new Map(pairs.map((pair) => [`${pair.tenant}/${pair.user}`, pair])) }
  }),
  'memberships do not count': over((policy) => ({ ...policy, membership: new Map() })),
  'declared types are ignored': declaredAs(() => undefined),
  'times compare as they are written': declaredAs((type) => (type === 'time' ? undefined : type)),
  'text folds case': valuesAs((value) => (typeof value === 'string' ? value.toLowerCase() : value)),
  'values are compared as text': valuesAs((value) => (value === null ? null : String(value))),
  'truth is a number': valuesAs((value) => (typeof value === 'boolean' ? Number(value) : value)),
  'null is text': valuesAs((value) => value ?? 'null'),
  '`not-equals` of what is missing is true': reading('not-equals', (value) => ({ not: { equals: value } })),
  '`not` of what is missing is false': (policy) => {
    const wrong = altered(policy, 'condition_set', (set) => ({ ...set, conditions: presentUnderNot(set.conditions) }))
    return (request) => check(wrong, request)
  },
  '`equals` is `not-equals`': instead('equals', 'not-equals'),
  '`less-than` includes': instead('less-than', 'less-than-equals'),
  '`less-than-equals` leaves out': instead('less-than-equals', 'less-than'),
  '`greater-than` includes': instead('greater-than', 'greater-than-equals'),
  '`greater-than-equals` leaves out': instead('greater-than-equals', 'greater-than'),
  '`between` leaves out its first': reading('between', (range) => ends(range, 'greater-than', 'less-than-equals')),
  '`between` leaves out its last': reading('between', (range) => ends(range, 'greater-than-equals', 'less-than')),
  '`contains` is `starts-with`': instead('contains', 'starts-with'),
  '`starts-with` is `contains`': instead('starts-with', 'contains'),
  '`ends-with` is `contains`': instead('ends-with', 'contains'),
  '`in` looks at the first item': reading('in', (list) => ({ in: Array.isArray(list) ? list.slice(0, 1) : list })),
  '`array_subset` is `array_intersect`': instead('array_subset', 'array_intersect'),
  '`array_subset` of nothing is false': reading('array_subset', (list) => ({
    array_subset: list,
    array_intersect: list,
  })),
  '`array_superset` is `array_intersect`': instead('array_superset', 'array_intersect'),
  '`array_intersect` is `array_superset`': instead('array_intersect', 'array_superset'),
  '`array_contains` looks at the whole': reading('array_contains', (value) => ({ array_contains: value, equals: 'a' })),
  '`any_match` asks all': instead('any_match', 'all_match'),
  '`all_match` asks some': instead('all_match', 'any_match'),
  '`object_match` takes a list': instead('object_match', 'any_match'),
  'foreign keys are not followed': reading('fk_resource_type', () => ({})),
  '`anyOf` means all': instead('anyOf', 'allOf'),
  '`or` means all': instead('or', 'and'),
  '`allOf` means some': instead('allOf', 'anyOf'),
  '`and` means some': instead('and', 'or'),
}

const ends = (range: Json, low: string, high: string): JsonObject => {
  const [first, last] = range as readonly Json[]
  return { [low]: first!, [high]: last! }
}

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

// One seed for all runs, unless ZEROHOP_TEST_SEED names another: of 60 canaries one or the other would be missed now and then.
describe('canaries: a wrong definition differs within 10,000 questions', () => {
  it.each(Object.entries(WRONG))('%s', (_, definition) => {
    let asked = 0
    for (const drawn of fc.sample(mixed, { seed: 1, ...parameters(600) })) {
      for (const { world, requests } of walk(drawn, 12)) {
        const wrong = definition(world.policy)
        for (const request of requests) {
          if (++asked > 10_000) throw new Error('not caught within 10,000 questions')
          if (wrong(request) !== check(world.policy, request)) return
        }
      }
    }
    throw new Error(`not caught within ${asked} questions`)
  })
})

describe('an empty policy', () => {
  it('[D1] denies every question of every world', () => {
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { requests } of walk(drawn, 5)) {
          for (const request of requests) expect(check(emptyPolicy(), request)).toBe(false)
        }
      }),
      parameters(20),
    )
  })
})

describe('a counterexample', () => {
  it('becomes a case that follows the schema and asks the same', () => {
    const schema = Schema.Compile(
      JSON.parse(readFileSync(new URL('../conformance/case.schema.json', import.meta.url), 'utf8')),
    )
    const small = mixed.filter(({ history }) => history.pool === 'small' || history.pool === 'odd')
    fc.assert(
      fc.property(small, (drawn) => {
        const { world, requests } = [...walk(drawn, 3)].at(-1)!
        for (const request of requests) {
          const expected = check(world.policy, request)
          const found = new Disagreement(request, drawn.history.revisions.length + 1, expected)
          const saved = JSON.parse(JSON.stringify(caseOf(drawn, found))) as Case
          expect(schema.Errors(saved)).toEqual([true, []])
          const replayed = new World()
          for (const { write = [] } of saved.steps) replayed.runAll(write)
          const row = saved.steps.at(-1)!.checks![0]!
          expect([check(replayed.policy, requestOf(row)), row[3]]).toEqual([expected, expected])
        }
      }),
      parameters(15),
    )
  })
})
