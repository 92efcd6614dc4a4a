// What every route of the management API has at hand, and the one way in which a route writes. A route knows HTTP and
// nothing else.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { type Actor, type LogId, withoutRequest } from '../../log/change.ts'
import type { ManagementUseCases } from '../../management/host/registry.ts'
import { isTenantWrite } from '../../management/objects/tenant-writes.ts'
import { StoredTenantView } from '../../management/rules/tenant-view.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { Expected } from '../../store/expected.ts'
import type { Asking, Store } from '../../store/store.ts'
import type { Committed, InputOf, ResultOf, StoredView } from '../../store/view.ts'
import { whenWritten } from '../hooks.ts'
import type { Gate } from './auth.ts'
import { toAsking } from './consistency.ts'
import { readExpectedObject, readExpectedRevision } from './preconditions.ts'
import { requestReasons } from './requirements.ts'
import { addWarnings } from './warning-header.ts'

export interface RouteContext {
  readonly store: Store<ManagementUseCases>
  /** records of decisions */
  readonly audit: AuditLog
  readonly gate: Gate
  /** what bounds what tenants give by their own roles, where the acting user is named (D18) */
  readonly tenantRoles: TenantRolesBound
}

/** `within_own`: what the acting user holds; `grantable`: what is offered to tenants alone. */
export type TenantRolesBound = 'within_own' | 'grantable'

/** Whether nobody gives more of the roles of a tenant than they have in it. */
export const isWithinOwn = ({ tenantRoles }: RouteContext): boolean => tenantRoles === 'within_own'

/**
 * The environment of the request, as it stands on disk; what the tenant sees of it, for the key of a tenant. Good for one
 * synchronous turn.
 */
export function requestView({ store }: RouteContext, { scope, ownTenant }: FastifyRequest): StoredView {
  const view = store.view(scope.environment.id)
  return ownTenant === undefined ? view : new StoredTenantView(view, ownTenant.key)
}

/**
 * Commits a use case in the environment of the request; answers with its revision in `x-revision`, and its warnings.
 * @param more what history says was done, by default the use case
 */
export async function write<N extends keyof ManagementUseCases & string>(
  { store }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: N,
  input: InputOf<ManagementUseCases[N]>,
  { operation = name }: { readonly operation?: string } = {},
): Promise<ResultOf<ManagementUseCases[N]>> {
  const by = requestActor(request, operation)
  const environment = request.scope.environment.id
  const atCommit = isAtCommit(request)
  if (atCommit) whenWritten(reply, store.holdFollowers(environment))
  const object = readExpectedObject(request)
  const expects = { ...readExpectedRevision(request), ...(object && { object }) }
  const asking = {
    ...toAsking(store, request),
    ...(Object.keys(expects).length === 0 ? {} : { expected: expects }),
    atCommit,
  }
  const { result, revision, warnings } = await commit(store, request, { name, input }, by, asking)
  reply.header('x-revision', String(revision))
  addWarnings(reply, warnings)
  return result
}

/** Commits in the environment of the request; for the key of a tenant, in that tenant. */
async function commit<N extends keyof ManagementUseCases & string>(
  store: RouteContext['store'],
  { scope, ownTenant }: FastifyRequest,
  { name, input }: { readonly name: N; readonly input: InputOf<ManagementUseCases[N]> },
  by: Actor,
  asking: Asking,
): Promise<Committed<ResultOf<ManagementUseCases[N]>>> {
  const environment = scope.environment.id
  if (ownTenant === undefined) return store.commit(environment, name, input, by, asking)
  if (!isTenantWrite(name)) throw new ZerohopError('NOT_OF_TENANT')
  const inTenant = { tenant: ownTenant.id, name, input } as InputOf<ManagementUseCases['writeInTenant']>
  const { warnings: _, ...committed } = await store.commit(environment, 'writeInTenant', inTenant, by, asking)
  // it is the result of the use case of that name; warnings tell of the policy
  return committed as Committed<ResultOf<ManagementUseCases[N]>>
}

