// `zerohop check`: one check against a running PDP or an image file. Exit code 0 allow, 1 deny, 2 could not decide.
import { plain } from '../../model/plain-text.ts'
import type { Why } from '../../model/why.ts'
import { loadImage } from '../../pdp/pdp.ts'
import { whyLines } from '../../pdp/why-text.ts'
import type { Env } from '../configuration/env.ts'
import { type AskedAbout, readResource } from '../terminal/resource-argument.ts'
import { askAllowed } from './ask-pdp.ts'

export interface CheckOptions {
  readonly tenant?: string
  readonly explain?: boolean
  readonly json?: boolean
  /** an image file; without it a running PDP is asked */
  readonly image?: string
  /** address of the PDP */
  readonly pdp?: string
}

interface Answer {
  readonly allow: boolean
  /** with `explain`, unless the PDP is of a version that does not say */
  readonly revision?: number | null
  readonly why?: Why
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
  const about = readResource(resource, options.tenant)
  const { lines, ...answer } =
    options.image === undefined
      ? await askServer(env, { user: { key: user }, action, resource: about }, options)
      : askImage(options.image, env, [user, action], about, options.explain ?? false)
  const text = options.json ? JSON.stringify(answer) : [answer.allow ? 'allow' : 'deny', ...lines.map(plain)].join('\n')
  process.stdout.write(`${text}\n`)
  return answer.allow ? ALLOW : DENY
}

function askImage(
  path: string,
  { imagePublicKey: publicKey }: Env,
  [user, action]: readonly [string, string],
  resource: AskedAbout,
  explain: boolean,
): Answer {
  const pdp = loadImage(path, { publicKey })
  const context = { now: Date.now() } // D8
  if (!explain) return { allow: pdp.check(user, action, resource, context), lines: [] }
  const { allow, revision, code, rebac, abac, roles } = pdp.explain(user, action, resource, context)
  const codes = [`code ${code}`, ...(resource.key === undefined ? [] : [`on the instance ${rebac}`]), `by sets ${abac}`]
  const why = pdp.why(user, action, resource, context)
  return { allow, revision, why, lines: [`revision ${revision}`, ...codes, ...reasonLines(why), ...rolesLine(roles)] }
}

async function askServer(env: Env, body: object, { pdp, explain }: CheckOptions): Promise<Answer> {
  const answer = await askAllowed(env, body, { pdp, ...(explain ? { explain: 'why' } : {}) })
  const { rbac, rebac, abac } = (answer.debug ?? {}) as Debug
  if (!rbac) return { allow: answer.allow, lines: [] }
  const codes = [`code ${rbac.code}`, ...(rebac ? [`on the instance ${rebac.code}`] : []), `by sets ${abac?.code}`]
  const why = answer.why as Why | undefined
  const reasons = why === undefined ? [] : reasonLines(why)
  const lines = [`revision ${answer.revision}`, ...codes, ...reasons, ...rolesLine(rbac.user_roles ?? [])]
  const revision = answer.revision === null ? null : Number(answer.revision)
  return { allow: answer.allow, revision, ...(why === undefined ? {} : { why }), lines }
}

/** The parts of a PDP's debug answer that are read here; the PDP may be of another version. */
interface Debug {
  readonly rbac?: { readonly code: string; readonly user_roles?: readonly string[] }
  readonly rebac?: { readonly code: string }
  readonly abac?: { readonly code: string }
}

/** The sentences below the answer. */
const reasonLines = (why: Why): string[] => whyLines(why).slice(1)

function rolesLine(roles: readonly string[]): string[] {
  return roles.length === 0 ? [] : [`roles in the tenant: ${roles.join(', ')}`]
}
