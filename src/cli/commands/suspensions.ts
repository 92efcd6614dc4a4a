// `zerohop suspend` and `resume`: the suspension of a user of an environment (D16), over the management API.
import { dataOf } from '../../client/management-client.ts'
import { stateAt } from '../../kinds/times.ts'
import type { UserRead } from '../../management/schemas/users.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { remoteEnvironment } from './ask-api.ts'
import { formatTime, readTimes, type TimeOptions } from './grant-times.ts'
import type { ReasonOptions } from './management-api.ts'
import type { TargetOptions } from './plan-target.ts'

export interface SuspendOptions extends TargetOptions, TimeOptions {
  readonly reason: string
  readonly ticket?: string
  readonly json?: boolean
}

export interface ResumeOptions extends TargetOptions, ReasonOptions {
  readonly json?: boolean
}

const SUSPENSION = '/v2/facts/{p}/{e}/users/{ref}/suspension'

/**
 * Suspends the user, or changes what is named of the suspension.
 * @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED
 */
export async function suspend(env: Env, user: string, options: SuspendOptions, now: number): Promise<void> {
  const { for: time, until, from, end, json = false, ...where } = options
  const { reason } = options
  const times = readTimes({ for: time, until, from, end }, now)
  const { client, path } = await remoteEnvironment(env, where)
  const params = { path: { ...path, ref: user } }
  const answer = await client.PUT(SUSPENSION, { params, body: { reason, ...times } })
  print(dataOf(answer) as UserRead, json, now)
}

/** Ends the suspension. @throws as `remoteEnvironment`; API_REFUSED */
export async function resume(
  env: Env,
  user: string,
  { json = false, ...where }: ResumeOptions,
  now: number,
): Promise<void> {
  const { client, path } = await remoteEnvironment(env, where)
  const answer = await client.DELETE(SUSPENSION, { params: { path: { ...path, ref: user } } })
  print(dataOf(answer) as UserRead, json, now)
}

function print(user: UserRead, json: boolean, now: number): void {
  process.stdout.write(json ? `${JSON.stringify(user, null, 2)}\n` : `${sentence(user, now)}\n`)
}

const WORDS = { in_force: 'suspended', scheduled: 'not suspended yet', ended: 'not suspended any more' } as const

/** `suspended: ana, until …: left` */
function sentence({ key, suspension }: UserRead, now: number): string {
  if (suspension === undefined) return plain(`resumed: ${key}`)
  const { reason, valid_from: from, valid_until: until } = suspension
  const times = [
    from === undefined ? '' : `, from ${formatTime(from)}`,
    until === undefined ? '' : `, until ${formatTime(until)}`,
  ]
  const state = stateAt({ valid_from: parseTime(from), valid_until: parseTime(until) }, now)
  return plain(`${WORDS[state]}: ${key}${times.join('')}: ${reason}`)
}

const parseTime = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time))
