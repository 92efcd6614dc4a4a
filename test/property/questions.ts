// Random questions about a world: about half of them start from what somebody holds, with none or one part exchanged,
// so that allow and deny are both common and the border between them is where most questions lie.
import type { JsonObject } from '../../src/model/objects.ts'
import type { Request } from '../reference/request.ts'
import type { World } from '../support/world.ts'
import { askedByAnybody } from './everybody.ts'
import type { Pool } from './pool.ts'
import { makeWords } from './set-edits.ts'
import { BORDERS } from './times.ts'
import { hintsFor, type Next, sentFrom } from './values.ts'

const ODD = ['', 'nobody', ':', 'ana/admin', '\ud800', 'Ana', 'default ', 'ünknown', 'x'.repeat(300)]

export function* questions(
  world: World,
  pool: Pool,
  next: (below: number) => number,
  count: number,
): Generator<Request> {
  for (const request of questionsOfWorld(world, pool, next, count)) yield askedByAnybody(request, pool.users, next)
}

function* questionsOfWorld(
  world: World,
  pool: Pool,
  next: (below: number) => number,
  count: number,
): Generator<Request> {
  const assignments = [...world.policy.role_assignment.values()].filter((each) => !each.resource_instance)
  const { role: roles, tenant_role: own } = world.policy
  const find = (role: string) => roles.get(role) ?? own.get(role)!
  const any = <T>(from: readonly T[]): T => from[next(from.length)]!
  const anything = (from: readonly string[]) => (next(12) === 0 ? any(ODD) : any(from))
  const permitted = (role: string): readonly string[] => {
    let each = find(role)
    while (each.extends.length > 0 && (each.permissions.length === 0 || next(2) === 0)) each = find(any(each.extends))
    return each.permissions
  }
  for (let asked = 0; asked < count; asked++) {
    let user = anything(pool.users)
    let tenant = anything(pool.tenants)
    let type = anything(pool.resources)
    let action = anything(pool.actions)
    if (assignments.length > 0 && next(5) > 0) {
      const assignment = any(assignments)
      const permissions = permitted(assignment.role)
      const exchanged = next(8)
      if (exchanged !== 0) user = assignment.user
      if (exchanged !== 1) tenant = assignment.tenant
      if (permissions.length > 0 && exchanged !== 2) {
        const permission = any(permissions)
        const colon = permission.indexOf(':')
        type = permission.slice(0, colon)
        if (exchanged !== 3) action = permission.slice(colon + 1)
      }
    }
    const related = next(8) === 0 ? aboutRelated(world, next) : undefined
    const sent = tenant === 'default' && next(2) === 0 ? {} : { tenant }
    if (related !== undefined) yield timed(related, pool, next)
    else if (world.policy.set_rule.size > 0 && next(5) > 1) yield timed(aboutSets(world, pool, next), pool, next)
    else
      yield timed(
        next(world.policy.resource_instance.size > 0 ? 2 : 4) === 0
          ? aboutInstance(world, next)
          : { user, action, resource: { type, ...sent } },
        pool,
        next,
      )
  }
}

/** In a world whose grants have times, now and then with a `now` that must move none of them (D15). */
function timed(request: Request, { times }: Pool, next: Next): Request {
  if (times === undefined || next(6) > 0) return request
  const { context, ...sent } = request.sent ?? {}
  return { ...request, sent: { ...sent, context: { ...context, now: BORDERS[next(BORDERS.length)]! } } }
}

/**
 * A question about an instance, mostly one that is stored, by somebody who may hold a role somewhere on the way to it.
 */
function aboutInstance(world: World, next: (below: number) => number): Request {
  const any = <T>(from: readonly T[]): T | undefined => from[next(from.length)]
  const instances = [...world.policy.resource_instance]
  const held = any([...world.policy.role_assignment.values()].filter((each) => each.resource_instance))
  let key = next(10) === 0 ? 'doc:nothing' : (any(instances)?.[0] ?? 'doc:nothing')
  if (held?.resource_instance && next(4) > 0) {
    // From where a role is held some way along the tuples, whatever they give.
    key = held.resource_instance
    for (let steps = next(4); steps > 0; steps--) {
      key = any([...world.policy.relationship_tuple.values()].filter(({ subject }) => subject === key))?.object ?? key
    }
  }
  const [type = '', name = ''] = key.split(':')
  const user = next(6) === 0 ? any([...world.policy.user.keys()]) : held?.user
  const given = [...world.policy.resource_role.values()].filter((role) => role.resource === type)
  const permission = any(given.flatMap(({ permissions }) => permissions))
  const action = next(8) > 0 ? permission?.slice(type.length + 1) : any(world.policy.resource.get(type)?.actions ?? [])
  const stored = world.policy.resource_instance.get(key)
  const tenant = [stored?.tenant, undefined, undefined, any([...world.policy.tenant.keys()])][next(4)]
  return {
    user: user ?? 'nobody',
    action: action ?? 'read',
    resource: { type, key: name, ...(tenant === undefined ? {} : { tenant }) },
  }
}

