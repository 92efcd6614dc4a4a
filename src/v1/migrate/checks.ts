// Sends the same checks to two PDPs: to one of v1 in the form of v1, to one of v2 in that of v2. An undecided check is
// not an answer and fails the comparison.
import { ask } from '../../client/ask.ts'
import { isZerohopError } from '../../model/errors.ts'
import { MIGRATE_CALLS_AT_ONCE, MIGRATE_TIMEOUT_MS } from '../../model/limits.ts'
import { Api, forEach, type Hear, toldBy } from './api-client.ts'
import { refused } from './world.ts'

/** One check; `resource` is a type or `type:key`. */
export interface Question {
  readonly user: string
  readonly action: string
  readonly resource: string
  readonly tenant: string
}

export interface Difference {
  readonly environment: string
  readonly what: string
  readonly v1: unknown
  readonly v2: unknown
}

/** Reads recorded checks, one JSON object on each line. @throws MIGRATION_REFUSED naming the line */
export function readQuestions(text: string): (Question & { readonly allow?: boolean })[] {
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ line: line.trim(), at: at + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, at }) => questionOf(line, at))
}

function questionOf(line: string, at: number): Question & { readonly allow?: boolean } {
  try {
    const { user, action, resource, tenant = 'default', allow } = JSON.parse(line) as Record<string, unknown>
    const texts = [user, action, resource, tenant]
    if (texts.every((one) => typeof one === 'string') && (allow === undefined || typeof allow === 'boolean')) {
      const question = { user, action, resource, tenant } as Question
      return allow === undefined ? question : { ...question, allow: allow as boolean }
    }
  } catch {
    // reported below
  }
  throw refused(`line ${at} is not a check: write {"user": …, "action": …, "resource": …, "tenant": …}`)
}

/** A PDP with the API version in which it is asked. */
export class AskedPdp {
  readonly #api: Api
  readonly #version: 1 | 2

  constructor(url: string, key: string, version: 1 | 2, hear?: Hear) {
    this.#api = new Api(url, key, hear)
    this.#version = version
  }

  /** @throws MIGRATION_REFUSED when it does not answer with a decision */
  async check(question: Question): Promise<boolean> {
    const { url } = this.#api
    const asked = this.#version === 1 ? v1Body(question) : v2Body(question)
    const answer = await this.#api.call('POST', '/allowed', asked).catch((error: unknown) => {
      if (!isZerohopError(error, 'FEED_UNREACHABLE')) throw error
      throw refused(`the PDP at ${error.details.reason}`)
    })
    const { status, body } = answer
    if (status === 200 && typeof body?.allow === 'boolean') return body.allow
    if (status === 421) throw refused(`${url} is a PDP of v2, but it was passed as the PDP of v1`)
    throw refused(`${url} did not decide: POST /allowed answered ${status}${toldBy(answer)}`)
  }
}

/** The API version that the PDP reports; undefined for a PDP of v1 without /version, or when the call fails. */
export async function versionOf(url: string): Promise<{ apiVersion?: number; words: string }> {
  try {
    const { status, body } = await ask(`${url.replace(/\/+$/, '')}/version`, { timeoutMs: MIGRATE_TIMEOUT_MS })
    const { api_version: apiVersion, version } = (body ?? {}) as Record<string, unknown>
    if (status !== 200 || typeof apiVersion !== 'number')
      return { words: `/version answered ${status} without an API version` }
    return { apiVersion, words: `API version ${apiVersion}, ${version ?? 'of unknown release'}` }
  } catch (error) {
    if (!isZerohopError(error, 'FEED_UNREACHABLE')) throw error
    return { words: `/version cannot be read: ${error.details.reason}` }
  }
}

/** The checks that the two answer differently, in the order of the checks. */
export async function compare(
  environment: string,
  v1: AskedPdp,
  v2: AskedPdp,
  questions: readonly Question[],
  asked: () => void,
): Promise<Difference[]> {
  const found = new Map<Question, Difference>()
  await forEach(questions, MIGRATE_CALLS_AT_ONCE, async (question) => {
    const [old, now] = await Promise.all([v1.check(question), v2.check(question)])
    if (old !== now) found.set(question, { environment, what: wordsOf(question), v1: old, v2: now })
    asked()
  })
  return questions.flatMap((question) => found.get(question) ?? [])
}

export function wordsOf({ user, action, resource, tenant }: Question): string {
  return `${user} ${action} ${resource} in ${tenant}`
}

function v1Body({ user, action, resource, tenant }: Question): unknown {
  const [type, ...key] = resource.split(':')
  return {
    user,
    action,
    resource: { type, ...(key.length > 0 ? { id: key.join(':') } : {}), tenant, context: { tenant } },
    context: {},
  }
}

function v2Body({ user, action, resource, tenant }: Question): unknown {
  const [type, ...key] = resource.split(':')
  return {
    user: { key: user },
    action,
    resource: { type, ...(key.length > 0 ? { key: key.join(':') } : {}), tenant },
    context: {},
  }
}
