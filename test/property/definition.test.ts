// The laws of the definition itself, over random policies of all three parts; and canaries: a definition that is wrong
// in one point differs from the right one within 10,000 of the questions that these generators ask. What they cannot
// tell apart, no image is tested for.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { type Case, toRequest } from '../conformance/cases.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { emptyPolicy, toPolicy } from '../reference/policy.ts'
import { byRelations } from '../reference/relations.ts'
import { askedAt, isKnown } from '../reference/request.ts'
import { byRoles } from '../reference/roles.ts'
import { bySets } from '../reference/sets.ts'
import { policyIn } from '../support/instants.ts'
import type { Operation } from '../support/world.ts'
import { World } from '../support/world.ts'
import { numbers } from './histories.ts'
import { Disagreement, shuffled } from './laws.ts'
import { toCase } from './save.ts'
import { parameters, scaled } from './seed.ts'
import { bordersIn, definedAt } from './times.ts'
import { MIDNIGHT } from './values.ts'
import { mixed, plain, timed, walk } from './walk.ts'

describe('the definition', () => {
  it('decides every question, and each of its parts allows a good share', () => {
    const allowed = { all: 0, roles: 0, relations: 0, sets: 0, nothing: 0 }
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, requests, at } of walk(drawn, 20)) {
          const policy = policyIn(world.policy, at[0])
          for (const request of requests) {
            allowed.all++
            if (!check(policy, request)) allowed.nothing++
            if (!isKnown(policy, request)) continue
            if (byRoles(policy, request)) allowed.roles++
            if (byRelations(policy, request)) allowed.relations++
            if (bySets(policy, request)) allowed.sets++
          }
        }
      }),
      parameters(150),
    )
    expect(allowed.all).toBeGreaterThan(5_000)
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
      parameters(20),
    )
  })

  it('[D3] [D10] does not depend on the order of what was written, nor on who asked before, nor when', () => {
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, next, requests, at } of walk(drawn, 20)) {
          const other = toPolicy(shuffled(world.contents(), next))
          for (const t of [...at, ...at.toReversed()]) {
            const [policy, again] = [policyIn(world.policy, t), policyIn(other, t)]
            const answers = requests.map((request) => check(policy, request))
            expect(requests.map((request) => check(again, request))).toEqual(answers)
            expect(bulkCheck(policy, requests)).toEqual(answers) // D12
            expect(requests.toReversed().map((request) => check(policy, request))).toEqual(answers.toReversed())
          }
        }
      }),
      parameters(30),
    )
  })

  it('[D15] changes at no instant but those at which a grant starts or ends, where an end may allow more', () => {
    const changed = { gained: 0, lost: 0, gainedByAnEnd: 0 }
    fc.assert(
      fc.property(timed, (drawn) => {
        for (const { world, next, requests } of walk(drawn, 10)) {
          const borders = bordersIn(world.policy)
          const at = next(Math.max(1, borders.length))
          const [from, until] = [borders[at], borders[at + 1] ?? Number.POSITIVE_INFINITY]
          if (from === undefined) continue
          const inside = from + next(Math.min(until - from, 2 ** 31))
          for (const asked of requests) {
            // conditions read one time throughout
            const request = askedAt(asked, MIDNIGHT)
            const allowed = (t: number) => check(policyIn(world.policy, t), request)
            const [is, was] = [allowed(from), allowed(from - 1)]
            expect([request, inside, allowed(inside)]).toEqual([request, inside, is])
            if (is !== was) changed[is ? 'gained' : 'lost']++
            const left = policyIn(policyIn(world.policy, from - 1), from)
            if (!was && check(left, request)) changed.gainedByAnEnd++
          }
        }
      }),
      parameters(100),
    )
    for (const [what, count] of Object.entries(changed)) expect([what, count > 0]).toEqual([what, true])
  })

  it('[D8] takes no identity from attributes, sent or stored', () => {
    const lies = { key: 'ana', roles: ['admin'], tenants: ['acme'], type: 'doc', tenant: 'acme' }
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { world, requests } of walk(drawn, 20)) {
          const { policy } = world
          for (const request of requests) {
            const { user, resource, ...rest } = request.sent ?? {}
            // `roles`, `tenants` and `type` of the other root are attributes like any other, but no condition here
            // reads them.
            const sent = { ...rest, user: { ...user, ...lies }, resource: { ...resource, ...lies } }
            if (check(policy, { ...request, sent }) !== check(policy, request))
              throw new Error(`believed: ${JSON.stringify({ ...request, sent })}`)
          }
        }
      }),
      parameters(20),
    )
  })

  it('[D3] takes nothing away when someone gets more, as long as nothing asks for less', () => {
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
            if (!check(more.policy, request)) throw new Error(`taken away: ${JSON.stringify(request)}`)
          }
        }
      }),
      parameters(60),
    )
    expect(allowed).toBeGreaterThan(scaled(4_000))
  })
})

/** The operation without `no_direct_roles_on_object`: there, a role more takes a derivation away. */
function withoutSwitches(operation: Operation): Operation {
  const [op, kind, object] = operation
  if (op !== 'put' || kind !== 'resource_role' || object.granted_to == null) return operation
  const rules = object.granted_to.users_with_role.map(({ when: _, ...rule }) => rule)
  return [op, kind, { ...object, granted_to: { users_with_role: rules } }]
}

/**
 * One more assignment, in a tenant or on an instance, one more membership, one more permission of a role, or one more
 * set rule.
 */
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
  switch (draw(6)) {
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
    case 3: {
      const permission = any(permissions.filter((each) => each.startsWith(`${held?.resource}:`)))
      if (held === undefined || permission === undefined) return []
      return [['put', 'resource_role', { ...held, permissions: [...held.permissions, permission] }]]
    }
    case 4: {
      const permission = any(permissions)
      if (role === undefined || permission === undefined) return []
      const type = permission.slice(0, permission.indexOf(':'))
      const rule = { user_set: `__autogen_${role[0]}`, permission, resource_set: `__autogen_${type}` }
      return [['put', 'set_rule', rule]]
    }
    default:
      if (role === undefined || permissions.length === 0) return []
      return [['put', 'role', { key: role[0], ...role[1], permissions: [...role[1].permissions, any(permissions)!] }]]
  }
}

describe('an empty policy', () => {
  it('[D1] denies every question of every world', () => {
    fc.assert(
      fc.property(mixed, (drawn) => {
        for (const { requests } of walk(drawn, 5)) {
          for (const request of requests) expect(check(emptyPolicy(), request)).toBe(false)
        }
      }),
      parameters(10),
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
        const { world, requests, at } = [...walk(drawn, 3)].at(-1)!
        const [t] = at
        for (const request of requests) {
          const expected = definedAt(world.policy, request, t, check)
          const found = new Disagreement(request, drawn.history.revisions.length + 1, expected, t)
          const saved = JSON.parse(JSON.stringify(toCase(drawn, found))) as Case
          if (!schema.Check(saved)) expect(schema.Errors(saved)).toEqual([true, []])
          const replayed = new World()
          for (const { write = [] } of saved.steps) replayed.runAll(write)
          const step = saved.steps.at(-1)!
          const row = step.checks![0]!
          const answer = definedAt(replayed.policy, toRequest(row), step.at, check)
          expect([answer, row[3]]).toEqual([expected, expected])
        }
      }),
      parameters(15),
    )
  })
})
