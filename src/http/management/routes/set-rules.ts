// Set rules: /v2/facts/{p}/{e}/set_rules. POST answers an array, DELETE carries a body.
import type { FastifyInstance } from 'fastify'
import type { SetRule as Stored } from '../../../kinds/set-rule.ts'
import { setsNamed } from '../../../management/objects/set-rules.ts'
import { SETTLED_QUERY, SetRuleWritten, WriteReport } from '../../../management/schemas/fact-writes.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { SetRuleCreate, SetRuleQuery, SetRuleRead } from '../../../management/schemas/set-rules.ts'
import { listOf } from '../../../model/json-schema.ts'
import { parseId } from '../../../model/keys.ts'
import type { PlacedView, View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import { everyObject, type Filter, filtered, indexed } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { writeOne, writeSettled } from '../fact-writes.ts'
import { setRuleRead } from '../render/facts.ts'
import { type RouteContext, write } from '../route-context.ts'

const RULES = '/v2/facts/:p/:e/set_rules'
const change = { operation: 'rules.write', tag: 'set_rules' } as const
type WithBody = { Body: SetRuleCreate }

export function setRuleRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: RULES,
    tag: 'set_rules',
    summary: 'List set rules',
    operation: 'facts.read',
    query: SetRuleQuery,
    form: 'array',
    rows: ({ view, query }, page) => filtered(everyObject(view, 'set_rule'), listFilters(view, query), page, false),
    answer: SetRuleRead,
    print: ({ scope }, rules) => rules.map((rule) => setRuleRead(scope, rule)),
  })
  const fact = 'set_rules'
  const made = { querystring: SETTLED_QUERY.POST, body: SetRuleCreate, response: { 200: listOf(SetRuleWritten) } }
  app.post<WithBody>(RULES, describe(change, 'Create a set rule', made), async (request, reply) => {
    const { scope, body } = request
    const sent = { fact, method: 'POST', items: [body] } as const
    const one = await writeOne<Stored>(management, request, reply, 'createSetRule', sent)
    const rule = one?.object ?? (await write(management, request, reply, 'createSetRule', body))
    return [{ ...setRuleRead(scope, rule), ...one?.shown }]
  })
  const put = { body: SetRuleCreate, response: { 200: SetRuleWritten, 201: SetRuleWritten } }
  app.put<WithBody>(RULES, describe(change, 'Create a set rule, or find it', put), async (request, reply) => {
    const { object, created } = await write(management, request, reply, 'putSetRule', request.body)
    reply.code(created ? 201 : 200)
    return { ...setRuleRead(request.scope, object), created }
  })
  const gone = { querystring: SETTLED_QUERY.DELETE, body: SetRuleCreate, response: { 200: WriteReport, 204: NoBody } }
  app.delete<WithBody>(RULES, describe(change, 'Delete a set rule', gone), async (request, reply) => {
    const sent = { fact, method: 'DELETE', items: [request.body] } as const
    const report = await writeSettled(management, request, reply, 'deleteSetRule', sent)
    if (report !== undefined) return report
    await write(management, request, reply, 'deleteSetRule', request.body)
    return reply.code(204).send()
  })
}

/**
 * `user_set` and `resource_set` (id, key, or the key of a role or resource), `permission`. A key of a set and of a role
 * finds the rules of both. What names nothing finds nothing.
 */
function listFilters(view: () => PlacedView, query: Query): Filter<Stored>[] {
  const now = view()
  const filters: Filter<Stored>[] = []
  for (const [name, type, index] of SETS) {
    const ref = readText(query, name)
    if (ref === undefined) continue
    const keys = setsNamed(now, type, ref)
    filters.push({ sources: keys.map((key) => indexed(view, index, key)), fits: (row) => keys.includes(row[name]) })
  }
  const permission = readText(query, 'permission')
  if (permission !== undefined) filters.push(ofPermission(view, permission))
  return filters
}

const SETS = [
  ['user_set', 'userset', 'rules_of_user_set'],
  ['resource_set', 'resourceset', 'rules_of_resource_set'],
] as const

/** `resource:action`, the key of an action of any resource, or the id of an action. */
function ofPermission(view: () => PlacedView, ref: string): Filter<Stored> {
  const one = ref.includes(':') ? ref : permissionOfId(view(), ref)
  if (one === undefined) return { fits: ({ permission }) => permission.slice(permission.indexOf(':') + 1) === ref }
  return { sources: [indexed(view, 'rules_of_permission', one)], fits: ({ permission }) => permission === one }
}

function permissionOfId(view: View, ref: string): string | undefined {
  const id = parseId(ref)
  if (id === undefined) return undefined
  for (const resource of view.list('resource')) {
    const action = resource.actions.find((one) => one.id === id)
    if (action) return `${resource.key}:${action.key}`
  }
  return undefined
}
