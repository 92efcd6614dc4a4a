// POST /access/v1/search/{subject,resource,action}: exactly those for which an evaluation is true (D12: listings agree
// with checks), in pages. Unknown keys give an empty list, never an error (rule 8). Only stored users and instances are
// listed.
import type { FastifyInstance } from 'fastify'
import { pdpAt, withNow } from '../pdp/now.ts'
import { toRow } from '../pdp/rows-header.ts'
import {
  readAction,
  readProperties,
  readResource,
  readResources,
  readSubject,
  readSubjectType,
  requireMembers,
} from './authzen-bodies.ts'
import type { AuthzenDeps } from './deps.ts'
import { type Found, makePage, readPage, readRange } from './search-page.ts'
import { isUserType } from './subjects.ts'

const NONE: Found = { keys: [], next: undefined }

export function searchRoutes(app: FastifyInstance, deps: AuthzenDeps): void {
  const options = { onRequest: deps.authenticate }

  app.post('/search/subject', options, (request, reply) => {
    const pdp = request.pdp!
    const body = requireMembers(request.body, 'the body')
    const type = readSubjectType(body.subject)
    const action = readAction(body.action)
    const resource = toRow(request, readResource(body.resource))
    const sent = readProperties(body.context, 'context')
    const at = pdpAt(pdp, sent, deps.acceptNow)
    const context = withNow(at, sent, deps.acceptNow)
    const page = readPage(body, 'subject')
    const found = isUserType(deps, type) ? at.users(action, resource, { ...readRange(page), context }) : NONE
    reply.header('x-revision', pdp.take().revision).send(makePage(page, found, (id) => ({ type, id })))
  })

  app.post('/search/resource', options, (request, reply) => {
    const pdp = request.pdp!
    const body = requireMembers(request.body, 'the body')
    const { user, isKnown } = readSubject(deps, body.subject)
    const action = readAction(body.action)
    const { type, tenant, attributes } = readResources(body.resource)
    const sent = readProperties(body.context, 'context')
    const at = pdpAt(pdp, sent, deps.acceptNow)
    const context = withNow(at, sent, deps.acceptNow)
    const page = readPage(body, 'resource')
    const found = isKnown ? at.resources(user, action, type, { ...readRange(page), tenant, context, attributes }) : NONE
    reply.header('x-revision', pdp.take().revision).send(makePage(page, found, (id) => ({ type, id })))
  })

  app.post('/search/action', options, (request, reply) => {
    const pdp = request.pdp!
    const body = requireMembers(request.body, 'the body')
    const { user, isKnown } = readSubject(deps, body.subject)
    const resource = toRow(request, readResource(body.resource))
    const sent = readProperties(body.context, 'context')
    const at = pdpAt(pdp, sent, deps.acceptNow)
    const context = withNow(at, sent, deps.acceptNow)
    const page = readPage(body, 'action')
    const found = isKnown ? cut(at.actions(user, resource, context), readRange(page)) : NONE
    reply.header('x-revision', pdp.take().revision).send(makePage(page, found, (name) => ({ name })))
  })
}

/** One page of a complete list: the actions of one type. */
function cut(all: readonly string[], { after, limit }: { after: string | undefined; limit: number }): Found {
  const rest = after === undefined ? all : all.filter((name) => name > after)
  const keys = rest.slice(0, limit)
  return { keys, next: keys.length < rest.length ? keys.at(-1) : undefined }
}
