// POST /allowed and POST /allowed/bulk (contract §5.3). The common answers are constant strings: nothing is serialised per request.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BULK_CHECKS_BYTES_MAX } from '../../model/limits.ts'
import type { AbacCode, Because, Pdp, RebacCode } from '../../pdp/pdp.ts'
import { type Attributes, type Check, questionOf } from '../../pdp/request.ts'
import type { PdpRouteDeps } from './app.ts'
import { readCheck, readChecks } from './bodies.ts'
import { shortReason } from './decisions.ts'

export const JSON_TYPE = 'application/json'
const ALLOWED = '{"allow":true,"result":true,"query":null,"debug":null}'
const DENIED = '{"allow":false,"result":false,"query":null,"debug":null}'

export function allowedRoutes(app: FastifyInstance, deps: PdpRouteDeps): void {
  const { authenticate, debug } = deps
  const config = { decides: true } as const
  app.post('/allowed', { config, onRequest: authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const check = readCheck(request.body)
    const answer = answered(deps, request, check)
    reply.header('x-revision', pdp.revision).header('content-type', JSON_TYPE).send(answer)
  })

  app.post('/allowed/bulk', { config, onRequest: authenticate, bodyLimit: BULK_CHECKS_BYTES_MAX }, (request, reply) => {
    const pdp = request.pdp!
    const checks = readChecks(request.body)
    const { revision } = pdp
    let answers = ''
    for (let at = 0; at < checks.length; at++)
      answers += (at === 0 ? '' : ',') + answered(deps, request, checks[at]!, debug)
    reply.header('x-revision', revision).header('content-type', JSON_TYPE).send(`{"allow":[${answers}]}`)
  })
}

/** Decides, tells the decision, and returns the answer. With its path when every answer has it, or the request asks for it. */
export function answered(
  { debug, decisions }: PdpRouteDeps,
  request: FastifyRequest,
  check: Check,
  explains = debug || request.headers['x-explain'] === 'true',
): string {
  const pdp = request.pdp!
  if (explains) {
    const { allow, reason, text } = explained(pdp, check)
    decisions.record(request, check, allow, reason)
    return text
  }
  const allow = decide(pdp, check)
  decisions.record(request, check, allow)
  return answerTo(allow)
}

/** One check of a request; D8: its time is now. */
export function decide(pdp: Pdp, { user, action, resource, context }: Check): boolean {
  return pdp.checkUnsent(user, action, resource) ?? pdp.check(user, action, resource, withNow(context))
}

/** The answer to one check as it goes over the wire; ASCII. */
export function answerTo(allow: boolean): string {
  return allow ? ALLOWED : DENIED
}

/** D8: the time of a question is set here, whatever was sent. */
export function withNow(context: Attributes | null | undefined): Attributes {
  return { ...context, now: Date.now() }
}

/** The same decision with the path to it, and the code of what allowed or refused it. */
function explained(pdp: Pdp, { user, action, resource, context }: Check) {
  const { user: key, type, key: instance } = questionOf(user, action, resource)
  const { allow, tenant, code, rebac, abac, because, roles } = pdp.explain(user, action, resource, withNow(context))
  const allowing = because.filter(({ source }) => source === 'rbac').map(({ role }) => role)
  const debug = {
    request: {
      user: { key, synced: code !== 'user_not_synced' },
      tenant,
      action,
      resource: { type, key: instance ?? null },
    },
    rbac: {
      allow: code === 'allow',
      code,
      reason: reasonOf(code, allowing),
      allowing_roles: allowing,
      user_roles: roles,
    },
    ...(instance === undefined ? {} : { rebac: relationsOf(rebac, because) }),
    abac: { allow: abac === 'allow', code: abac, reason: ABAC_REASONS[abac] },
  }
  const reason = shortReason({ allow, code, rebac, abac })
  return { allow, reason, text: JSON.stringify({ allow, result: allow, query: null, debug }) }
}

/** The part of the answer about roles on the instance. */
function relationsOf(code: RebacCode, because: readonly Because[]) {
  const way = because.find(({ source }) => source === 'rebac')?.path.join(' → ')
  const reason = code === 'allow' ? `the user holds the permission through ${way}` : REBAC_REASONS[code]
  return { allow: code === 'allow', code, reason }
}

const ABAC_REASONS: Readonly<Record<AbacCode, string>> = {
  allow: 'a set rule for the permission matches the user and the resource',
  no_such_resource: 'no resource type has this key',
  no_such_action: 'the resource type has no such action',
  no_such_tenant: 'no tenant has this key',
  user_not_synced: 'no user has this key',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_matching_rules: 'no set rule for the permission matches both the user and the resource',
  no_matching_usersets: 'the user is in none of the user sets of the set rules for the permission',
  no_matching_resourcesets: 'the resource is in none of the resource sets of the set rules for the permission',
  undecided: 'the conditions are too much work for one check',
}

const REBAC_REASONS: Readonly<Record<Exclude<RebacCode, 'allow'>, string>> = {
  no_such_resource: 'no resource type has this key',
  no_such_action: 'the resource type has no such action',
  no_such_tenant: 'no tenant has this key',
  user_not_synced: 'no user has this key',
  no_such_instance: 'no instance of the type has this key',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_graph_roles: 'the user holds no role on the instance, neither assigned nor derived',
  no_permission: 'no role that the user holds on the instance has the permission',
  undecided: 'the relations of the instance are too many for one check',
}

function reasonOf(code: string, allowing: readonly string[]): string {
  switch (code) {
    case 'allow':
      return `the user holds ${allowing.map((role) => `\`${role}\``).join(', ')}, which has the permission`
    case 'no_such_resource':
      return 'no resource type has this key'
    case 'no_such_action':
      return 'the resource type has no such action'
    case 'no_such_tenant':
      return 'no tenant has this key'
    case 'user_not_synced':
      return 'no user has this key'
    case 'no_user_roles':
      return 'the user holds no role in any tenant'
    case 'no_role_in_tenant':
      return 'the user holds no role in this tenant'
    default:
      return 'no role of the user in this tenant has the permission'
  }
}