/**
 * A question with relations (D14), mostly one that a rule follows to where the user holds a role; about an instance
 * that is stored or not, or that has no key yet.
 */
function aboutRelated({ policy }: World, next: Next): Request | undefined {
  const any = <T>(from: readonly T[]): T | undefined => from[next(from.length)]
  const tuples = [...policy.relationship_tuple.values()]
  const held = any([...policy.role_assignment.values()].filter((each) => each.resource_instance))
  if (!held?.resource_instance) return undefined
  let subject: string = held.resource_instance
  for (let steps = next(3); steps > 0; steps--)
    subject = any(tuples.filter((tuple) => tuple.subject === subject))?.object ?? subject
  const deriving = [...policy.resource_role.values()].flatMap((role) =>
    (role.granted_to?.users_with_role ?? []).map((rule) => ({ role, rule })),
  )
  const of = subject.slice(0, subject.indexOf(':'))
  const found = any(deriving.filter(({ rule }) => rule.on_resource === of)) ?? any(deriving)
  if (found === undefined) return undefined
  const { role, rule } = found
  const type = role.resource
  const instances = [...policy.resource_instance.keys()]
  const [own, others] = [instances.filter((key) => key.startsWith(`${type}:`)), instances.concat('doc:nothing')]
  const key = [undefined, 'nothing', ...[any(own), any(own)].map((each) => each?.slice(type.length + 1))][next(4)]
  const given = [...policy.resource_role.values()].filter((each) => each.resource === type)
  const permission = any(next(3) > 0 ? role.permissions : given.flatMap(({ permissions }) => permissions))
  const stored = policy.resource_instance.get(subject)?.tenant
  const tenant = [stored, stored, undefined, any([...policy.tenant.keys()])][next(4)]
  const also = next(3) === 0 ? { [any(tuples)?.relation ?? 'owner']: [any(others)!] } : {}
  const subjects = next(4) === 0 ? [any(others)!, subject, any(others)!] : [next(10) === 0 ? any(others)! : subject]
  return {
    user: (next(8) === 0 ? any([...policy.user.keys()]) : held.user) ?? 'nobody',
    action: permission?.slice(type.length + 1) ?? 'read',
    resource: {
      type,
      ...(key === undefined ? {} : { key }),
      ...(tenant === undefined ? {} : { tenant }),
      relations: { ...also, [next(10) === 0 ? 'unknown' : rule.linked_by_relation]: subjects },
    },
  }
}

/** A question about the permission of a set rule, with attributes that its conditions ask for, nearly. */
function aboutSets(world: World, pool: Pool, next: Next): Request {
  const { policy } = world
  const any = <T>(from: readonly T[]): T | undefined => from[next(from.length)]
  const rule = any([...policy.set_rule.values()])!
  const [type = '', action = ''] = rule.permission.split(':')
  const words = makeWords(world, pool)
  const hints = hintsFor(next, words, [
    ...listConditions(world, rule.user_set),
    ...listConditions(world, rule.resource_set),
  ])
  const sent = sentFrom(next, words, hints)
  // Somebody where he or she belongs, for a third of the questions.
  const ties = next(2) === 0 ? policy.membership : policy.role_assignment
  const assigned = any([...ties.values()])
  const here = next(3) === 0
  const somewhere = next(2) === 0 ? undefined : any([...policy.tenant.keys(), 'nowhere'])
  const user = here ? assigned?.user : any([...policy.user.keys()])
  const tenant = here ? assigned?.tenant : somewhere
  const instances = [...policy.resource_instance.keys()].filter((key) => key.startsWith(`${type}:`))
  const stored = any(instances)?.slice(type.length + 1)
  const key = [undefined, stored, stored, any(words.instances), 'nothing'][next(5)]
  return {
    user: next(25) === 0 ? 'nobody' : (user ?? 'nobody'),
    action: next(20) === 0 ? 'read' : action,
    resource: { type, ...(key === undefined ? {} : { key }), ...(tenant === undefined ? {} : { tenant }) },
    ...(Object.keys(sent).length === 0 ? {} : { sent }),
  }
}

/** The conditions of a set and of its parents; none of a role or a type. */
function listConditions({ policy }: World, key: string): JsonObject[] {
  const found: JsonObject[] = []
  for (let set = policy.condition_set.get(key); set !== undefined; set = policy.condition_set.get(set.parent ?? '')) {
    found.push(set.conditions)
  }
  return found
}
