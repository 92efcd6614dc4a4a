// Validates the bodies of AuthZEN requests and maps them to checks of the PDP. An entity is `{type, id}` or `{name}`
// with `properties`; unknown members are ignored and null counts as absent (rules 1 and 11 of the interface). Every
// error names the member.
import { ZerohopError } from '../../model/errors.ts'
import type { Action, Attributes, Check, User } from '../../pdp/request.ts'
import type { AuthzenSettings } from './deps.ts'
import { isNoOne, isUserType } from './subjects.ts'

export type Members = Readonly<Record<string, unknown>>

/** A resource type, one instance of it, or (without a key) any. */
export interface Target {
  readonly type: string
  readonly key?: string
  readonly tenant: string | null
  readonly attributes: Attributes | null
}

/** The check of one evaluation. */
export interface Evaluation {
  /** false: its subject is of a type that is unknown here */
  readonly isKnown: boolean
  readonly check: Check
}

/** @throws INPUT_INVALID */
export function readEvaluation(settings: AuthzenSettings, body: unknown): Evaluation {
  const { subject, action, resource, context } = requireMembers(body, 'the body')
  const { isKnown, user } = readSubject(settings, subject)
  return {
    isKnown,
    check: {
      user,
      action: readAction(action),
      resource: readResource(resource),
      context: readProperties(context, 'context'),
    },
  }
}

/** Who a subject is. */
export interface Subject {
  readonly user: User
  /** false: its type means neither users nor no one */
  readonly isKnown: boolean
}

/** `subject` with its id: the key of a user, and request attributes. Of no one neither is read. */
export function readSubject(settings: AuthzenSettings, value: unknown): Subject {
  const type = readSubjectType(value)
  const subject = requirePresent(value, 'subject')
  const key = requireText(subject.id, 'subject.id')
  const attributes = readProperties(subject.properties, 'subject.properties')
  if (isNoOne(settings, type)) return { user: null, isKnown: true }
  return { user: { key, attributes }, isKnown: isUserType(settings, type) }
}

/** The type of `subject`; a search for subjects ignores its id and properties. */
export function readSubjectType(value: unknown): string {
  return requireText(requirePresent(value, 'subject').type, 'subject.type')
}

export function readAction(value: unknown): Action {
  const action = requirePresent(value, 'action')
  return {
    key: requireText(action.name, 'action.name'),
    attributes: readProperties(action.properties, 'action.properties'),
  }
}

/** `resource` with its id. */
export function readResource(value: unknown): Target & { readonly key: string } {
  const { type, tenant, attributes } = readResources(value)
  return { type, key: requireText(requirePresent(value, 'resource').id, 'resource.id'), tenant, attributes }
}

/**
 * `resource` without regard to its id. The tenant of the check is its property `tenant` (D2: the tenant of a check).
 */
export function readResources(value: unknown): Target {
  const resource = requirePresent(value, 'resource')
  const attributes = readProperties(resource.properties, 'resource.properties')
  const tenant = attributes?.tenant ?? null
  if (tenant !== null && typeof tenant !== 'string') throw wrong('resource.properties.tenant', 'a string')
  return { type: requireText(resource.type, 'resource.type'), tenant, attributes }
}

export function readProperties(value: unknown, what: string): Attributes | null {
  return isAbsent(value) ? null : (requireMembers(value, what) as Attributes)
}

/** @throws INPUT_INVALID when the value is not an object */
export function requireMembers(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(what, 'an object')
  return value as Members
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

export function wrong(what: string, expected: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `${what} must be ${expected}` }, { path: ['body'] })
}

function requirePresent(value: unknown, what: string): Members {
  if (isAbsent(value)) throw missing(what)
  return requireMembers(value, what)
}

function requireText(value: unknown, what: string): string {
  if (isAbsent(value)) throw missing(what)
  if (typeof value !== 'string') throw wrong(what, 'a string')
  return value
}

function missing(what: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `${what} is missing` }, { path: ['body'] })
}
