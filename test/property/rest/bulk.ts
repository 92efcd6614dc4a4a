// The REST rules for bulk calls: the single call for each item, in order, all or nothing.
import { EVERYBODY } from '../../../src/model/keys.ts'
import { type Handler, type Outcome, ok } from './call.ts'
import { facts } from './facts.ts'
import { createInstance, createTuple, deleteTuple, instances, replaceInstance } from './instances.ts'
import type { State, Tuple } from './state.ts'

type Body = Record<string, unknown>
type Named = Body & { key: string }

const one = (name: string, state: State, params: readonly string[], body?: unknown): Outcome =>
  ({ ...facts, ...instances })[name]!(state, params, body as never)

/** Runs each item on a copy. The first that is refused refuses all; `answer` says what the call answers otherwise. */
function each<I>(
  state: State,
  items: readonly I[],
  run: (next: State, item: I) => Outcome,
  answer?: () => unknown,
): Outcome {
  const next = state.copy()
  for (const item of items) {
    const { status } = run(next, item)
    if ([status].flat().some((code) => code > 299)) return { status }
  }
  state.become(next)
  return answer ? ok(answer()) : { status: 200 }
}

const once = (idents: readonly string[]) => [...new Set(idents)]

interface Given {
  readonly user: string
}

function assignMany(state: State, items: readonly Given[], query: string): Outcome {
  const policy = query.replace('missing_user_policy=', '')
  let assignments_created = 0
  return each(
    state,
    items,
    (next, item) => {
      if (item.user !== EVERYBODY && !next.users.has(item.user)) {
        if (policy === 'ignore') return { status: 200 }
        if (policy === 'create') one('POST $F/users', next, [], { key: item.user })
      }
      assignments_created++
      return one('POST $F/role_assignments', next, [], item)
    },
    () => ({ assignments_created }),
  )
}

function unassignMany(state: State, items: readonly Given[]): Outcome {
  let assignments_removed = 0
  return each(
    state,
    items,
    (next, item) => {
      const outcome = one('DELETE $F/role_assignments', next, [], item)
      const statuses = [outcome.status].flat()
      // what is not there is skipped
      if (statuses.includes(404)) return statuses.includes(400) ? outcome : { status: 200 }
      if (statuses.every((status) => status < 300)) assignments_removed++
      return outcome
    },
    () => ({ assignments_removed }),
  )
}

export const bulk: Readonly<Record<string, Handler>> = {
  'POST $F/bulk/users': (state, _, { operations }: { operations: Named[] }) =>
    each(state, operations, (next, user) => one('POST $F/users', next, [], user)),
  'PUT $F/bulk/users': (state, _, { operations }: { operations: Named[] }) =>
    each(state, operations, (next, user) => one('PUT $F/users/:', next, [user.key], user)),
  'DELETE $F/bulk/users': (state, _, { idents }: { idents: string[] }) =>
    each(state, once(idents), (next, key) => one('DELETE $F/users/:', next, [key])),
  'POST $F/bulk/tenants': (state, _, { operations }: { operations: Named[] }) =>
    each(state, operations, (next, tenant) => one('POST $F/tenants', next, [], tenant)),
  'DELETE $F/bulk/tenants': (state, _, { idents }: { idents: string[] }) =>
    each(state, once(idents), (next, key) => one('DELETE $F/tenants/:', next, [key])),
  'PUT $F/bulk/resource_instances': (state, _, { operations }: { operations: Body[] }) =>
    each(state, operations, (next, body) => {
      const stored = next.instances.get(`${body.resource}:${body.key}`)
      return stored ? replaceInstance(next, stored, body) : createInstance(next, body)
    }),
  'DELETE $F/bulk/resource_instances': (state, _, { idents }: { idents: string[] }) =>
    each(state, once(idents), (next, ref) => one('DELETE $F/resource_instances/:', next, [ref])),
  'POST $F/relationship_tuples/bulk': (state, _, { operations }: { operations: Tuple[] }) =>
    each(state, operations, createTuple),
  'DELETE $F/relationship_tuples/bulk': (state, _, { idents }: { idents: Tuple[] }) => each(state, idents, deleteTuple),
  'POST $F/role_assignments/bulk': (state, _, items: Given[]) => assignMany(state, items, ''),
  'POST $F/role_assignments/bulk?missing_user_policy=create': (state, _, items: Given[]) =>
    assignMany(state, items, 'missing_user_policy=create'),
  'POST $F/role_assignments/bulk?missing_user_policy=ignore': (state, _, items: Given[]) =>
    assignMany(state, items, 'missing_user_policy=ignore'),
  'DELETE $F/role_assignments/bulk': (state, _, items: Given[]) => unassignMany(state, items),
}
