// The ways that an explanation names for a deny are true: each of them, carried out, allows. Over random policies, with
// the definition as the judge.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ways } from '../../src/image/explain/ways.ts'
import { findPool, mixedHistories, numbers } from '../property/histories.ts'
import { askedIn, type Play, play } from '../property/laws.ts'
import { questions } from '../property/questions.ts'
import { parameters } from '../property/seed.ts'
import { definedAt, makeInstants } from '../property/times.ts'
import { check } from '../reference/check.ts'
import { grantsOn } from '../reference/relations.ts'
import { type Request, resolveTenant } from '../reference/request.ts'
import type { Instant } from '../support/instants.ts'
import { toParts } from '../support/parts.ts'
import { type Operation, World } from '../support/world.ts'

const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })

describe('what an explanation of a deny names', () => {
  it('allows when it is done: a role in the tenant, on the instance, on a related instance', () => {
    const tried = { in_tenant: 0, on_instance: 0, related: 0, elsewhere: 0 }
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const when = makeInstants(world.policy, numbers(drawn.seed))
        for (const request of questions(world, findPool(drawn.history), numbers(drawn.seed), 60)) {
          const [t] = when()
          const { explanation, ways } = askedIn(image, t, () => image.explainWays(...toParts(request)))
          if (explanation.allow) continue
          expectRolesOfTenant(world, request, ways)
          for (const [kind, assignment] of suggested(world, request, ways)) {
            tried[kind]++
            expect([request, t, assignment, allowedWith(world, request, assignment, t)]).toEqual([
              request,
              t,
              assignment,
              true,
            ])
          }
          for (const { where, role } of ways.near?.in_other_tenants.first ?? []) {
            tried.elsewhere++
            const asked = { ...request, resource: { type: request.resource.type, tenant: where } }
            const allowed = definedAt(world.policy, asked, t, check)
            expect([request, t, where, role, allowed]).toEqual([request, t, where, role, true])
          }
        }
      }),
      parameters(12),
    )
    // each kind was met
    for (const [kind, count] of Object.entries(tried)) expect([kind, count > 5]).toEqual([kind, true])
  })
})

type Assignment = Extract<Operation, readonly ['put', 'role_assignment', unknown]>[2]

function* suggested(
  world: World,
  request: Request,
  { near }: Ways,
): Iterable<['in_tenant' | 'on_instance' | 'related', Assignment]> {
  if (near === undefined) return
  const { user, resource } = request
  const tenant = resolveTenant(world.policy, request)
  for (const { role } of near.in_tenant.first) yield ['in_tenant', { user, role, tenant }]
  const instance = `${resource.type}:${resource.key}`
  if (world.policy.resource_instance.get(instance)?.tenant === tenant)
    for (const { role } of near.on_instance.first)
      yield ['on_instance', { user, role, tenant, resource_instance: instance }]
  for (const [first] of near.related.first)
    yield ['related', { user, role: first!.role, tenant, resource_instance: first!.on }]
}

function allowedWith(world: World, request: Request, assignment: Assignment, t: Instant): boolean {
  const operation = ['role_assignment', assignment] as const
  const changed = new World(world)
  changed.run(['put', ...operation])
  return definedAt(changed.policy, request, t, check)
}

/** None of the roles is left out of the count. */
function expectRolesOfTenant({ policy }: World, { action, resource }: Request, { near }: Ways): void {
  if (near === undefined) return
  const permission = `${resource.type}:${action}`
  const has = (role: string): boolean => {
    const { permissions, extends: parents } = policy.role.get(role)!
    return permissions.includes(permission) || parents.some(has)
  }
  expect(near.in_tenant.count).toBe([...policy.role.keys()].filter(has).length)
  const ofType = [...policy.resource_role.values()].filter((role) => role.resource === resource.type)
  const giving = ofType.filter(({ role }) => grantsOn(policy, resource.type, role, permission))
  expect([0, giving.length]).toContain(near.on_instance.count)
}
