// `zerohop why --decision`: a recorded decision asked again by a management API. What is printed is the explanation as
// of then, what the record lacks for it, whether the answer would be the same today, and which revision changed it.
import { dataOf } from '../../client/management-client.ts'
import type { DecisionReplay } from '../../management/schemas/past.ts'
import { whoText } from '../../model/change-words.ts'
import { plain } from '../../model/plain-text.ts'
import type { Why } from '../../model/why.ts'
import { whyLines, whyTreeLines } from '../../pdp/why-text.ts'
import type { Env } from '../configuration/env.ts'
import { withProgress } from '../terminal/progress.ts'
import { remoteEnvironment } from './ask-api.ts'
import type { TargetOptions } from './plan-target.ts'

export interface WhyDecisionOptions extends TargetOptions {
  readonly tree?: boolean
  readonly json?: boolean
}

/** Exit code of a decision that its record does not suffice for: the answer may have had other reasons. */
const NOT_REPRODUCIBLE = 2

/** Prints it, and returns the exit code: 0 it was allowed, 1 denied, 2 not reproducible. @throws API_REFUSED */
export async function whyDecision(env: Env, id: string, options: WhyDecisionOptions): Promise<number> {
  const replay = await withProgress('asking again', async () => {
    const { client, path } = await remoteEnvironment(env, options)
    const params = { path: { ...path, log: id } }
    return dataOf(await client.POST('/v2/pdps/{p}/{e}/audit_logs/{log}/replay', { params })) as DecisionReplay
  })
  const lines = options.json ? [JSON.stringify(replay, null, 2)] : replayLines(replay, options)
  process.stdout.write(`${lines.join('\n')}\n`)
  if (!replay.reproducible) return NOT_REPRODUCIBLE
  return replay.recorded ? 0 : 1
}

function replayLines(replay: DecisionReplay, { tree = false }: WhyDecisionOptions): string[] {
  const { recorded, reproducible, missing, agrees, revision, revision_at: at, today } = replay
  const why = replay.why as Why
  const then = `recorded: ${recorded ? 'allow' : 'deny'}, at revision ${revision} of ${shortTime(at)}`
  const explained = (tree ? whyTreeLines(why) : whyLines(why)).map(plain)
  if (!reproducible)
    return [
      then,
      `not reproducible: the record lacks ${missing.map(plain).join(', ')}`,
      'Without it, the result would have been:',
      ...explained,
      ...todayLines(today),
    ]
  if (!agrees)
    explained.unshift(
      'The answer differs from the recorded one although the record is complete: please report this as a bug.',
    )
  return [then, ...explained, ...todayLines(today)]
}

function todayLines({ revision, answer, changed_by, causes, changes, complete, missing }: DecisionReplay['today']) {
  const lines = [`today: ${answer}, at revision ${revision}${changed_by === null ? ', the same' : ''}`]
  for (const { revision: number, answer: then, by, at, actor_id, actor_display_name, operation, because } of causes) {
    const who = plain(whoText(actor_id, actor_display_name))
    const why = because.length > 0 ? because.map(plain).join(', ') : 'conditions depend on the time'
    const since =
      by === 'time'
        ? `${shortTime(at)}: ${why}`
        : `revision ${number} of ${shortTime(at)} by ${who}: ${plain(operation)}`
    lines.push(`  ${then} since ${since}`)
  }
  if (changes > causes.length) lines.push(`  … and ${changes - causes.length} more`)
  if (!complete) lines.push('  not every revision and instant was asked: there may be more changes')
  if (missing.length > 0)
    lines.push(`  the rules of today also read ${missing.map(plain).join(', ')}, which the record lacks`)
  return lines
}

const shortTime = (time: string): string => time.replace('+00:00', 'Z')
