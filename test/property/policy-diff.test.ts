// Laws of the policy part of an access diff over random environments: the normal form of a rule means what the
// definition of the rule means, so that rules with equal forms decide alike; and the pairs of a role are what a user
// with that role alone is allowed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffPolicies, ruleDiffs } from '../../src/image/access-diff/policy-diff.ts'
import { RuleConditions } from '../../src/image/access-diff/rule-conditions.ts'
import { fold } from '../../src/image/contents.ts'
import { isKnown } from '../reference/request.ts'
import { byRoles } from '../reference/roles.ts'
import { hasResource, hasUser } from '../reference/sets.ts'
import { type Operation, World } from '../support/world.ts'
import { makeSituation, situations } from './filter-law.ts'
import { numbers } from './numbers.ts'
import { isResidualTrue } from './residual-law.ts'
import { parameters } from './seed.ts'
import { untimed, walk } from './walk.ts'

describe('rules', () => {
  it('[D6] the normal form of a rule means what the rule means', () => {
    const seen = { asked: 0, allowed: 0, open: 0 }
    fc.assert(
      fc.property(fc.oneof({ weight: 12, arbitrary: situations }, { weight: 1, arbitrary: untimed }), (drawn) => {
        const moments = 'history' in drawn ? walk(drawn, 6) : [makeSituation(drawn, numbers(drawn.seed))]
        for (const { world, requests } of moments) {
          const { policy } = world
          const rules = new RuleConditions(fold(world.contents()))
          for (const request of requests) {
            if (!isKnown(policy, request) || !policy.user.has(request.user)) continue // of who is not stored, no set is true
            for (const rule of policy.set_rule.values()) {
              if (rule.permission !== `${request.resource.type}:${request.action}`) continue
              const defined = hasUser(policy, request, rule.user_set) && hasResource(policy, request, rule.resource_set)
              const residual = rules.of(rule)
              seen.asked++
              if (defined) seen.allowed++
              if (typeof residual !== 'boolean') seen.open++
              expect(isResidualTrue(residual, policy, request), JSON.stringify({ rule, request, residual })).toBe(
                defined,
              )
            }
          }
        }
      }),
      parameters(60),
    )
    process.stdout.write(
      `${seen.asked} random questions about rules, ${seen.open} of rules that are not decided, ${seen.allowed} allowed\n`,
    )
    expect(seen.open).toBeGreaterThan(seen.asked / 2)
    expect(seen.allowed).toBeGreaterThan(seen.asked / 20)
  })
})

describe('pairs', () => {
  it('[D4] of roles in tenants are what a user with that role alone is allowed', () => {
    let pairs = 0
    fc.assert(
      fc.property(untimed, (drawn) => {
        let before = new World()
        for (const { world } of walk(drawn, 0)) {
          const after = new World(world)
          const diff = diffPolicies([fold(before.contents()), fold(after.contents())])
          const [was, is] = [allowedBy(before), allowedBy(after)]
          const listed = (of: 'gained' | 'lost') =>
            diff[of]
              .filter(({ source }) => source.kind === 'role')
              .map((pair) => `${pair.source.role} ${pair.permission}`)
          expect(listed('gained').sort()).toEqual([...is].filter((pair) => !was.has(pair)).sort())
          expect(listed('lost').sort()).toEqual([...was].filter((pair) => !is.has(pair)).sort())
          pairs += diff.gained.length + diff.lost.length
          before = after
        }
      }),
      parameters(3),
    )
    expect(pairs).toBeGreaterThan(100)
  })
})

/** The pairs of a role and a permission that the definition allows somebody who has nothing but the role. */
function allowedBy(from: World): Set<string> {
  const world = new World(from)
  const [tenant, user] = ['tenant of its own', 'user of its own']
  world.runAll([
    ['put', 'tenant', { key: tenant }],
    ['put', 'user', { key: user }],
  ])
  const found = new Set<string>()
  for (const role of world.policy.role.keys()) {
    const assignment: Operation = ['put', 'role_assignment', { user, role, tenant }]
    world.run(assignment)
    for (const [type, { actions }] of world.policy.resource)
      for (const action of actions)
        if (byRoles(world.policy, { user, action, resource: { type, tenant } })) found.add(`${role} ${type}:${action}`)
    world.run(['delete', 'role_assignment', { user, role, tenant }])
  }
  return found
}

describe('changed rules', () => {
  it('a policy compared with itself changes nothing', () => {
    fc.assert(
      fc.property(untimed, (drawn) => {
        for (const { world } of walk(drawn, 0)) {
          const contents = fold(world.contents())
          expect(ruleDiffs(contents, contents)).toEqual([])
        }
      }),
      parameters(4),
    )
  })
})
