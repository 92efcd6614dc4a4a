// The routes of a resource that is listed, created, read, changed and deleted, made from a description of it, which is
// in its file of routes. What a description leaves out has no route; what is of another form is written by hand next to
// it. A list alone is listRoute.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KindName } from '../../kinds/index.ts'
import type { ManagementUseCases } from '../../management/host/registry.ts'
import type { FactName } from '../../management/objects/fact-writes.ts'
import type { Operation } from '../../management/rules/access.ts'
import { SETTLED_QUERY, WriteReport, writtenMembers } from '../../management/schemas/fact-writes.ts'
import { listOrPage, makePage, NoBody } from '../../management/schemas/schema-parts.ts'
import * as t from '../../model/json-schema.ts'
import type { InputOf, ResultOf, StoredView } from '../../store/view.ts'
import { describe, type Tag } from '../description.ts'
import { type Page, pageBody, type Query, readFlag } from '../page.ts'
import type { Scope } from './auth.ts'
import type { Rows } from './collection-pages.ts'
import { askedPage, nextCursor } from './cursors.ts'
import { writeOne, writeSettled } from './fact-writes.ts'
import { sendEtag, type Tagged, taggedObject } from './preconditions.ts'
import { type RouteContext, requestView, write, writeNamed } from './route-context.ts'

/** A request, as the functions of a description see it. */
export interface Asked {
  readonly request: FastifyRequest
  readonly scope: Scope
  readonly query: Query
  /** the object that the path names, an id or a key; empty where it names none */
  readonly ref: string
  /** the resource type that a part belongs to, an id or a key */
  readonly resource: string
  /** the environment as it stands on disk: good for one synchronous turn */
  readonly view: () => StoredView
}

interface Operations {
  readonly read: Operation
  readonly change: Operation
  /** default `change` */
  readonly create?: Operation
  /** default `change` */
  readonly remove?: Operation
}
export const SCHEMA: Operations = { read: 'schema.read', change: 'schema.write' }
export const FACTS: Operations = { read: 'facts.read', change: 'facts.write' }

type Name = keyof ManagementUseCases & string
/** Names of the use cases that take this input and answer with this result. */
export type UseCaseFor<Input, Result> = {
  [N in Name]: [Input, ResultOf<ManagementUseCases[N]>] extends [InputOf<ManagementUseCases[N]>, Result] ? N : never
}[Name]

/** `Part` is what a use case calls a part of a resource type, and never for objects of other kinds. */
type CreateInput<Part extends string, Body> = [Part] extends [never]
  ? Body
  : { readonly resource: string } & Readonly<Record<Part, Body>>
type OneInput<Part extends string> = [Part] extends [never]
  ? { readonly ref: string }
  : { readonly resource: string; readonly ref: string }
type ChangeInput<Part extends string, Body> = OneInput<Part> & { readonly fields: Body }

/** A parameter that names the resource type of a part. */
export interface ResourceIn {
  readonly query: t.TSchema
  readonly read: (query: Query) => string
}

/** The answer for each of the objects. */
type Print<T> = (asked: Asked, objects: readonly T[]) => readonly unknown[]

interface List<T> {
  readonly query: t.TSchema
  /** a page tells how many objects there are; `array or page` is a page when `include_total_count` is sent */
  readonly form: 'array' | 'page' | 'array or page'
  /** The objects of the page; `counted` when their total is needed. */
  readonly rows: (asked: Asked, page: Page, counted: boolean) => Promise<Rows<T>>
}

/** One list, of objects that have no other plain routes at this path. */
export interface ListRoute<T> extends List<T> {
  readonly path: string
  /** the name of the parameter in the path that is asked for as `ref`; default `ref` */
  readonly refName?: string
  readonly tag: Tag
  /** what it does, in a few words */
  readonly summary: string
  readonly operation: Operation
  readonly answer: t.TSchema
  /** default what `form` makes of `answer` */
  readonly response?: t.TSchema
  readonly print: Print<T>
  readonly beforeShown?: (asked: Asked, objects: readonly T[]) => Promise<void>
}

export interface CollectionRoutes<
  T,
  Create extends t.TSchema,
  Update extends t.TSchema,
  Replace extends t.TSchema,
  Part extends string,
