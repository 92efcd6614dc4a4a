// `zerohop history show`: what one revision changed, in the words of the policy file, and whose access by it.
import { dataOf } from '../../client/management-client.ts'
import type { RevisionRead } from '../../management/schemas/past.ts'
import { NO_ACCESS_CHANGED, NOTHING_CHANGED, othersText, whoText } from '../../model/change-words.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { readCount } from '../terminal/when.ts'
import { remoteEnvironment } from './ask-api.ts'
import type { TargetOptions } from './plan-target.ts'
import { accessLines, changeLines, joinBlocks, type PlanTextOptions, stylist } from './plan-text.ts'

export interface HistoryShowOptions extends TargetOptions {
  readonly access: boolean
  readonly details?: boolean
  readonly json?: boolean
  /** of `history`, which chooses by them */
  readonly reason?: string
  readonly ticket?: string
}

/** Prints a revision. @throws INPUT_INVALID when it is not a number of one; API_REFUSED when it has expired */
export async function showRevision(
  env: Env,
  revision: string,
  { access, details = false, json = false, reason: _reason, ticket: _ticket, ...options }: HistoryShowOptions,
): Promise<void> {
  const number = readCount(revision, 'the revision', Number.MAX_SAFE_INTEGER)
  const shown = await withProgress(`reading revision ${number}`, async () => {
    const { client, path } = await remoteEnvironment(env, options)
    const params = { path: { ...path, revision: String(number) }, query: { access } }
    return dataOf(await client.GET('/v2/projects/{p}/envs/{e}/revisions/{revision}', { params })) as RevisionRead
  })
  const { colour } = printOptions(process.stdout)
  process.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : revisionText(shown, { colour, details }))
}

/** The revision as lines, each with a line break. */
export function revisionText(shown: RevisionRead, options: PlanTextOptions): string {
  const { revision, at, actor_id, actor_display_name, operation, summary, method, path } = shown
  const { changes, others, policy, access, reason, ticket } = shown
  const styled = stylist(options)
  // what has a summary names no object in its path
  const request = summary || method === null || path === null ? [] : [styled('dim', plain(`${method} ${path}`))]
  const who = whoText(actor_id, actor_display_name)
  const done = summary ?? operation
  const head = styled('bold', plain(`Revision ${revision} of ${at.replace('+00:00', 'Z')} by ${who}: ${done}`))
  const why = [
    reason === null ? [] : `Reason: ${plain(reason)}`,
    ticket === null ? [] : `Ticket: ${plain(ticket)}`,
  ].flat()
  const changed = [...changeLines({ changes, more: 0 }, options, styled)]
  if (others > 0) changed.push(othersText(others))
  if (changed.length === 0) changed.push(NOTHING_CHANGED)
  const diff = policy && access ? [...accessLines({ policy, access }, options, styled)] : []
  if (access && diff.length === 0) diff.push(NO_ACCESS_CHANGED)
  return joinBlocks([[head, ...request, ...why], changed, diff])
}
