// Which replica writes or checks the snapshot of a log, or trims it. A claim is a row, not a lock: it needs no session
// of the database, and ends by itself when its replica is silent. Each statement of the work is bound to the claim, so
// that a replica which was frozen and wakes up changes nothing.
import { UPKEEP_SILENCE_SECONDS } from '../../model/limits.ts'
import type { Connection } from './connection.ts'

export interface Claim {
  /** of the log */
  readonly number: number
  readonly token: string
}

/** Another replica has the claim now. */
export class ClaimLost extends Error {
  constructor() {
    super('another replica takes care of the log')
  }
}

/** Claims a log; undefined while another replica has it. */
export async function claim(connection: Connection, number: number, replica: string): Promise<Claim | undefined> {
  const [row] = await connection.query<{ token: string }>(
    `INSERT INTO zerohop.upkeep (number, token, replica) VALUES ($1, gen_random_uuid(), $2::uuid)
    ON CONFLICT (number) DO UPDATE SET token = excluded.token, replica = excluded.replica, at = clock_timestamp()
      WHERE upkeep.at < clock_timestamp() - interval '${UPKEEP_SILENCE_SECONDS} seconds'
    RETURNING token::text AS token`,
    [number, replica],
  )
  return row && { number, token: row.token }
}

/**
 * For `WITH`: the row of the claim, which shows that it still holds, and gives another sign of life. `$1` is the number
 * of the log, `$2` the token.
 */
export const MINE = `mine AS (
  UPDATE zerohop.upkeep SET at = clock_timestamp() WHERE number = $1 AND token = $2::uuid RETURNING number)`

/** Gives a sign of life. @throws ClaimLost */
export async function renew(connection: Connection, { number, token }: Claim): Promise<void> {
  const rows = await connection.query(`WITH ${MINE} SELECT number FROM mine`, [number, token])
  if (rows.length === 0) throw new ClaimLost()
}

/** Ends a claim. */
export async function release(connection: Connection, { number, token }: Claim): Promise<void> {
  await connection.query('DELETE FROM zerohop.upkeep WHERE number = $1 AND token = $2::uuid', [number, token])
}
