// Edits of roles on instances for random histories: resource roles and their derivations, instances, tuples, and who
// holds what where. Few keys, so that ways over relations meet, fork and close to circles.
import fc from 'fast-check'
import type { Operation, World } from '../support/world.ts'
import type { Pool } from './pool.ts'
import { typesIn } from './set-edits.ts'

type Numbers = readonly number[]

const INSTANCES = ['a', 'b', 'c', 'A', '__proto__']
const RELATIONS = ['parent', 'owner', 'constructor']
/** Roles of every type go by few names: the same name on two types is two roles. */
const listRoles = (pool: Pool) => pool.roles.slice(0, 4)

const pick = <T>(from: readonly T[], number: number): T | undefined => from[number % from.length]
/** Not all of many types: the definition walks every way. */
const listTypes = (world: World) => typesIn(world).slice(0, 6)
const listKeys = (map: ReadonlyMap<string, unknown>) => [...map.keys()]

export const RELATION_VERBS = {
  resourceRole: (world, pool, [type = 0, name = 0, held = 0, parents = 0, rules = 0]) => {
    const resource = pick(listTypes(world), type)
    const role = pick(listRoles(pool), name)
    if (resource === undefined || role === undefined) return []
    const { actions } = world.policy.resource.get(resource)!
    const permissions = actions
      .filter((_, index) => ((held >> (index % 10)) & 1) === 1)
      .map((action) => `${resource}:${action}`)
    const above = listKeys(world.policy.resource_role).filter((key) => key.startsWith(`${resource}/`))
    const candidate = pick(above, parents)?.slice(resource.length + 1)
    const extended = candidate !== undefined && parents % 3 > 0 && !extendsOver(world, resource, candidate, role)
    return [
      ...everyRelation(world, pool),
      [
        'put',
        'resource_role',
        {
          resource,
          role,
          permissions,
          extends: extended ? [candidate] : [],
          granted_to: derivation(world, resource, rules),
        },
      ],
    ]
  },
  /**
   * One role for each type, derived over one relation from the same role of the type before: long ways, closed to a
   * circle.
   */
  resourceRoles: (world, pool, [name = 0, relation = 0, direct = 0]) => {
    const role = pick(listRoles(pool), name)!
    const types = listTypes(world)
    const permissions = (resource: string) =>
      world.policy.resource
        .get(resource)!
        .actions.filter((_, index) => index % 2 === name % 2)
        .slice(0, 2)
        .map((action) => `${resource}:${action}`)
    const roles = types.map((resource): Operation => {
      return ['put', 'resource_role', { resource, role, permissions: permissions(resource) }]
    })
    const derived = types.map((resource): Operation => {
      const on_resource = subjectResource(pool, resource, relation)
      const when = { no_direct_roles_on_object: direct % 2 === 1 }
      const rule = { role, on_resource, linked_by_relation: pick(RELATIONS, relation)!, when }
      // Beside a rule that a direct role switches off, one that it leaves alone.
      const beside = {
        role,
        on_resource: subjectResource(pool, resource, relation + 1),
        linked_by_relation: pick(RELATIONS, relation + 1)!,
      }
      const rules = [rule, ...(direct % 2 === 1 ? [beside] : [])].filter((each) => types.includes(each.on_resource))
      const granted_to = rules.length > 0 ? { users_with_role: rules } : null
      return ['put', 'resource_role', { resource, role, permissions: permissions(resource), granted_to }]
    })
    const child = pick(listRoles(pool), name + 1)!
    const children = types
      .filter((resource) => direct % 3 > 0 && child !== role && !extendsOver(world, resource, role, child))
      .map((resource): Operation => ['put', 'resource_role', { resource, role: child, extends: [role] }])
    return [...everyRelation(world, pool), ...roles, ...derived, ...children]
  },
  instance: (world, _, [type = 0, name = 0, home = 0]) => instance(world, type, name, home),
  instances: (world, _, [home = 0]) =>
    listTypes(world).flatMap((__, type) => INSTANCES.flatMap((___, name) => instance(world, type, name, home))),
  relate: (world, pool, [subject = 0, relation = 0, object = 0]) =>
    tuple(world, pool, pick(listKeys(world.policy.resource_instance), subject), relation, object),
  /** Each instance related to one after it. */
  relateMany: (world, pool, [relation = 0, step = 0]) =>
    listKeys(world.policy.resource_instance).flatMap((subject, at) =>
      tuple(world, pool, subject, relation, at + 1 + step),
    ),
  unrelate: (world, _, [n = 0]) => {
    const found = pick([...world.policy.relationship_tuple.values()], n)
    return found ? [['delete', 'relationship_tuple', found]] : []
  },
  assignOn: (world, _, [u = 0, on = 0, r = 0]) => {
    const user = pick(listKeys(world.policy.user), u)
    const [key, value] = pick([...world.policy.resource_instance], on) ?? []
    if (user === undefined || key === undefined) return []
    const type = key.slice(0, key.indexOf(':'))
    const roles = listKeys(world.policy.resource_role).filter((role) => role.startsWith(`${type}/`))
    const role = pick(roles, r)?.slice(type.length + 1)
    if (role === undefined) return []
    return [['put', 'role_assignment', { user, role, tenant: value!.tenant, resource_instance: key }]]
  },
  deleteInstance: (world, _, [n = 0]) => {
    const key = pick(listKeys(world.policy.resource_instance), n)
    if (key === undefined) return []
    const [resource = '', name = ''] = key.split(':')
    return [['delete', 'resource_instance', { resource, instance: name }]]
  },
  deleteResourceRole: (world, _, [n = 0]) => {
    const found = pick([...world.policy.resource_role.values()], n)
    return found ? [['delete', 'resource_role', { resource: found.resource, role: found.role }]] : []
  },
} satisfies Record<string, (world: World, pool: Pool, numbers: Numbers) => readonly Operation[]>

