// Compares the answers of an app with the OpenAPI document that it publishes: status and body of accepted requests,
// with every member documented.
import type { FastifyInstance } from 'fastify'
import Schema from 'typebox/schema'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { IS_WHOLE } from './sample.ts'

type Part = { readonly [member: string]: unknown }

/**
 * Answers of one route and status that are looked at: the first ones, so that a test with a thousand writes costs no
 * more.
 */
const SEEN_MAX = IS_WHOLE ? 40 : 10

export interface Watched {
  /** of the answers since the last time: what was not as the document says, and the routes that were compared */
  compare(): Promise<{ readonly lies: readonly string[]; readonly routes: ReadonlySet<string> }>
}

/** Call it before the app is ready. */
export function watchAnswers(app: FastifyInstance): Watched {
  const answers = new Map<string, string[]>()
  app.addHook('onSend', (request, reply, payload, done) => {
    const url = request.routeOptions.url?.replace(/:(\w+)/g, '{$1}')
    if (url !== undefined && reply.statusCode < 300 && (typeof payload === 'string' || payload == null)) {
      const name = `${request.method} ${url} ${reply.statusCode}`
      const seen = answers.get(name) ?? []
      answers.set(name, seen)
      if (seen.length < SEEN_MAX) seen.push(payload ?? '')
    }
    done(null, payload)
  })
  return {
    async compare() {
      const document = parseDocument((await app.inject({ url: '/v2/openapi.json' })).body)
      const lies: string[] = []
      const routes = new Set<string>()
      const since = [...answers]
      answers.clear()
      for (const [name, bodies] of since) {
        const [method = '', url = '', status = ''] = name.split(' ')
        const responses = document.paths[url]?.[method.toLowerCase()]?.responses ?? {}
        const response = responses[status] as Part | undefined
        if (response === undefined && responses['2XX'] !== undefined) continue
        routes.add(`${method} ${url}`)
        const lie = response === undefined ? 'the status is not named' : findMismatch(document, response, bodies)
        if (lie !== undefined) lies.push(`${name}: ${lie}`)
      }
      return { lies, routes }
    },
  }
}

function findMismatch(document: OpenApiDocument, response: Part, bodies: readonly string[]): string | undefined {
  const content = response.content as Readonly<Record<string, { readonly schema: Part }>> | undefined
  const schema = (content?.['application/json'] ?? content?.['application/scim+json'])?.schema
  if (schema === undefined) return bodies.every((body) => body === '') ? undefined : 'a body is not named'
  const root = { ...schema, components: document.components } as never
  const values: unknown[] = [...new Set(bodies)].map((body) => JSON.parse(body))
  const wrong = values.find((value) => !Schema.Check(root, value))
  if (wrong === undefined) return undefined
  return `${JSON.stringify(Schema.Errors(root, wrong)[1][0])} in ${JSON.stringify(wrong).slice(0, 600)}`
}

/** Each app publishes the same. */
const documents = new Map<string, OpenApiDocument>()

function parseDocument(text: string): OpenApiDocument {
  const known = documents.get(text) ?? (closed(JSON.parse(text)) as OpenApiDocument)
  documents.set(text, known)
  return known
}

/** The document allows further members; the answers of this version must have exactly the documented ones. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  const isObject = 'properties' in inside && inside.type !== undefined && !('additionalProperties' in inside)
  return isObject ? { ...inside, additionalProperties: false } : inside
}
