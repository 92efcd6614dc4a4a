// Which PDPs each replica sees, where any of them may be asked. A replica writes its own rows only; those of one that
// died say that they are connected until its signs of life are missed, and then expire.
import { PDP_KEPT_MS, PDPS_LISTED_MAX, TASK_SILENCE_SECONDS } from '../../model/limits.ts'
import type { PdpSighting, PlacedSighting } from '../settings.ts'
import type { Connection } from './connection.ts'

const AGO = (ms: string) => `clock_timestamp() - ${ms} * interval '1 millisecond'`
const AGE = (time: string) => `greatest(0, floor(extract(epoch FROM clock_timestamp() - ${time}) * 1000))::float8`

/** Writes what a replica sees, with one statement. */
export async function putPdps(
  connection: Connection,
  replica: string,
  sightings: readonly PlacedSighting[],
): Promise<void> {
  const column = (name: keyof PlacedSighting) => sightings.map((sighting) => sighting[name])
  await connection.query(
    `INSERT INTO zerohop.pdps
      (environment, replica, instance, name, version, api_version, state, applied, applied_at, sent, first_seen,
        last_seen)
    SELECT s.environment, $1::uuid, s.instance, s.name, s.version, s.api_version, s.state, s.applied, ${AGO('s.applied_ago')},
      s.sent, ${AGO('s.first_ago')}, ${AGO('s.last_ago')}
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::bigint[], $9::float8[],
      $10::bigint[], $11::float8[], $12::float8[])
      AS s(environment, instance, name, version, api_version, state, applied, applied_ago, sent, first_ago, last_ago)
    ON CONFLICT (environment, replica, instance) DO UPDATE SET name = excluded.name, version = excluded.version,
      api_version = excluded.api_version,      state = excluded.state, applied = excluded.applied, applied_at = excluded.applied_at, sent = excluded.sent,
      first_seen = excluded.first_seen, last_seen = excluded.last_seen, at = clock_timestamp()`,
    [
      replica,
      column('environment'),
      column('instance'),
      column('name'),
      column('version'),
      column('apiVersion'),
      column('state'),
      column('applied'),
      column('appliedAgoMs'),
      column('sent'),
      column('firstSeenAgoMs'),
      column('lastSeenAgoMs'),
    ],
  )
}

/** What the other replicas see of an environment, those first that were seen last. */
export async function readPdps(
  connection: Connection,
  replica: string,
  environment: string,
): Promise<readonly PdpSighting[]> {
  return connection.query<PdpSighting & Record<string, unknown>>(
    `SELECT p.instance, p.name, p.version, p.api_version AS "apiVersion", p.applied::float8 AS applied, p.sent::float8 AS sent,
      CASE WHEN p.state = 'connected' AND coalesce(
        r.seen < clock_timestamp() - interval '${TASK_SILENCE_SECONDS} seconds', true)
        THEN 'away' ELSE p.state END AS state,
      CASE WHEN p.applied_at IS NOT NULL THEN ${AGE('p.applied_at')} END AS "appliedAgoMs", ${AGE('p.first_seen')} AS "firstSeenAgoMs",
      ${AGE('p.last_seen')} AS "lastSeenAgoMs"
    FROM zerohop.pdps p LEFT JOIN zerohop.replicas r ON r.id = p.replica
    WHERE p.environment = $1 AND p.replica <> $2::uuid ORDER BY p.last_seen DESC LIMIT ${PDPS_LISTED_MAX}`,
    [environment, replica],
  )
}

/** Removes rows that were not written for longer than a PDP stays listed. */
export async function forgetOldPdps(connection: Connection): Promise<void> {
  const seconds = (2 * PDP_KEPT_MS) / 1000
  await connection.query(`DELETE FROM zerohop.pdps WHERE at < clock_timestamp() - interval '${seconds} seconds'`)
}
