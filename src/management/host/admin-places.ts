// Where the operator's commands run: the store they are given, and the organization and environment that they name.
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { environmentKey } from '../../model/objects.ts'
import type { Store } from '../../store/store.ts'
import type { View } from '../../store/view.ts'
import type { PastRevisions } from '../past/past-revisions.ts'
import { listAllOrganizations } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

export type ManagementStore = Store<ManagementUseCases>

/** A request of the management API that the system makes. */
export interface SystemRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** with its query */
  readonly path: string
  /** JSON */
  readonly body?: string
  /** why, and what for */
  readonly reason?: string
  readonly ticket?: string
}

export interface SystemAnswer {
  readonly status: number
  /** headers `warning`, joined */
  readonly warning?: string
  /** to the next page of a list */
  readonly link?: string
  /** JSON */
  readonly body: string
}

/** Answers requests about the environments of an organization. */
export type AnswerSystem = (organization: LogId, request: SystemRequest) => Promise<SystemAnswer>

export interface AdminDeps {
  readonly store: ManagementStore
  /** the data folder */
  readonly data: string
  /** 32 random hex digits */
  readonly newId: () => string
  /** past revisions; by default those of the folder */
  readonly past?: PastRevisions
  /** the management API over the folder; requests are refused without it */
  readonly answer?: AnswerSystem
  /** a link that signs in to the console once; only a server that serves it has one. @throws CONFIG_INVALID */
  readonly signInLink?: () => string
}

/** An organization by id or key; the oldest by default. */
export interface InOrganization {
  readonly organization?: string
}

export interface InEnvironment extends InOrganization {
  /** ids or keys */
  readonly project: string
  readonly environment: string
}

/** @throws OBJECT_NOT_FOUND */
export function findEnvironment(
  store: ManagementStore,
  { organization: ref, project, environment: name }: InEnvironment,
) {
  const organization = findOrganization(store, ref)
  const view = store.view(organization)
  const { key } = view.require('project', project)
  const environment = view.get('environment', environmentKey(key, name)) ?? view.find('environment', name)
  if (environment?.project !== key) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: name })
  return { organization, environment: environment.id }
}

/** @throws OBJECT_NOT_FOUND */
export function findOrganization(store: ManagementStore, ref: string | undefined): LogId {
  const logs = listAllOrganizations(store)
  const id = ref === undefined ? undefined : parseId(ref)
  const found = logs.find((log) => ref === undefined || log === id || organizationIn(store.view(log)).key === ref)
  if (found === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'organization', ref: ref ?? '' })
  return found
}

export function organizationIn(view: View) {
  return view.require('organization', view.log)
}
