// What the random calls of rest.test.ts reach, asked of the model alone and for one seed, so that the answer is the
// same on every machine: a kind of call that is never taken, or a part of a decision that never allows, is a hole in
// the generator.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { check } from '../reference/check.ts'
import type { Policy } from '../reference/policy.ts'
import { byRelations } from '../reference/relations.ts'
import { isKnown } from '../reference/request.ts'
import { byRoles } from '../reference/roles.ts'
import { bySets } from '../reference/sets.ts'
import { sequences } from './rest/calls.ts'
import { callKind, expected, KINDS, questions } from './rest/model.ts'
import { policyIn } from './rest/policy.ts'
import { State } from './rest/state.ts'

/** The policy without what makes up one part of its decisions. */
const without = (policy: Policy, ...kinds: (keyof Policy)[]): Policy =>
  Object.assign({ ...policy }, Object.fromEntries(kinds.map((kind) => [kind, new Map()])))

describe('random calls', () => {
  const taken = new Map<string, number>()
  const refused = new Map<string, Set<number>>()
  const allowed = { roles: 0, relations: 0, derivations: 0, rules: 0, conditions: 0, nothing: 0 }

  beforeAll(() => {
    for (const sequence of fc.sample(sequences, { seed: 1, numRuns: 400 })) {
      const state = new State()
      for (const call of sequence) {
        const statuses = [expected(state, call).status].flat()
        const kind = callKind(call)
        if (statuses.every((status) => status < 300)) taken.set(kind, (taken.get(kind) ?? 0) + 1)
        else refused.set(kind, new Set([...(refused.get(kind) ?? []), ...statuses]))
      }
      ask(policyIn(state))
    }
  })

  function ask(policy: Policy): void {
    const conditions = new Map([...policy.condition_set].filter(([, set]) => Object.keys(set.conditions).length === 0))
    const unconditional = [...policy.set_rule].filter(([, { user_set, resource_set }]) =>
      [user_set, resource_set].every((key) => key.startsWith('__autogen_') || conditions.has(key)),
    )
    for (const request of questions()) {
      if (!check(policy, request)) allowed.nothing++
      if (!isKnown(policy, request)) continue
      if (byRoles(policy, request)) allowed.roles++
      if (byRelations(policy, request)) allowed.relations++
      if (byRelations(policy, request) && !byRelations(without(policy, 'relationship_tuple'), request))
        allowed.derivations++
      if (bySets(policy, request)) allowed.rules++
      if (bySets(policy, request) && !bySets({ ...policy, set_rule: new Map(unconditional) }, request))
        allowed.conditions++
    }
  }

  it('are of every kind that the model knows, and each is taken', () => {
    expect(KINDS.filter((kind) => !taken.has(kind))).toEqual([])
  })

  it('are refused for every reason that the model knows', () => {
    expect(KINDS.filter((kind) => !refused.has(kind))).toEqual([])
    expect([...new Set([...refused.values()].flatMap((statuses) => [...statuses]))].sort()).toEqual([
      400, 404, 409, 422,
    ])
  })

  it('lead to every part of a decision', () => {
    for (const [part, count] of Object.entries(allowed)) expect([part, count > 20], String(count)).toEqual([part, true])
  })
})
