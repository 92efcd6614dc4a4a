// `zerohop check`: one check against a running PDP or an image file. Exit code 0 allow, 1 deny, 2 could not decide.
import { ask } from '../../client/ask.ts'
import { readKeys } from '../../management/api-keys/keys-file.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { REQUEST_TIMEOUT_MS } from '../../model/limits.ts'
import { sayBecause, sayMiss, sayNote } from '../../pdp/explain-text.ts'
import { loadImage } from '../../pdp/pdp.ts'
import type { Env } from '../configuration/env.ts'
import { urlOf } from '../process/process.ts'

export interface CheckOptions {
  readonly tenant?: string
  readonly explain?: boolean
  /** an image file; without it a running PDP is asked */
  readonly image?: string
  /** address of the PDP */
  readonly pdp?: string
}

interface Answer {
  readonly allow: boolean
  readonly lines: readonly string[]
}

/** Exit codes; an undecided check is an error. */
const ALLOW = 0
const DENY = 1

/** Checks, prints the decision, and returns the exit code. @throws when it could not decide */
export async function runCheck(
  env: Env,
  [user, action, resource]: readonly [string, string, string],
  options: CheckOptions,
): Promise<number> {
  const [type = '', key] = resource.split(/:(.*)/s)
  const about = {
    type,
    ...(key === undefined ? {} : { key }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  }
  const { allow, lines } =
    options.image === undefined
      ? await askPdp(env, { user: { key: user }, action, resource: about }, options)
      : askImage(options.image, env, [user, action], about, options.explain ?? false)
  process.stdout.write(`${[allow ? 'allow' : 'deny', ...lines].join('\n')}\n`)
  return allow ? ALLOW : DENY
}

function askImage(
  path: string,
  { imagePublicKey: publicKey }: Env,
  [user, action]: readonly [string, string],
  resource: { type: string; key?: string; tenant?: string },
  explain: boolean,
): Answer {
  const pdp = loadImage(path, { publicKey })
  const context = { now: Date.now() } // D8
  if (!explain) return { allow: pdp.check(user, action, resource, context), lines: [] }
  const { allow, revision, code, rebac, abac, because, misses, notes, roles } = pdp.explain(
    user,
    action,
    resource,
    context,
  )
  const codes = [`code ${code}`, ...(resource.key === undefined ? [] : [`on the instance ${rebac}`]), `by sets ${abac}`]
  const reasons = saidOnce(because.map((each) => `because ${sayBecause(each)}`))
  const missed = misses.map((each) => `near ${sayMiss(each)}`)
  const noted = notes.map((each) => `note ${sayNote(each)}`)
  return { allow, lines: [`revision ${revision}`, ...codes, ...reasons, ...missed, ...noted, ...rolesLine(roles)] }
}

async function askPdp(env: Env, body: unknown, options: CheckOptions): Promise<Answer> {
  const key = env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (key === undefined) {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_API_KEY is not set, and there is no keys.json in the data folder',
    })
  }
  const url = `${(options.pdp ?? urlOf(env.pdpHost, env.pdpPort, env.tlsCert !== undefined)).replace(/\/+$/, '')}/allowed`
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(options.explain ? { 'x-explain': 'true' } : {}),
  }
  const asked = { method: 'POST', headers, body: JSON.stringify(body), timeoutMs: REQUEST_TIMEOUT_MS }
  const response = await ask(url, asked).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const answer = (response.body ?? {}) as { allow?: unknown; debug?: Debug | null; detail?: unknown }
  if (response.status !== 200 || typeof answer.allow !== 'boolean') {
    const { detail = 'is it a PDP?' } = answer
    const said = typeof detail === 'string' ? detail : JSON.stringify(detail)
    throw new ZerohopError('CONFIG_INVALID', { reason: `${url} answered ${response.status}: ${said}` })
  }
  const revision = response.headers.get('x-revision')
  const { rbac, rebac, abac } = answer.debug ?? {}
  if (!rbac) return { allow: answer.allow, lines: [] }
  const codes = [`code ${rbac.code}`, ...(rebac ? [`on the instance ${rebac.code}`] : []), `by sets ${abac?.code}`]
  const parts = [rbac, rebac, abac].filter((part) => part !== undefined)
  const allowing = parts.filter(({ allow }) => allow)
  const reasons = saidOnce((allowing.length > 0 ? allowing : parts).map(({ reason }) => `because ${reason}`))
  const missed = (abac?.nearest_misses ?? []).map(({ text }) => `near ${text}`)
  const noted = (abac?.notes ?? []).map(({ text }) => `note ${text}`)
  const lines = [`revision ${revision}`, ...codes, ...reasons, ...missed, ...noted, ...rolesLine(rbac.user_roles ?? [])]
  return { allow: answer.allow, lines }
}

/** The parts of a PDP's debug answer that are read here; the PDP may be of another version. */
interface Debug {
  readonly rbac?: Part & { readonly user_roles?: readonly string[] }
  readonly rebac?: Part
  readonly abac?: Part & { readonly nearest_misses?: readonly Said[]; readonly notes?: readonly Said[] }
}
interface Part {
  readonly allow: boolean
  readonly code: string
  readonly reason: string
}
interface Said {
  readonly text: string
}

/** An unknown key has the same reason in every part. */
const saidOnce = (lines: readonly string[]): string[] => [...new Set(lines)]

function rolesLine(roles: readonly string[]): string[] {
  return roles.length === 0 ? [] : [`roles in the tenant: ${roles.join(', ')}`]
}

function unreachable(url: string, error: unknown): ZerohopError {
  const reason = isZerohopError(error, 'FEED_UNREACHABLE') ? error.details.reason : String(error)
  return new ZerohopError('CONFIG_INVALID', { reason: `no PDP answers at ${url}: ${reason}` })
}
