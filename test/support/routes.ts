// Every route of the management API as it is registered: what tests that must not forget a new route walk over. `fill`
// makes a path of a route with objects that exist; a route over a new kind of object says in `objects` which one.
import type { FastifyInstance } from 'fastify'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import type { ManagementData } from '../../src/management/host/open.ts'
import { PastRevisions } from '../../src/management/past/past-revisions.ts'
import type { Operation } from '../../src/management/rules/access.ts'
import { Snapshots } from '../../src/management/snapshot/snapshot.ts'
import { type Watched, watchAnswers } from './answers.ts'
import type { Schema } from './bad-input.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  readonly method: Method
  /** with `:name` for what varies */
  readonly url: string
  /** undefined for a route that asks for no key */
  readonly operation: Operation | undefined
  readonly body: Schema | undefined
  /** whether it answers with an array, or with a page of one */
  readonly isList: boolean
  /** names of its query parameters */
  readonly query: readonly string[]
  /** whether a request without a body is taken */
  readonly bodyIsOptional: boolean
  /** whether it writes one object that has an etag, or says that it does */
  readonly isTagged: boolean
}

/** Registered before anybody can listen: they stand outside the gate. */
const OPEN = ['/health', '/ready', '/metrics', '/v2/openapi.json', '/docs', '/docs/scalar.js', '/docs/migration']

/** The app with the feed, as the process serves it, and all its routes. */
export async function appWithRoutes(
  { store, audit }: Pick<ManagementData, 'store' | 'audit'>,
  data: string,
): Promise<{ app: FastifyInstance; routes: readonly Route[]; answers: Watched }> {
  const snapshots = new Snapshots(store, data)
  const past = new PastRevisions(store, { data })
  const app = managementApp({ store, audit, past, routes: (guarded) => feedRoutes(guarded, { store, snapshots }) })
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const one of [method].flat()) {
      if (one === 'HEAD' || one === 'OPTIONS' || url.includes('*')) continue
      routes.push({
        method: one as Method,
        url,
        operation: config?.operation,
        body: schema?.body as Schema | undefined,
        isList: isList(schema?.response),
        query: Object.keys((schema?.querystring as { properties?: object } | undefined)?.properties ?? {}),
        bodyIsOptional: config?.bodyIsOptional ?? false,
        isTagged: config?.tagged !== undefined,
      })
    }
  })
  const answers = watchAnswers(app)
  await app.ready()
  const open = OPEN.filter((url) => app.hasRoute({ method: 'GET', url }) && !routes.some((one) => one.url === url))
  const first = open.map(
    (url) =>
      ({
        method: 'GET',
        url,
        operation: undefined,
        body: undefined,
        isList: false,
        query: [],
        bodyIsOptional: false,
        isTagged: false,
      }) as const,
  )
  return { app, routes: [...first, ...routes], answers }
}

/** A short name of the path, as docs/http-api.md writes it. */
function isList(response: unknown): boolean {
  interface Answer {
    readonly type?: string
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>
    readonly anyOf?: readonly Answer[]
  }
  const { 200: answer } = (response ?? {}) as { readonly 200?: Answer }
  return [answer, ...(answer?.anyOf ?? [])].some(
    (one) =>
      one?.type === 'array' || ['data', 'lines', 'roles'].some((name) => one?.properties?.[name]?.type === 'array'),
  )
}

export const shortPath = (url: string): string =>
  url
    .replace('/v2/schema/:p/:e', 'S')
    .replace('/v2/facts/:p/:e', 'F')
    .replace(/:(\w+)/g, '{$1}')

/** One segment of a path: a parameter of the place (`p`, `e`), a parameter that names an object, or fixed text. */
export interface Segment {
  readonly text: string
  readonly parameter: string | undefined
  /** the fixed text before a parameter that names an object: what kind it is */
  readonly kind: string | undefined
}

export function parseSegments(url: string): readonly Segment[] {
  let kind: string | undefined
  return url
    .split('/')
    .slice(1)
    .map((text) => {
      if (!text.startsWith(':')) {
        kind = text
        return { text, parameter: undefined, kind: undefined }
      }
      return { text, parameter: text.slice(1), kind: kind }
    })
}

/** The path with each parameter replaced by what `refOf` says, percent-encoded. */
export function fill(url: string, refOf: (segment: Segment) => string): string {
  return parseSegments(url)
    .map((segment) => `/${segment.parameter === undefined ? segment.text : encodeURIComponent(refOf(segment))}`)
    .join('')
}
