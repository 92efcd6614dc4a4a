// Access requests of an environment, or of one tenant for its own administrators: the same calls below another path.
import type { components } from 'zerohop/client'
import { api, read } from './client.ts'
import { useMay, useSession } from './use-session.ts'

export type AccessRequest = components['schemas']['AccessRequest']
export type RequestState = AccessRequest['state']
/** A role that a user who was denied can ask for. */
export type RequestableRole = NonNullable<components['schemas']['PastExplanation']['requestable']>[number]

export interface RequestPlace {
  readonly p: string
  readonly e: string
  /** the tenant, for its own administrators */
  readonly ref?: string
}

const ALL = '/v2/facts/{p}/{e}/access_requests'
const IN_TENANT = '/v2/facts/{p}/{e}/tenants/{ref}/access_requests'
const STEPS = {
  approve: `${ALL}/{ref}/approve`,
  deny: `${ALL}/{ref}/deny`,
  cancel: `${ALL}/{ref}/cancel`,
  revoke: `${ALL}/{ref}/revoke`,
} as const
const STEPS_IN_TENANT = {
  approve: `${IN_TENANT}/{request}/approve`,
  deny: `${IN_TENANT}/{request}/deny`,
  cancel: `${IN_TENANT}/{request}/cancel`,
  revoke: `${IN_TENANT}/{request}/revoke`,
} as const
/** What can be done with a request. */
export type Step = keyof typeof STEPS

export interface RequestQuery {
  readonly state?: RequestState[]
  readonly user?: string[]
  readonly role?: string[]
  readonly tenant?: string[]
  readonly page: number
  readonly per_page: number
}

export function listRequests({ ref, ...path }: RequestPlace, query: RequestQuery, signal?: AbortSignal) {
  const paged = { ...query, include_total_count: true as const }
  if (ref === undefined) return read(api.GET(ALL, { params: { path, query: paged }, signal }))
  const { tenant: _, ...others } = paged
  return read(api.GET(IN_TENANT, { params: { path: { ...path, ref }, query: others }, signal }))
}

export function readRequest({ ref: tenant, ...path }: RequestPlace, id: string, signal?: AbortSignal) {
  if (tenant === undefined) return read(api.GET(`${ALL}/{ref}`, { params: { path: { ...path, ref: id } }, signal }))
  const params = { path: { ...path, ref: tenant, request: id } }
  return read(api.GET(`${IN_TENANT}/{request}`, { params, signal }))
}

export type AskBody = components['schemas']['AccessRequestCreate']
export function askForRole({ ref, ...path }: RequestPlace, { tenant, ...body }: AskBody) {
  if (ref === undefined) return read(api.POST(ALL, { params: { path }, body: { tenant, ...body } }))
  return read(api.POST(IN_TENANT, { params: { path: { ...path, ref } }, body }))
}

export type StepBody = components['schemas']['AccessRequestApprove']
export function takeStep({ ref: tenant, ...path }: RequestPlace, id: string, step: Step, body: StepBody) {
  if (tenant === undefined) return read(api.POST(STEPS[step], { params: { path: { ...path, ref: id } }, body }))
  const params = { path: { ...path, ref: tenant, request: id } }
  return read(api.POST(STEPS_IN_TENANT[step], { params, body }))
}

/** As whom the session asks and decides: a person as one user, the holder of a key as whom it names. */
export type Acting =
  | { readonly is: 'user'; readonly user: string }
  | { readonly is: 'key' }
  /** a person whom the provider names as none, and a key that only reads */
  | { readonly is: 'nobody'; readonly isPerson: boolean }

export function useActing(): Acting {
  const { user, acts_as } = useSession()
  const canWrite = useMay('write', 'facts')
  if (user === null) return canWrite ? { is: 'key' } : { is: 'nobody', isPerson: false }
  return acts_as === null ? { is: 'nobody', isPerson: true } : { is: 'user', user: acts_as }
}
