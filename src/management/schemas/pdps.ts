// PDPs in the API: the list of those that follow an environment, and what a PDP reports.
import { INSTANCE_PATTERN } from '../../log/pdp-identity.ts'
import {
  closed,
  described,
  enumOf,
  Flag,
  named,
  nullable,
  open,
  optional,
  type Static,
  schemaOf,
  Text,
} from '../../model/json-schema.ts'
import { PDP_KEPT_MS, PDP_STALE_MS } from '../../model/limits.ts'
import { flagFilter, page, query } from './query-parameters.ts'
import { Count, Id, Time } from './schema-parts.ts'

const HOURS = PDP_KEPT_MS / 3_600_000

export const PdpRead = named(
  'Pdp',
  open({
    instance: described(
      nullable(Text),
      'chosen by the PDP when it starts; null for an older version that does not report itself',
    ),
    name: described(nullable(Text), 'name from the configuration, or the host name'),
    version: described(nullable(Text), 'version of the software; null if unknown'),
    api_version: described(
      nullable(Count),
      'API version of its checks, as in its `GET /version`: 1 for a PDP for clients of v1 (`--v1`); null if unknown',
    ),
    connected: described(Flag, `whether the PDP is connected now; a disconnected PDP is listed for ${HOURS} h`),
    stale: described(
      Flag,
      `true if its answers can be outdated: it is disconnected, or lacks a revision that is older than ${PDP_STALE_MS / 1000} s`,
    ),
    revision: described(nullable(Count), 'null if unknown'),
    revision_is: described(
      enumOf('applied', 'sent'),
      'the revision that the PDP reported, or received on its connection',
    ),
    lag: described(nullable(Count), 'number of revisions that the PDP lacks'),
    lag_since: described(
      nullable(Time),
      'when the oldest of these was written; null if there is none, or if its time is no longer kept',
    ),
    first_seen_at: Time,
    last_seen_at: described(
      Time,
      'when the PDP last connected, reported or disconnected; now, for one that never reports',
    ),
  }),
)
export type PdpRead = Static<typeof PdpRead>

export const PdpQuery = query({
  ...page,
  connected: flagFilter('only those that are connected, or only those that are not'),
  stale: flagFilter('only those that are stale, or only those that are not'),
})

const Instance = schemaOf<string>({ type: 'string', pattern: INSTANCE_PATTERN })
const Revision = schemaOf<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const PdpReport = named(
  'PdpReport',
  closed({
    instance: described(Instance, 'as in the header `x-pdp-instance` of its stream'),
    revision: optional(described(Revision, 'the revision that it answers with')),
    leaving: optional(described(Flag, 'true if the PDP is shutting down')),
  }),
)
export type PdpReport = Static<typeof PdpReport>

/** How strong it is is up to the PDP, which alone relies on it. */
export const NONCE_PATTERN = '^[A-Za-z0-9_-]{1,64}$'
const Nonce = schemaOf<string>({ type: 'string', pattern: NONCE_PATTERN })
const Hex64 = schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{64}$' })

export const HeadQuestion = named(
  'HeadQuestion',
  closed({
    nonce: described(Nonce, 'chosen at random for this request'),
    instance: optional(described(Instance, 'as in the header `x-pdp-instance` of its stream')),
    revision: optional(described(Revision, 'the revision that the PDP answers with')),
  }),
)
export type HeadQuestion = Static<typeof HeadQuestion>

export const HeadRead = named(
  'Head',
  open({
    environment: described(Id, 'its id'),
    lineage: described(Hex64, 'id of the current history of the environment; a restore starts a new one'),
    revision: described(
      Revision,
      'the last revision; it includes every write that was acknowledged before the request',
    ),
    chain: described(Hex64, 'the chain value of that revision'),
    nonce: described(Nonce, 'as it was sent'),
    time: described(Count, 'time of this answer, in ms since 1970'),
    signature: optional(described(Text, 'base64; only if images are signed')),
  }),
)
export type HeadRead = Static<typeof HeadRead>
