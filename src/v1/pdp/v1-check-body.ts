// The body of a check of the first API version: the user is a text, the instance an `id`, and the tenant may be in the
// context of the resource. A body of the second version is accepted too, for services whose SDK is already new.

import { readCheck } from '../../http/pdp/check-bodies.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Check } from '../../pdp/request.ts'
import { named } from '../use-cases/error-locations.ts'

type Members = Readonly<Record<string, unknown>>

/** @throws INPUT_INVALID */
export function readV1Check(body: unknown): Check {
  const { user, resource, ...rest } = members(body)
  if (user === '') throw new ZerohopError('INPUT_INVALID', { reason: 'field required' }, { path: ['body', 'user'] })
  const { id, key, tenant, context, ...about } = isObject(resource) ? resource : {}
  const scope = isObject(context) ? context.tenant : undefined
  const read = {
    ...rest,
    user: typeof user === 'string' ? { key: user } : user,
    // anything else is refused by the reader of the second version
    resource: isObject(resource)
      ? { ...about, key: present(key) ?? present(id), tenant: present(tenant) ?? present(scope) }
      : resource,
  }
  // errors name the field that was sent
  return typeof user === 'string' && key === undefined ? named({ key: 'id' }, () => readCheck(read)) : readCheck(read)
}

/** Old clients send an empty text for an unknown tenant or id. */
const present = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function members(value: unknown): Members {
  if (isObject(value)) return value
  throw new ZerohopError('INPUT_INVALID', { reason: 'value is not a valid object' }, { path: ['body'] })
}
