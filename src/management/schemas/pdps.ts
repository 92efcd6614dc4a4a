// PDPs in the API: the list of those that follow an environment, and what a PDP reports.
import { INSTANCE_PATTERN } from '../../log/pdp-identity.ts'
import * as t from '../../model/json-schema.ts'
import { PDP_KEPT_MS, PDP_STALE_MS } from '../../model/limits.ts'
import { flagFilter, page, query } from './query-parameters.ts'
import { Count, Id, Time } from './schema-parts.ts'

const HOURS = PDP_KEPT_MS / 3_600_000

export const PdpRead = t.named(
  'Pdp',
  t.open({
    instance: t.described(
      t.nullable(t.Text),
      'chosen by the PDP when it starts; null for an older version that does not report itself',
    ),
    name: t.described(t.nullable(t.Text), 'name from the configuration, or the host name'),
    version: t.described(t.nullable(t.Text), 'version of the software; null if unknown'),
    api_version: t.described(
      t.nullable(Count),
      'API version of its checks, as in its `GET /version`: 1 for a PDP for clients of v1 (`--v1`); null if unknown',
    ),
    connected: t.described(t.Flag, `whether the PDP is connected now; a disconnected PDP is listed for ${HOURS} h`),
    stale: t.described(
      t.Flag,
      `true if its answers can be outdated: it is disconnected, or lacks a revision that is older than ${PDP_STALE_MS / 1000} s`,
    ),
    revision: t.described(t.nullable(Count), 'null if unknown'),
    revision_is: t.described(
      t.enumOf('applied', 'sent'),
      'the revision that the PDP reported, or received on its connection',
    ),
    lag: t.described(t.nullable(Count), 'number of revisions that the PDP lacks'),
    lag_since: t.described(
      t.nullable(Time),
      'when the oldest of these was written; null if there is none, or if its time is no longer kept',
    ),
    first_seen_at: Time,
    last_seen_at: t.described(
      Time,
      'when the PDP last connected, reported or disconnected; now, for one that never reports',
    ),
  }),
)
export type PdpRead = t.Static<typeof PdpRead>

export const PdpQuery = query({
  ...page,
  connected: flagFilter('only those that are connected, or only those that are not'),
  stale: flagFilter('only those that are stale, or only those that are not'),
})

const Instance = t.schemaOf<string>({ type: 'string', pattern: INSTANCE_PATTERN })
const Revision = t.schemaOf<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const PdpReport = t.named(
  'PdpReport',
  t.closed({
    instance: t.described(Instance, 'as in the header `x-pdp-instance` of its stream'),
    revision: t.optional(t.described(Revision, 'the revision that it answers with')),
    leaving: t.optional(t.described(t.Flag, 'true if the PDP is shutting down')),
  }),
)
export type PdpReport = t.Static<typeof PdpReport>

/** How strong it is is up to the PDP, which alone relies on it. */
export const NONCE_PATTERN = '^[A-Za-z0-9_-]{1,64}$'
const Nonce = t.schemaOf<string>({ type: 'string', pattern: NONCE_PATTERN })
const Hex64 = t.schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{64}$' })

export const HeadQuestion = t.named(
  'HeadQuestion',
  t.closed({
    nonce: t.described(Nonce, 'chosen at random for this request'),
    instance: t.optional(t.described(Instance, 'as in the header `x-pdp-instance` of its stream')),
    revision: t.optional(t.described(Revision, 'the revision that the PDP answers with')),
  }),
)
export type HeadQuestion = t.Static<typeof HeadQuestion>

export const HeadRead = t.named(
  'Head',
  t.open({
    environment: t.described(Id, 'its id'),
    lineage: t.described(Hex64, 'id of the current history of the environment; a restore starts a new one'),
    revision: t.described(
      Revision,
      'the last revision; it includes every write that was acknowledged before the request',
    ),
    chain: t.described(Hex64, 'the chain value of that revision'),
    nonce: t.described(Nonce, 'as it was sent'),
    time: t.described(Count, 'time of this answer, in ms since 1970'),
    signature: t.optional(t.described(t.Text, 'base64; only if images are signed')),
  }),
)
export type HeadRead = t.Static<typeof HeadRead>
