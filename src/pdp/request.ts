// How a question is asked: the forms that callers may use, and the one form in which it is decided. D2 says which tenant counts.
// Attributes and context are accepted; no rule reads them yet.
import { ZerohopError } from '../model/errors.ts'
import type { JsonObject } from '../model/objects.ts'

/** Values sent with a question, by name. */
export type Attributes = JsonObject

/** Who asks: a user key, or a user with attributes sent along. */
export type User = string | { readonly key: string; readonly attributes?: Attributes | null }

/** What is asked about: a resource type, an instance as `type:key`, or the parts. D2 says which tenant counts when none is sent. */
export type Resource =
  | string
  | {
      readonly type: string
      readonly key?: string | null
      readonly tenant?: string | null
      readonly attributes?: Attributes | null
    }

/** One question of a bulk check. */
export interface Check {
  readonly user: User
  readonly action: string
  readonly resource: Resource
  readonly context?: Attributes | null
}

/** A question in keys. */
export interface Question {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly key: string | undefined
  /** as it was sent */
  readonly tenant: string | undefined
}

/**
 * The question in keys.
 * @throws INPUT_INVALID when a part has the wrong type; an unknown name is no error (D1)
 */
export function questionOf(user: User, action: string, resource: Resource): Question {
  const userKey = typeof user === 'string' ? user : user?.key
  if (typeof userKey !== 'string') throw invalid('user', 'a key or { key }')
  if (typeof action !== 'string') throw invalid('action', 'a key')
  if (typeof resource === 'string') {
    const colon = resource.indexOf(':')
    if (colon < 0) return { user: userKey, action, type: resource, key: undefined, tenant: undefined }
    const type = resource.slice(0, colon)
    return { user: userKey, action, type, key: resource.slice(colon + 1), tenant: undefined }
  }
  if (typeof resource?.type !== 'string') throw invalid('resource', 'a type, `type:key` or { type }')
  const { type, key, tenant } = resource
  if (key !== undefined && key !== null && typeof key !== 'string') throw invalid('resource.key', 'a key')
  if (tenant !== undefined && tenant !== null && typeof tenant !== 'string') throw invalid('resource.tenant', 'a key')
  return { user: userKey, action, type, key: key ?? undefined, tenant: tenant ?? undefined }
}

function invalid(what: string, expected: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `${what} must be ${expected}` }, { path: what.split('.') })
}