/** Relation r of a type leads from one other type, or from itself. */
function subjectResource(pool: Pool, resource: string, relation: number): string {
  const at = pool.resources.indexOf(resource)
  return pool.resources[(at + ((relation % RELATIONS.length) % 2)) % pool.resources.length]!
}

function everyRelation(world: World, pool: Pool): Operation[] {
  return listTypes(world).flatMap((resource) =>
    RELATIONS.map((relation, index): Operation => {
      return ['put', 'relation', { resource, relation, subject_resource: subjectResource(pool, resource, index) }]
    }),
  )
}

function derivation(world: World, resource: string, number: number) {
  const rules = RELATIONS.flatMap((relation, index) => {
    const on = world.relations.get(`${resource}/${relation}`)?.subject_resource
    if (on === undefined || ((number >> index) & 1) === 0) return []
    const role = pick(
      listKeys(world.policy.resource_role).filter((key) => key.startsWith(`${on}/`)),
      number + index,
    )
    if (role === undefined) return []
    const when = { no_direct_roles_on_object: (number + index) % 3 === 2 }
    return [{ role: role.slice(on.length + 1), on_resource: on, linked_by_relation: relation, when }]
  })
  return number % 7 === 0 ? null : { when: { no_direct_roles_on_object: number % 5 === 3 }, users_with_role: rules }
}

function extendsOver(world: World, resource: string, from: string, to: string): boolean {
  const reached = new Set([from])
  for (const each of reached) {
    for (const parent of world.policy.resource_role.get(`${resource}/${each}`)?.extends ?? []) reached.add(parent)
  }
  return reached.has(to)
}

function instance(world: World, type: number, name: number, home: number): Operation[] {
  const resource = pick(listTypes(world), type)
  const key = `${resource}:${pick(INSTANCES, name)}`
  const stored = world.policy.resource_instance.get(key)
  const held = [...world.policy.role_assignment.values()].some((each) => each.resource_instance === key)
  // Management moves no instance to another tenant while somebody has a role on it.
  const tenant = held ? stored?.tenant : pick(listKeys(world.policy.tenant), home % 5 === 0 ? home : 0)
  if (resource === undefined || tenant === undefined) return []
  return [['put', 'resource_instance', { resource, instance: pick(INSTANCES, name)!, tenant }]]
}

function tuple(world: World, pool: Pool, subject: string | undefined, relation: number, object: number): Operation[] {
  if (subject === undefined) return []
  const type = subject.slice(0, subject.indexOf(':'))
  const objects = listKeys(world.policy.resource_instance).filter((key) => {
    return subjectResource(pool, key.slice(0, key.indexOf(':')), relation % RELATIONS.length) === type
  })
  const related = pick(objects, object)
  if (related === undefined) return []
  const value = { subject, relation: RELATIONS[relation % RELATIONS.length]!, object: related }
  return [...everyRelation(world, pool), ['put', 'relationship_tuple', value]]
}

const number = fc.nat(1000)
const verb = <V extends keyof typeof RELATION_VERBS>(name: V, weight: number) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(name), number, number, number, number, number),
})

export const relationEdits = fc.oneof(
  verb('resourceRole', 6),
  verb('resourceRoles', 2),
  verb('instance', 4),
  verb('instances', 2),
  verb('relate', 6),
  verb('relateMany', 2),
  verb('unrelate', 2),
  verb('assignOn', 14),
  verb('deleteInstance', 1),
  verb('deleteResourceRole', 1),
)
