// The facts of an environment as lines in a file, now or at a past revision.
import type { LogId } from '../../log/change.ts'
import { exportInThread } from '../policy-file/export-task.ts'
import type { PastRevisions } from './past-revisions.ts'

export interface FactsFile {
  /** path of a file that does not exist yet; created with mode 0600 */
  readonly file: string
  /** number of facts to leave out at the start */
  readonly skip: number
  /** as which revision; the last one when undefined */
  readonly revision?: number | undefined
}

/** @throws CONFIG_INVALID when the file cannot be written; of a past revision REVISION_GONE, PAST_BUSY, PAST_TOO_LARGE */
export async function exportFacts(
  { data, past }: { readonly data: string; readonly past: PastRevisions | undefined },
  environment: LogId,
  { file, skip, revision }: FactsFile,
): Promise<void> {
  if (await exportInThread({ data, environment, file, lines: { skip, revision } })) return
  if (revision !== undefined) await past?.exportFacts(environment, revision, { file, skip })
}
