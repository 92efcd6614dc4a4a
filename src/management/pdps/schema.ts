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
import { flagFilter, page, query } from '../query-parameters.ts'
import { Count, Id, Time } from '../schema-parts.ts'

const HOURS = PDP_KEPT_MS / 3_600_000

export const PdpRead = named(
  'Pdp',
  open({
    instance: described(
      nullable(Text),
      'chosen by the PDP when it starts; null for one of an older version, which says nothing of itself',
    ),
    name: described(nullable(Text), 'given by configuration, or the name of its machine'),
    version: described(nullable(Text), 'of the software; null when it is not known'),
    api_version: described(
      nullable(Count),
      'of its checks, as its `GET /version` says: 1 of a PDP for clients of v1 (`--v1`); null when it is not known',
    ),
    connected: described(Flag, `whether it follows now; one that does not is listed for ${HOURS} h`),
    stale: described(
      Flag,
      `its answers may be old: it is not connected, or lacks a revision that is older than ${PDP_STALE_MS / 1000} s`,
    ),
    revision: described(nullable(Count), 'null when nothing is known of it'),
    revision_is: described(
      enumOf('applied', 'sent'),
      'what the PDP said that it answers with, or what its connection took',
    ),
    lag: described(nullable(Count), 'revisions of the environment that it lacks'),
    lag_since: described(
      nullable(Time),
      'when the oldest of these was written; null when there is none, or its time is not kept any more',
    ),
    first_seen_at: Time,
    last_seen_at: described(Time, 'when it opened, reported or lost its connection; now, for one that never reports'),
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
    leaving: optional(described(Flag, 'it closes, and is not to be missed')),
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
    lineage: described(Hex64, 'of the history that the environment has: a restore begins another one'),
    revision: described(Revision, 'the last one; every write that was acknowledged before the request is part of it'),
    chain: described(Hex64, 'the chain value of that revision'),
    nonce: described(Nonce, 'as it was sent'),
    time: described(Count, 'when this was said, in ms since 1970'),
    signature: optional(described(Text, 'base64; where images are signed')),
  }),
)
export type HeadRead = Static<typeof HeadRead>
