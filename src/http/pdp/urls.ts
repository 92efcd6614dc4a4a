// POST /allowed_url: a mapping rule of a proxy config maps the request to an action, which is then checked as usual.
// The values of the rule's variables become attributes of the resource. Without a matching rule the request is denied.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { URL_CHARACTERS_MAX } from '../../model/limits.ts'
import type { UrlRule } from '../../model/objects.ts'
import { UrlRules } from '../../model/url-rules.ts'
import type { Check } from '../../pdp/request.ts'
import { answerCheck, JSON_TYPE } from './allowed.ts'
import { readUrlQuery, type UrlQuery } from './check-bodies.ts'
import type { PdpRouteDeps } from './route-deps.ts'

export function urlRoutes(app: FastifyInstance, deps: PdpRouteDeps): void {
  app.post('/allowed_url', { config: { decides: true }, onRequest: deps.authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const asked = readUrlQuery(request.body)
    const check = checkFor(asked, pdp.urlRules())
    const answer =
      check === undefined ? noRule(deps, request, asked) : answerCheck(deps, request, check, undefined, true)
    reply.header('x-revision', pdp.take().revision).header('content-type', JSON_TYPE).send(answer)
  })
}

/** Compiled rules, kept as long as the image returns the same list. */
const READY = new WeakMap<readonly UrlRule[], UrlRules>()

/** The check for a request; undefined when no rule matches. */
function checkFor({ user, method, url, tenant, context }: UrlQuery, rules: readonly UrlRule[]): Check | undefined {
  let ready = READY.get(rules)
  if (ready === undefined) {
    ready = new UrlRules(rules)
    READY.set(rules, ready)
  }
  const found = ready.find(method, url)
  if (found === undefined) return undefined
  const { rule, variables } = found
  const resource = { type: rule.resource, attributes: variables, tenant: tenant ?? null }
  return { user, action: rule.action || rule.http_method, resource, context: context ?? null }
}

/** Denied, and recorded without a resource type, because no rule named one. */
function noRule({ decisions }: PdpRouteDeps, request: FastifyRequest, { user, method, url, tenant }: UrlQuery): string {
  const reason = 'no mapping rule matches the method and the URL'
  decisions.record(
    request,
    { user, action: method, resource: { type: '', tenant: tenant ?? null } },
    false,
    'no_mapping_rule',
  )
  const shown = { http_method: method, url: url.slice(0, URL_CHARACTERS_MAX) }
  return JSON.stringify({ allow: false, result: false, query: shown, debug: { reason } })
}