> {
  /** of one object; without the last parameter it is that of the list and of POST */
  readonly path: `/${string}/:${string}`
  readonly tag: Tag
  /** what one object is called in summaries, in lower case; the plural adds an s */
  readonly noun: string
  /** what an API key must be allowed to do (src/management/rules/access.ts) */
  readonly operations: Operations
  /** set for parts of a resource type, `:resource` in the path: what the use case of POST calls the part */
  readonly part?: Part
  /** of parts: where the resource type is named, when the path does not */
  readonly resourceIn?: ResourceIn
  /**
   * set when the log of the organization is written: the id of the object. @throws OBJECT_NOT_FOUND when the caller
   * does not reach it
   */
  readonly reachedId?: (asked: Asked) => string

  /**
   * The object that the path names; no object is read without it. It stands before the others: T is what it gives.
   * @throws OBJECT_NOT_FOUND
   */
  readonly find?: (asked: Asked) => T
  /** of GET of one object */
  readonly readQuery?: t.TSchema
  readonly answer: t.TSchema
  readonly print: Print<T>
  /** awaited before objects are shown that POST did not just make */
  readonly beforeShown?: (asked: Asked, objects: readonly T[]) => Promise<void>

  readonly list?: List<T> & {
    /** when a list shows its objects in another way */
    readonly print?: Print<T>
  }
  readonly create?: {
    readonly body: Create
    readonly useCase: UseCaseFor<CreateInput<Part, t.Static<Create>>, T>
    /** when a new object is shown in another way */
    readonly print?: (asked: Asked, object: T, body: t.Static<Create>) => unknown
  }
  /** PATCH: what is not sent stays. */
  readonly update?: { readonly body: Update; readonly useCase: UseCaseFor<ChangeInput<Part, t.Static<Update>>, T> }
  /** PUT: what is not sent is reset. */
  readonly replace?: { readonly body: Replace; readonly useCase: UseCaseFor<ChangeInput<Part, t.Static<Replace>>, T> }
  readonly remove?: UseCaseFor<OneInput<Part>, null>
  /** of facts whose creation and deletion can be repeated */
  readonly fact?: FactName
  /** what of that has an etag, which `if-match` of a write is compared with: the kind of it, or the part of an object */
  readonly tagged?: KindName | ((found: T) => Omit<Tagged, 'show'>)
  /** `GET` of one object has a route of its own */
  readonly isReadElsewhere?: true
}

const RESPONSES = { array: t.listOf, page: makePage, 'array or page': listOrPage } as const

export function listRoute<T>(
  app: FastifyInstance,
  management: RouteContext,
  route: ListRoute<T>,
  resourceIn?: ResourceIn,
): void {
  const { path, refName = 'ref', tag, summary, operation, query, form, rows: rowsOf, answer, print } = route
  const { store } = management
  const response = { 200: route.response ?? RESPONSES[form](answer) }
  app.get(path, describe({ operation, tag }, summary, { querystring: query, response }), async (request, reply) => {
    const of = askedBy(management, request, refName, resourceIn)
    const page = askedPage(store, request)
    const counted = form === 'page' || (form === 'array or page' && readFlag(of.query, 'include_total_count'))
    const { rows, total, ...end } = await rowsOf(of, page, counted)
    await route.beforeShown?.(of, rows)
    const data = print(of, rows)
    const next = nextCursor(store, request, reply, end, total)
    return counted ? pageBody(data, total, page, next) : data
  })
}

export function collectionRoutes<
  T,
  Create extends t.TSchema,
  Update extends t.TSchema,
  Replace extends t.TSchema,
  Part extends string = never,
