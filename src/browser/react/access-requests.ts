// Hooks for access requests: what the user asked for, and what the user may decide about (docs/browser.md).
import { useMemo } from 'react'
import type { AccessRequest, RequestableRole, RequestStep } from '../../model/members.ts'
import { type Paged, type UsedList, useList } from './use-list.ts'

export interface RequestsOptions extends Paged {
  readonly state?: AccessRequest['state'] | undefined
  /** only those for this role */
  readonly role?: string | undefined
}

export type RequestableOptions = Paged

/** Until when: seconds from the approval on, or an instant. */
export interface RequestTime {
  readonly duration?: number
  readonly until?: string | number
}

export interface NewRequest extends RequestTime {
  readonly role: string
  /** `type:key`, for a role on an instance */
  readonly resource_instance?: string | null
  readonly reason?: string
  readonly ticket?: string
}

export interface DecisionFields {
  readonly reason?: string | null
}

/** An approval may shorten what was asked for. */
export interface ApprovalFields extends DecisionFields, RequestTime {}

/** Each row says in `may` what the user may do with it. */
export interface UsedRequests extends Omit<UsedList<AccessRequest>, 'mayManage'> {
  /** asks for a role; then loads again. @throws MembersError, as do the others */
  readonly ask: (request: NewRequest) => Promise<void>
  readonly approve: (id: string, fields?: ApprovalFields) => Promise<void>
  readonly deny: (id: string, fields?: DecisionFields) => Promise<void>
  /** takes an own request back that waits for a decision */
  readonly cancel: (id: string, fields?: DecisionFields) => Promise<void>
  /** takes the role back that an approval gave */
  readonly revoke: (id: string, fields?: DecisionFields) => Promise<void>
}

/** The requests that the user made, and those that the user may decide about. */
export function useAccessRequests(options: RequestsOptions = {}): UsedRequests {
  const { state, role } = options
  const [list, change] = useList<AccessRequest>('requests', options, { state, role })
  return useMemo(() => {
    const take =
      (step: RequestStep) =>
      (id: string, fields: object = {}) =>
        change('POST', `requests/${encodeURIComponent(id)}/${step}`, fields)
    const { mayManage: _, ...rest } = list
    return {
      ...rest,
      ask: (request) => change('POST', 'requests', request),
      approve: take('approve'),
      deny: take('deny'),
      cancel: take('cancel'),
      revoke: take('revoke'),
    }
  }, [list, change])
}

/** The roles that the user may ask for. */
export function useRequestableRoles(options: RequestableOptions = {}): Omit<UsedList<RequestableRole>, 'mayManage'> {
  return useList<RequestableRole>('requestable_roles', options, {})[0]
}
