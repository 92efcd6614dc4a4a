// `zerohop why`: explains one answer for people, from a running PDP, a management API, an image file or policy files.
// Exit code 0 allow, 1 deny.

import { ZerohopError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/objects.ts'
import { plain } from '../../model/plain-text.ts'
import type { Why } from '../../model/why.ts'
import { FixedImage } from '../../pdp/fixed-image.ts'
import { loadImage, Pdp } from '../../pdp/pdp.ts'
import type { Check } from '../../pdp/request.ts'
import { whyLines, whyTreeLines } from '../../pdp/why-text.ts'
import type { Env } from '../configuration/env.ts'
import { readObject } from '../terminal/object-option.ts'
import { readResource } from '../terminal/resource-argument.ts'
import type { ExplainOptions } from './ask-api.ts'
import { askAllowed } from './ask-pdp.ts'

export interface WhyOptions extends ExplainOptions {
  readonly tenant?: string
  /** JSON objects */
  readonly attributes?: string
  readonly userAttributes?: string
  readonly context?: string
  readonly relations?: string
  readonly tree?: boolean
  readonly json?: boolean
  /** an image file; without it a running PDP is asked */
  readonly image?: string
  /** policy files, instead of both */
  readonly policy?: readonly string[]
  /** address of the PDP */
  readonly pdp?: string
}

/**
 * Prints the explanation and returns the exit code. @throws INPUT_INVALID for JSON that cannot be read; CONFIG_INVALID
 * without an answer; what a check throws
 */
export async function runWhy(
  env: Env,
  [user, action, resource]: readonly [string, string, string],
  options: WhyOptions,
): Promise<number> {
  const about = {
    ...readResource(resource, options.tenant),
    ...withObject('attributes', options.attributes, '--attributes'),
    ...withObject('relations', options.relations, '--relations'),
  }
  const who = { key: user, ...withObject('attributes', options.userAttributes, '--user-attributes') }
  const check = { user: who, action, resource: about, ...withObject('context', options.context, '--context') } as Check
  const { image, policy } = options
  const why =
    image !== undefined
      ? askPdp(loadImage(image, { publicKey: env.imagePublicKey }), check)
      : policy !== undefined
        ? askPdp(new Pdp(new FixedImage((await import('./policy-image.ts')).imageOfPolicyFiles(policy))), check)
        : [options.api, options.at, options.data].some((option) => option !== undefined)
          ? await (await import('./ask-api.ts')).explainByApi(env, check, options)
          : await askServer(env, check, options)
  const lines = options.json
    ? [JSON.stringify(why, null, 2)]
    : (options.tree ? whyTreeLines(why) : whyLines(why)).map(plain)
  process.stdout.write(`${lines.join('\n')}\n`)
  return why.allow ? 0 : 1
}

/** Asks here, without a server. */
function askPdp(pdp: Pdp, { user, action, resource, context }: Check): Why {
  return pdp.why(user, action, resource, { ...context, now: Date.now() }) // D8
}

async function askServer(env: Env, check: Check, { pdp }: WhyOptions): Promise<Why> {
  const { why } = await askAllowed(env, check, { pdp, explain: 'why' })
  if (why === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'the PDP does not explain for people: it is of an older version',
    })
  return why as Why
}

/** The member with the object of an option; nothing without one. @throws INPUT_INVALID */
function withObject(name: string, json: string | undefined, option: string): { [name: string]: JsonObject } {
  const value = readObject(json, option)
  return value === undefined ? {} : { [name]: value }
}