>(
  app: FastifyInstance,
  management: RouteContext,
  description: CollectionRoutes<T, Create, Update, Replace, Part>,
): void {
  const { path: one, tag, noun, operations, resourceIn, reachedId, answer, print, beforeShown } = description
  const { list, find, readQuery, create, update, replace, remove, fact, isReadElsewhere } = description
  const at = one.lastIndexOf('/:')
  const [all, refName] = [one.slice(0, at), one.slice(at + 2)]
  const querystring = resourceIn ? { querystring: resourceIn.query } : {}
  const article = /^[aeio]/.test(noun) ? 'an' : 'a'
  const asked = (request: FastifyRequest) => askedBy(management, request, refName, resourceIn)
  const toPlace = ({ resource }: Asked) => (description.part === undefined ? {} : { resource })
  const toTarget = (of: Asked) => ({ ...toPlace(of), ref: reachedId ? reachedId(of) : of.ref })
  /** The types of a description hold that this use case takes the input and answers with an object. */
  const commit = (request: FastifyRequest, reply: FastifyReply, name: string, input: () => object): Promise<unknown> =>
    reachedId
      ? writeNamed(management, request, name as Name, input as () => never)
      : write(management, request, reply, name as Name, input() as never)
  const findTag = (found: T): Omit<Tagged, 'show'> | undefined =>
    typeof description.tagged === 'string'
      ? { kind: description.tagged, object: found as never } // which is stored as it is
      : description.tagged?.(found)
  const sendTag = (reply: FastifyReply, found: T): void => {
    const tag = findTag(found)
    if (tag !== undefined) sendEtag(reply, taggedObject(tag))
  }
  const tagged = (request: FastifyRequest): Tagged => {
    const of = asked(request)
    const found = (find as (of: Asked) => T)(of) // what has an etag is found
    return { ...findTag(found)!, show: () => show(of, found) }
  }
  const options = (verb: string, schema: object, operation = operations.change) =>
    describe({ operation, tag, ...(find && description.tagged && { tagged }) }, `${verb} ${article} ${noun}`, schema)
  const show = async (of: Asked, object: T): Promise<unknown> => {
    await beforeShown?.(of, [object])
    return print(of, [object])[0]
  }

  if (list) {
    const shown = { answer, print, ...(beforeShown ? { beforeShown } : {}) }
    const route = { path: all, refName, tag, summary: `List ${noun}s`, operation: operations.read, ...shown, ...list }
    listRoute(app, management, route, resourceIn)
  }
  if (create) {
    const { body, useCase } = create
    const settled = { querystring: SETTLED_QUERY.POST, body, response: { 200: asWritten(answer) } }
    const schema = fact ? settled : { ...querystring, body, response: { 200: answer } }
    const made = describe(
      { operation: operations.create ?? operations.change, tag },
      `Create ${article} ${noun}`,
      schema,
    )
    app.post(all, made, async (request, reply) => {
      const of = asked(request)
      const sent = request.body as t.Static<Create> // the schema was checked
      const call = { fact, method: 'POST', items: [sent] } as never // the description says that they are of that kind
      const one = fact && (await writeOne<T>(management, request, reply, useCase, call))
      if (one) return { ...((await show(of, one.object)) as object), ...one.shown }
      const input = description.part === undefined ? sent : { ...toPlace(of), [description.part]: sent }
      const made = (await commit(request, reply, useCase, () => input as object)) as T
      return create.print ? create.print(of, made, sent) : print(of, [made])[0]
    })
  }
  if (find && !isReadElsewhere) {
    const read = readQuery ? { querystring: readQuery } : querystring
    app.get(one, options('Read', { ...read, response: { 200: answer } }, operations.read), async (request, reply) => {
      const of = asked(request)
      const found = find(of)
      sendTag(reply, found)
      return show(of, found)
    })
  }
  for (const [method, verb, change] of [
    ['PATCH', 'Change', update],
    ['PUT', 'Replace', replace],
  ] as const) {
    if (!change) continue
    const { body, useCase } = change
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const of = asked(request)
      const input = () => ({ ...toTarget(of), fields: request.body })
      const changed = (await commit(request, reply, useCase, input)) as T
      sendTag(reply, changed)
      return show(of, changed)
    }
    const schema = { ...querystring, body, response: { 200: answer } }
    app.route({ method, url: one, ...options(verb, schema), handler })
  }
  if (remove) {
    const settled = { querystring: SETTLED_QUERY.DELETE, response: { 200: WriteReport, 204: NoBody } }
    const schema = fact ? settled : { ...querystring, response: { 204: NoBody } }
    app.delete(one, options('Delete', schema, operations.remove), async (request, reply) => {
      const of = asked(request)
      const call = { fact, method: 'DELETE', items: [of.ref] } as never
      const report = fact && (await writeSettled(management, request, reply, remove, call))
      if (report) return report
      await commit(request, reply, remove, () => toTarget(of))
      return reply.code(204).send()
    })
  }
}

/** The schema of an answer, with what became of the write. */
function asWritten(answer: t.TSchema): t.TSchema {
  const object = answer as t.TSchema & Parameters<typeof t.withMembers>[0]
  return t.named(`${t.schemaName(answer)}Written`, t.withMembers(object, writtenMembers))
}

function askedBy(management: RouteContext, request: FastifyRequest, refName: string, resourceIn?: ResourceIn): Asked {
  // as Fastify parses them
  const { params, query } = request as { params: Readonly<Record<string, string>>; query: Query }
  return {
    request,
    scope: request.scope,
    query,
    ref: params[refName] ?? '',
    get resource() {
      return resourceIn ? resourceIn.read(query) : (params.resource ?? '')
    },
    view: () => requestView(management, request),
  }
}
