// Requests that carry an idempotency key: what was answered commits with the write, and any replica repeats it for a
// day. The answer is the result of the use case, sealed, because it may hold the secret of a key.
import { IDEMPOTENCY_HOURS } from '../../model/limits.ts'
import { repeatAnswer, toAnswerId, writeKept } from '../answer-text.ts'
import type { Done, Job, Once, Reply } from '../job.ts'
import { sealWith } from '../secrets.ts'
import type { Connection } from './connection.ts'

/** A request that was carried out. */
export interface Answered {
  readonly once: Once
  readonly reply: Done
}

interface Row {
  readonly caller: string
  readonly key: string
  readonly fingerprint: Buffer
  readonly answer: Buffer
}

const WITHIN = `at > clock_timestamp() - interval '${IDEMPOTENCY_HOURS} hours'`

export class IdempotencyKeys {
  readonly #secretsKey: Uint8Array

  constructor(secretsKey: Uint8Array) {
    this.#secretsKey = secretsKey
  }

  /** For each job what was answered to the same request before; undefined when it is new. */
  async find(connection: Connection, jobs: readonly Job[]): Promise<(Reply | undefined)[]> {
    const asked = jobs.flatMap(({ once }) => once ?? [])
    if (asked.length === 0) return jobs.map(() => undefined)
    const rows = await connection.query<Row & Record<string, unknown>>(
      `SELECT caller, key, fingerprint, answer FROM zerohop.idempotency
      JOIN unnest($1::text[], $2::text[]) AS asked(caller, key) USING (caller, key) WHERE ${WITHIN}`,
      [asked.map(({ caller }) => caller), asked.map(({ key }) => key)],
    )
    const byName = new Map(rows.map((row) => [toAnswerId(row), row]))
    return jobs.map(({ once }) => {
      const row = once && byName.get(toAnswerId(once))
      return row && once && repeatAnswer(once, row.fingerprint, row.answer, this.#secretsKey)
    })
  }

  /** Records what was answered, in the open transaction. */
  async put(connection: Connection, answered: readonly Answered[]): Promise<void> {
    if (answered.length === 0) return
    const seal = sealWith(this.#secretsKey)
    await connection.query(
      `INSERT INTO zerohop.idempotency (caller, key, fingerprint, revision, answer)
      SELECT caller, key, decode(fingerprint, 'hex'), revision, answer
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bytea[])
        AS n(caller, key, fingerprint, revision, answer)
      ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint, revision = excluded.revision,
        answer = excluded.answer, at = clock_timestamp() WHERE NOT (idempotency.${WITHIN})`,
      [
        answered.map(({ once }) => once.caller),
        answered.map(({ once }) => once.key),
        answered.map(({ once }) => once.fingerprint),
        answered.map(({ reply }) => reply.revision),
        answered.map(({ once, reply }) => seal(toAnswerId(once), writeKept(reply))),
      ],
    )
  }
}

/** Removes what is older than a day. */
export async function forgetOldAnswers(connection: Connection): Promise<void> {
  await connection.query(`DELETE FROM zerohop.idempotency WHERE NOT (${WITHIN})`)
}
