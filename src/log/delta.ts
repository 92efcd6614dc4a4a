// The part of a log entry that a follower receives: only what decisions depend on. Ids never leave the management side,
// and of the names only those of users, which conditions may read. Which part of an object a decision depends on is said
// by the projection of its kind (src/kinds).
import { type KindName, type Objects, type PolicyKind, type PolicyPut, PROJECTIONS } from '../kinds/index.ts'
import { projectResource } from '../kinds/resource.ts'
import type { Change, LogEntry, LogId } from './change.ts'

/** A put replaces the whole object of that kind and key. */
export type PolicyChange = PolicyPut | { readonly op: 'delete'; readonly kind: PolicyKind; readonly key: string }

/**
 * The changes of one revision step of one environment. It fits exactly one history: `previous` is the chain at `from`.
 */
export interface Delta {
  readonly environment: LogId
  readonly from: number
  readonly to: number
  readonly previous: string
  readonly chain: string
  readonly changes: readonly PolicyChange[]
}

/**
 * A delta whose changes are still packed by src/log/codec.ts: a large one is passed on as bytes and unpacked by the
 * worker that applies it. `count` is the number of its changes.
 */
export interface PackedDelta extends Omit<Delta, 'changes'> {
  readonly count: number
  readonly packed: Uint8Array
  /** of the management side, when it signs (src/log/signature.ts) */
  readonly signature?: Uint8Array
}

/** The kinds that decisions depend on, ordered so that no object refers to a later one. */
const POLICY_KINDS = [
  'resource',
  'role',
  'resource_role',
  'user',
  'tenant',
  'tenant_role',
  'membership',
  'resource_instance',
  'relationship_tuple',
  'condition_set',
  'set_rule',
  'role_assignment',
  'proxy_config',
] as const satisfies readonly PolicyKind[]

/**
 * The kinds of stored objects that a policy is made of. `__user` and `__tenant` become resource types without actions.
 */
export const PROJECTED_KINDS: readonly (PolicyKind | 'built_in')[] = ['built_in', ...POLICY_KINDS]

/** The part of a change that decisions depend on; undefined when they do not depend on it. */
export function project(change: Change): PolicyChange | undefined {
  const { op, kind, key } = change
  if (op === 'delete') {
    if (kind === 'built_in') return { op, kind: 'resource', key }
    return isPolicyKind(kind) ? { op, kind, key } : undefined
  }
  if (kind === 'built_in') {
    // Without declared attributes the built-in resource has no effect, so the policy has no type of that name.
    const value = projectResource(change.value)
    return value.attributes ? { op, kind: 'resource', key, value } : { op: 'delete', kind: 'resource', key }
  }
  return isPolicyKind(kind) ? projectPut(kind, key, change.value as Objects[typeof kind]) : undefined
}

function projectPut<K extends PolicyKind>(kind: K, key: string, object: Objects[K]): PolicyChange {
  const value = PROJECTIONS[kind].project(object)
  if (value === undefined) return { op: 'delete', kind, key }
  return { op: 'put', kind, key, value } as unknown as PolicyPut
}

/** The delta of a log entry. An entry that changes no decision still moves the revision. */
export function toDelta(entry: LogEntry): Delta {
  const changes: PolicyChange[] = []
  for (const change of entry.changes) {
    const projected = project(change)
    if (projected) changes.push(projected)
  }
  const { log: environment, revision: to, previous, chain } = entry
  return { environment, from: to - 1, to, previous, chain, changes }
}

function isPolicyKind(kind: KindName): kind is PolicyKind {
  return Object.hasOwn(PROJECTIONS, kind)
}
