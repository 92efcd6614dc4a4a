// `zerohop diff A B`: two environments, revisions, policy files or image files, compared as a plan is: what the second
// one has that the first one has not, and who gains and loses access from the one to the other.

import { existsSync } from 'node:fs'
import { Image } from '../../image/image.ts'
import { buildImage, compareImages, compareViews } from '../../management/plan/compare.ts'
import { planRead } from '../../management/plan/render-plan.ts'
import { applyPolicy } from '../../management/policy-file/apply-policy.ts'
import { countingMint, emptyEnvironment } from '../../management/policy-file/empty-environment.ts'
import type { PolicyFile } from '../../management/schemas/policy-file.ts'
import { changesAccess, isCounted } from '../../model/change-words.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { PLAN_ENTRIES_MAX } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { View } from '../../store/view.ts'
import type { Env } from '../configuration/env.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { exportFrom, type TargetOptions } from './plan-target.ts'
import { planText } from './plan-text.ts'
import { policyAt } from './policy-sources.ts'

export interface DiffOptions extends TargetOptions {
  readonly json?: boolean
  readonly details?: boolean
}

/** One side: an image has no names and descriptions, so its objects are not compared field by field. */
interface Side {
  readonly view: View | undefined
  readonly image: Image
}

/** Prints what differs, and returns the exit code: 0 nothing, 2 something, 3 something that could not be counted. */
export async function diff(env: Env, [from, to]: readonly [string, string], options: DiffOptions): Promise<number> {
  const { json = false, details = false } = options
  const before = await withProgress(`reading ${from}`, () => readSide(env, from, options))
  const after = await withProgress(`reading ${to}`, () => readSide(env, to, options))
  const entries = before.view && after.view ? compareViews(before.view, after.view) : []
  const found = compareImages(before.image, after.image, Date.now())
  const shown = entries.slice(0, PLAN_ENTRIES_MAX)
  const none = {
    fingerprints: {},
    cascade: [],
    carried: [],
    suggested: [],
    outside: [],
    conflicts: [],
    lost: [],
    later: [],
    warnings: [],
    digest: '',
  }
  const made = { revision: 0, entries: shown, more: entries.length - shown.length, diff: found, ...none }
  const plan = planRead(made, () => null)
  const isSame = entries.length === 0 && !changesAccess(plan)
  if (json) {
    const { changes, more, policy, access } = plan
    process.stdout.write(`${JSON.stringify({ changes, more, policy, access }, null, 2)}\n`)
  } else {
    const text = isSame ? 'No differences.\n' : planText(plan, { colour: printOptions(process.stdout).colour, details })
    process.stdout.write(`From ${plain(from)} to ${plain(to)}\n\n${text}`)
  }
  return isSame ? 0 : isCounted(plan) ? 2 : 3
}

/**
 * A file or folder by its path, else an environment: `environment` or `project/environment`, with `@` and a revision as
 * it was then.
 */
async function readSide(env: Env, name: string, options: TargetOptions): Promise<Side> {
  if (name.endsWith('.image')) return { view: undefined, image: Image.load(name) }
  if (existsSync(name)) return ofPolicy(policyAt(name))
  if (/\.(ya?ml|json)$/i.test(name))
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no file \`${name}\`` })
  const [, where = name, at] = /^(.*?)@(.+)$/s.exec(name) ?? []
  const [environment = '', project] = where.split('/').reverse()
  const place = {
    ...options,
    ...(environment === '' ? {} : { environment }),
    ...(project === undefined ? {} : { project }),
  }
  const policy = await exportFrom(env, place, { facts: true, at }).catch((error: unknown) => {
    throw noFileEither(name, error)
  })
  return ofPolicy(policy)
}

/** What could not be read as an environment may have been meant as a file. */
function noFileEither(name: string, error: unknown): unknown {
  if (!isZerohopError(error)) return error
  return new ZerohopError('CONFIG_INVALID', {
    reason: `there is no file \`${name}\`, and as an environment: ${error.message}`,
  })
}

/** A new environment with nothing but the policy. */
function ofPolicy(policy: PolicyFile): Side {
  const mint = countingMint()
  const view = emptyEnvironment(mint)
  applyPolicy(view, policy, mint)
  return { view, image: buildImage(view) }
}
