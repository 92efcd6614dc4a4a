// What the tests of AuthZEN ask about, and how they ask: a PDP on a port of its own over one small policy.
import { afterAll, beforeAll } from 'vitest'
import { Image } from '../../../../src/image/image.ts'
import type { PolicyChange } from '../../../../src/log/delta.ts'
import { loadImage } from '../../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../../src/server.ts'
import { give, putRole, putTenant } from '../../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../../support/deltas.ts'

export const KEY = 'the key of the environment'
export const EVALUATION = '/access/v1/evaluation'
export const EVALUATIONS = '/access/v1/evaluations'

const set = (
  key: string,
  type: 'userset' | 'resourceset',
  resource: string | null,
  conditions: object,
): PolicyChange => ({
  op: 'put',
  kind: 'condition_set',
  key,
  value: { type, resource, conditions: conditions as never, parent: null },
})
const rule = (user: string, permission: string, resource: string): PolicyChange => ({
  op: 'put',
  kind: 'set_rule',
  key: `${user}/${permission}/${resource}`,
  value: { user_set: user, permission, resource_set: resource },
})
const putDocument = (key: string, tenant: string, attributes: Record<string, never | string>): PolicyChange => ({
  op: 'put',
  kind: 'resource_instance',
  key: `document:${key}`,
  value: { tenant, attributes },
})

/**
 * ana reads every document of `default` by role; who is in a document's department edits it, unless the action is a dry
 * run.
 */
export const POLICY: readonly PolicyChange[] = [
  {
    op: 'put',
    kind: 'resource',
    key: 'document',
    value: { actions: ['read', 'edit', 'shred'], attributes: { department: 'string', due: 'time' } },
  },
  putRole('reader', ['document:read']),
  ...['default', 'acme'].map(putTenant),
  { op: 'put', kind: 'user', key: 'ana', value: { attributes: { department: 'sales' } } },
  { op: 'put', kind: 'user', key: 'ben', value: { attributes: { department: 'legal' } } },
  { op: 'put', kind: 'user', key: 'repos/own{er}', value: {} },
  give('ana', 'reader'),
  give('repos/own{er}', 'reader'),
  putDocument('plan', 'default', { department: 'sales', due: '2025-06-27T00:00Z' }),
  putDocument('law', 'acme', { department: 'legal', due: '2025-06-28T00:00Z' }),
  putDocument('note', 'default', { department: 'legal', due: '2025-06-29T00:00Z' }),
  set('anybody', 'userset', null, {
    allOf: [
      { 'user.department': { equals: { ref: 'resource.department' } } },
      { not: { 'action.dry': { equals: true } } },
    ],
  }),
  set('documents', 'resourceset', 'document', {
    allOf: [{ 'resource.department': { 'not-equals': 'nowhere' } }],
  }),
  rule('anybody', 'document:edit', 'documents'),
  set('late', 'resourceset', 'document', {
    allOf: [{ 'resource.due': { 'less-than': { ref: 'context.time' } } }],
  }),
  set('lawyers', 'userset', null, { allOf: [{ 'user.department': { equals: 'legal' } }] }),
  rule('lawyers', 'document:shred', 'late'),
]

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly body: any
}

/** The image of the policy, at revision 7. */
export const imageOfPolicy = (revision = 7, policy = POLICY) =>
  loadImage(Image.build(ENVIRONMENT, makePosition(revision), policy).save())

let base = ''

/** Serves the policy for the tests of a file. */
export function servePolicy(): void {
  let app: ReturnType<typeof pdpServer>
  beforeAll(async () => {
    app = pdpServer(imageOfPolicy(), KEY)
    base = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => app.close())
}

/** Where it is served. */
export const address = (): string => base

/** `body` as JSON, unless it is text or bytes. */
export async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const payload = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const all = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(base + path, { method: 'POST', headers: all, body: payload as BodyInit })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

export const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties ? { properties } : {}) })
export const action = (name: string, properties?: object) => ({ name, ...(properties ? { properties } : {}) })
export const document = (id: string, properties?: object) => ({
  type: 'document',
  id,
  ...(properties ? { properties } : {}),
})
export const ask = (subject: object, does: object, resource: object, context?: object) => ({
  subject,
  action: does,
  resource,
  ...(context ? { context } : {}),
})

/** The three searches, as most tests ask them. */
export const subjects = (resource: object, does = action('read'), rest: object = {}) =>
  send('/access/v1/search/subject', { subject: { type: 'user' }, action: does, resource, ...rest })
export const resources = (subject: object, does = action('read'), rest: object = {}) =>
  send('/access/v1/search/resource', { subject, action: does, resource: { type: 'document' }, ...rest })
export const actions = (subject: object, resource: object, rest: object = {}) =>
  send('/access/v1/search/action', { subject, resource, ...rest })
