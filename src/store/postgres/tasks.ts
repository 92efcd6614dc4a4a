// Tasks that outlive their request, where any replica may be asked for the outcome. A task ends in the transaction of
// its write; one whose replica died before that is reported as failed.
import { TASK_HOURS, TASK_SILENCE_SECONDS } from '../../model/limits.ts'
import type { SharedTask } from '../settings.ts'
import type { Connection } from './connection.ts'

export async function startTask(
  connection: Connection,
  { id, environment, replica }: { readonly id: string; readonly environment: string; readonly replica: string },
): Promise<void> {
  await connection.query(
    "INSERT INTO zerohop.tasks (id, environment, replica, status) VALUES ($1, $2, $3::uuid, 'processing')",
    [id, environment, replica],
  )
}

/** Ends a task, once: inside the transaction of its write, or alone with an error. */
export async function endTask(
  connection: Connection,
  id: string,
  outcome: { readonly result: string } | { readonly error: string },
): Promise<void> {
  const [status, result, error] =
    'result' in outcome ? ['success', outcome.result, null] : ['failure', null, outcome.error]
  await connection.query(
    "UPDATE zerohop.tasks SET status = $2, result = $3, error = $4 WHERE id = $1 AND status = 'processing'",
    [id, status, result, error],
  )
}

export async function findTask(connection: Connection, id: string): Promise<SharedTask | undefined> {
  const [found] = await connection.query<SharedTask & Record<string, unknown>>(
    `SELECT t.environment, t.result, t.error, CASE WHEN t.status = 'processing' AND coalesce(
        r.seen < clock_timestamp() - interval '${TASK_SILENCE_SECONDS} seconds', true)
        THEN 'failure' ELSE t.status END AS status
    FROM zerohop.tasks t LEFT JOIN zerohop.replicas r ON r.id = t.replica WHERE t.id = $1`,
    [id],
  )
  return found
}

/** Removes tasks that are older than a day, and replicas that were silent for so long. */
export async function forgetOldTasks(connection: Connection): Promise<void> {
  await connection.query(`DELETE FROM zerohop.replicas WHERE seen < clock_timestamp() - interval '${TASK_HOURS} hours'`)
  await connection.query(`DELETE FROM zerohop.tasks WHERE at < clock_timestamp() - interval '${TASK_HOURS} hours'`)
}
