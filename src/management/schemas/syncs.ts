// Syncs in the API: what is sent and what is answered at /v2/facts/{p}/{e}/syncs.
import { AccessDiff } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import { CLAIM_ITEMS_MAX, SYNC_FACTS_COUNTED_MAX, SYNC_PROBLEMS_SHOWN } from '../../model/limits.ts'
import { page, query } from './query-parameters.ts'
import { Attributes, Count, Id, Key, Time } from './schema-parts.ts'

/** Kinds of facts that a sync writes, in the order in which they are written. */
export const SYNCED_KINDS = [
  'user',
  'tenant',
  'resource_instance',
  'membership',
  'relationship_tuple',
  'role_assignment',
] as const
export type SyncedKind = (typeof SYNCED_KINDS)[number]
const Kind = t.enumOf(...SYNCED_KINDS)

const HEX = '^[0-9a-f]{32}$'
const run = t.described(t.Text, '32 hex digits that the run chose at random', { pattern: HEX })

const OnGone = t.enumOf('keep', 'suspend', 'delete')
export type OnGone = t.Static<typeof OnGone>

export const SyncItem = t.named(
  'SyncItem',
  t.closed({
    op: t.enumOf('put', 'drop'),
    kind: Kind,
    item: t.maybe(
      t.described(
        Attributes,
        'of `put`: the body of the single write; of users, tenants and instances only what is named changes',
      ),
    ),
    key: t.maybe(t.described(t.Text, 'of `drop`: the key of the stored fact, as its stream has it')),
    on_gone: t.maybe(
      t.described(
        OnGone,
        'of `drop` of a user, tenant or instance on which facts of others depend: it stays, it is suspended, or it is deleted with them; default: keep',
      ),
    ),
  }),
)
export type SyncItem = t.Static<typeof SyncItem>

const items = t.described(
  t.listOf(SyncItem, CLAIM_ITEMS_MAX),
  'carried out in this order, in one revision; only the claim of this sync is changed',
)

export const SyncLeaseRequest = t.named(
  'SyncLeaseRequest',
  t.closed({
    source: t.described(t.Text, '32 hex digits that only this source has', { pattern: HEX }),
    run,
    take_over: t.maybe(t.described(t.Flag, 'end the lease of another run, which can write nothing then')),
  }),
)
export type SyncLeaseRequest = t.Static<typeof SyncLeaseRequest>

export const SyncRelease = t.named('SyncRelease', t.closed({ run }))
export type SyncRelease = t.Static<typeof SyncRelease>

export const SyncSlice = t.named('SyncSlice', t.closed({ run, items }))
export type SyncSlice = t.Static<typeof SyncSlice>

export const SyncPlanRequest = t.named(
  'SyncPlanRequest',
  t.closed({ items, access: t.maybe(t.described(t.Flag, 'also who gains and loses access; default: true')) }),
)
export type SyncPlanRequest = t.Static<typeof SyncPlanRequest>

const Blocking = t.open({ kind: t.Text, key: t.Text, claims: t.Texts })
const Problem = t.named(
  'SyncProblem',
  t.open({
    op: t.enumOf('put', 'drop'),
    kind: Kind,
    key: t.nullable(t.Text),
    code: t.optional(t.described(t.Text, 'of `put`: the code of the error')),
    reason: t.optional(t.Text),
    blocking: t.optional(
      t.described(t.listOf(Blocking), 'of `drop`: facts of others that depend on it, the first of them'),
    ),
    blocking_total: t.optional(Count),
  }),
)

const written = {
  counts: t.described(t.mapOf(Count), 'how many items were created, changed, same, deleted, kept, missing, blocked'),
  removed: t.described(t.mapOf(Count), 'facts that are deleted, by kind, with those that depend on what is deleted'),
  problems: t.described(
    t.listOf(Problem),
    `items that were refused, and objects that stay because of facts of others; the first ${SYNC_PROBLEMS_SHOWN}`,
  ),
}
export const SyncWritten = t.named('SyncWritten', t.open(written))
export type SyncWritten = t.Static<typeof SyncWritten>

export const SyncPlan = t.named(
  'SyncPlan',
  t.open({
    revision: t.described(Count, 'revision of the environment that was compared'),
    ...written,
    policy: t.optional(AccessDiff.properties.policy),
    access: t.optional(t.described(AccessDiff.properties.access, 'with `access`: who gains and loses access by it')),
  }),
)
export type SyncPlan = t.Static<typeof SyncPlan>

export const SyncRead = t.named(
  'Sync',
  t.open({
    id: Id,
    key: t.described(Key, 'name of the claim that its facts have'),
    source: t.described(t.Text, 'id of the source that it is bound to'),
    runs: t.described(Count, 'how many runs have held it: another number means that another run has written since'),
    lease: t.described(t.nullable(t.open({ run: t.Text, until: Time })), 'the run that holds it; null: none'),
    created_at: Time,
    updated_at: t.described(Time, 'when a run last began, wrote or ended'),
    facts: t.optional(
      t.described(
        t.mapOf(Count),
        `of one sync: how many facts it claims, by kind; ${SYNC_FACTS_COUNTED_MAX.toLocaleString('en-US')} stands for that many or more`,
      ),
    ),
  }),
)
export type SyncRead = t.Static<typeof SyncRead>

export const SyncQuery = query(page)
