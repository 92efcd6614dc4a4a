// What the routes of members answer: only what a customer's administrator may see of members and roles, named field by
// field, and refusals without anything of the management API but its reason.
import type { components } from '../../../build/management-api.ts'
import type { TenantInvite, TenantMember, TenantRole } from '../../model/members.ts'

type Schemas = components['schemas']

/** A body whose fields are known by name; the management API looks at the values. */
export type Fields = Readonly<Record<string, unknown>>

const HEADERS = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }

/** An answer with a JSON body, that no cache keeps. */
export function answer(status: number, body: object | null, headers: Readonly<Record<string, string>> = {}): Response {
  if (body === null) return new Response(null, { status, headers: { ...HEADERS, ...headers } })
  return Response.json(body, { status, headers: { ...HEADERS, ...headers } })
}

export const refuse = (status: number, error: string, message: string): Response => answer(status, { error, message })

/** The answer where it is not known what became of a request. */
export const unavailable = (): Response =>
  answer(503, { error: 'unavailable', message: 'members cannot be managed now: try again' }, { 'retry-after': '1' })

/** Ends a request with an answer. */
export class MemberRefusal extends Error {
  readonly response: Response

  constructor(status: number, error: string, message: string) {
    super(message)
    this.response = refuse(status, error, message)
  }
}

/** A result of the write client. */
interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

const ERRORS: Readonly<Record<number, string>> = { 400: 'invalid', 404: 'not_found', 409: 'conflict', 422: 'invalid' }

/**
 * The data of a result.
 * @throws MemberRefusal with the reason of a refusal that is about the request; Error for every other answer, which
 * is about the key or the server
 */
export function dataIn<R extends Result>({ data, response, error }: R): Exclude<R['data'], undefined> {
  if (response.ok) return data as Exclude<R['data'], undefined>
  const kind = ERRORS[response.status]
  const message = reasonIn(error)
  if (kind !== undefined && message !== undefined) throw new MemberRefusal(response.status, kind, message)
  throw new Error(`the management API answered ${response.status}: ${message ?? response.statusText}`)
}

function reasonIn(error: unknown): string | undefined {
  const { message, detail } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly message?: unknown
    readonly detail?: unknown
  }
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${String(loc?.at(-1))}: ${String(msg)}`).join('; ')
  return typeof message === 'string' ? message : undefined
}

/** A user of the tenant as its administrators see it: no attributes, no other tenant, no ids. */
export function memberRead({
  key,
  email,
  first_name,
  last_name,
  roles,
  associated_tenants,
}: Schemas['User']): TenantMember {
  const onInstances = associated_tenants.flatMap(({ resource_instance_roles }) => resource_instance_roles)
  return {
    key,
    email,
    first_name: first_name ?? null,
    last_name: last_name ?? null,
    roles: [
      ...roles.map(({ role, ...times }) => ({ role, resource_instance: null, ...span(times) })),
      ...onInstances.map(({ role, resource, resource_instance, ...times }) => ({
        role,
        resource_instance: `${resource}:${resource_instance}`,
        ...span(times),
      })),
    ],
  }
}

interface Span {
  readonly valid_from?: string | null
  readonly valid_until?: string | null
}

const span = ({ valid_from, valid_until }: Span) => ({
  ...(valid_from == null ? {} : { valid_from }),
  ...(valid_until == null ? {} : { valid_until }),
})

export function tenantRole(role: Schemas['AssignableRole']): TenantRole {
  const { key, resource, name, description, permissions, default_duration, max_duration } = role
  return {
    key,
    resource,
    name,
    description,
    permissions,
    ...(default_duration == null ? {} : { default_duration }),
    ...(max_duration == null ? {} : { max_duration }),
  }
}

export function inviteRead(invite: Schemas['TenantInvite']): TenantInvite {
  const { id, email, user, first_name, last_name, status, role, resource_instance } = invite
  return { id, email, user, first_name, last_name, status, role, resource_instance, ...span(invite) }
}