/** Whether a write of facts asks not to wait until the PDP of this process has it. */
const isAtCommit = ({ url, headers: { 'x-wait-timeout': seconds } }: FastifyRequest): boolean =>
  url.startsWith('/v2/facts/') && typeof seconds === 'string' && /^0+(\.0*)?$/.test(seconds.trim())

/** Commits a use case in the control log of the caller's organization. */
export async function writeControl<N extends keyof ManagementUseCases & string>(
  { store }: RouteContext,
  request: FastifyRequest,
  name: N,
  input: InputOf<ManagementUseCases[N]>,
  readExpected: (request: FastifyRequest) => Expected['object'] = readExpectedObject,
): Promise<ResultOf<ManagementUseCases[N]>> {
  const by = requestActor(request, name)
  const object = readExpected(request)
  const asking = { ...toAsking(store, request), ...(object && { expected: { object } }) }
  return (await store.commit(request.caller.organization, name, input, by, asking)).result
}

/**
 * `writeControl` with an object that the path names. Sent again with its idempotency key, such a request gets its
 * answer also where the first one removed what the path names: who finds nothing asks for what is on record.
 * @param find the input of the use case. @throws OBJECT_NOT_FOUND
 */
export async function writeNamed<N extends keyof ManagementUseCases & string>(
  management: RouteContext,
  request: FastifyRequest,
  name: N,
  find: () => InputOf<ManagementUseCases[N]>,
  readExpected = readExpectedObject,
): Promise<ResultOf<ManagementUseCases[N]>> {
  let input: InputOf<ManagementUseCases[N]>
  try {
    input = find()
  } catch (error) {
    if (!isZerohopError(error, 'OBJECT_NOT_FOUND')) throw error
    const { store } = management
    const asking = toAsking(store, request)
    if (asking.once === undefined) throw error
    const by = requestActor(request, name)
    const repeated = await store.commit(request.caller.organization, 'refuseMissing', error.details, by, asking)
    // it is the same request, so the same use case gave the answer
    return repeated.result as ResultOf<ManagementUseCases[N]>
  }
  return writeControl(management, request, name, input, readExpected)
}

/**
 * What was answered to the same request before, by its idempotency key; undefined when it has none, or is new.
 * @throws IDEMPOTENCY_MISMATCH when it was another request
 */
export async function answerOnRecord<T>(
  { store }: RouteContext,
  log: LogId,
  by: Actor,
  asking: Asking,
): Promise<Committed<T> | undefined> {
  if (asking.once === undefined) return undefined
  try {
    const repeated = await store.commit(log, 'refuseMissing', NOTHING_YET, by, asking)
    // it is the same request, so the same use case gave the answer
    return { ...repeated, result: repeated.result as T }
  } catch (error) {
    if (isZerohopError(error, 'OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}
const NOTHING_YET = { kind: 'answer', key: '' }

/** Leaves an entry in the control log: a secret is read. Answer only when it is there. */
export async function noteSecretRead({ store }: RouteContext, request: FastifyRequest): Promise<void> {
  await store.commit(request.caller.organization, 'noteRead', null, requestActor(request, 'readSecret'))
}

/** Who asks for a write and why, as the log names it. @throws INPUT_INVALID, LIMIT_EXCEEDED for the reason */
export function requestActor(request: FastifyRequest, operation: string): Actor {
  const url = request.url
  const query = url.indexOf('?')
  const { key, user, isSystem } = request.caller
  const reasons = requestReasons(request)
  if (isSystem) return withoutRequest(operation, reasons)
  return {
    api_key_id: user === undefined ? key.id : null,
    ...(user === undefined ? {} : { user }),
    request_id: request.id,
    address: request.ip,
    method: request.method,
    path: query < 0 ? url : url.slice(0, query),
    operation,
    ...reasons,
  }
}

/** What a store that others write to needs to know of the request. */
export const askedWith = ({ store }: RouteContext, request: FastifyRequest): Asking => toAsking(store, request)

/** A hook of routes that take a request without a body: as one with an empty object. */
export const withoutBody = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
  if (request.body === undefined) request.body = {}
  done()
}

/** A path below a resource type. */
export interface OnResource {
  Params: { resource: string }
}

/** A path to one part of a resource type: a role, a relation, an action group. */
export interface OfResource {
  Params: { resource: string; ref: string }
}
