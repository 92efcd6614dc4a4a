// The definition: what a question is, and which tenant and which stored instance it is about.
import type { PolicyObjects } from '../../src/kinds/index.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import type { Policy } from './policy.ts'

/** Attributes sent with the question, about the user, the action, the resource, and the circumstances. */
export interface Sent {
  readonly user?: JsonObject
  readonly action?: JsonObject
  readonly resource?: JsonObject
  readonly context?: JsonObject
}

export interface Request {
  readonly user: string
  readonly action: string
  readonly resource: {
    readonly type: string
    readonly key?: string
    readonly tenant?: string
    /** D14: for each relation the instances (`type:key`) that the resource is related to, for this question only */
    readonly relations?: Readonly<Record<string, readonly string[]>>
    /** D2: a marked row, whose own tenant decides whether it is the instance that is stored under its key */
    readonly isRow?: boolean
  }
  readonly sent?: Sent
}

/** D8: whoever decides says what time it is, unless the question has a time. Without one it is missing. */
export function askedAt(request: Request, now: number): Request {
  return { ...request, sent: sentAt(request.sent, now) }
}

export function sentAt(sent: Sent | undefined, now: number): Sent {
  const { context = {} } = sent ?? {}
  const isTimed = Object.hasOwn(context, 'now') && context.now !== null
  return isTimed ? sent! : { ...sent, context: { ...context, now } }
}

/**
 * `type:key` of the instance that the question names, stored or not; undefined when it names none. No type has a colon
 * in its key.
 */
export function findInstanceName({ resource: { type, key } }: Request): string | undefined {
  return key === undefined ? undefined : `${type}:${key}`
}

/**
 * What is stored about the named instance; undefined when there is nothing (D1). D2: a marked row never stands for an
 * instance that is stored in another tenant.
 */
export function storedInstance(policy: Policy, request: Request): PolicyObjects['resource_instance'] | undefined {
  const instance = findInstanceName(request)
  if (!policy.resource.has(request.resource.type) || instance === undefined) return undefined
  const stored = policy.resource_instance.get(instance)
  const { isRow = false, tenant } = request.resource
  return isRow && tenant !== undefined && stored?.tenant !== tenant ? undefined : stored
}

/** D2: the tenant that was sent, else the tenant of the stored instance, else `default`. */
export function resolveTenant(policy: Policy, request: Request): string {
  return request.resource.tenant ?? storedInstance(policy, request)?.tenant ?? 'default'
}

/** D2: the named instance is stored in another tenant than the one that was sent. */
export function isElsewhere(policy: Policy, request: Request): boolean {
  const stored = storedInstance(policy, request)
  return stored !== undefined && stored.tenant !== resolveTenant(policy, request)
}

/**
 * D1: tenant, resource type and action must exist. Who is not stored has what everybody has (D16). D9: the same key is the same string, unfolded and not
 * normalised.
 */
export function isKnown(policy: Policy, request: Request): boolean {
  return policy.tenant.has(resolveTenant(policy, request)) && hasAction(policy, request.resource.type, request.action)
}

export function hasAction(policy: Policy, type: string, action: string): boolean {
  return policy.resource.has(type) && policy.resource.get(type)!.actions.includes(action)
}
