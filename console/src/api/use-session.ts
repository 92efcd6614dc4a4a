// The session for components.
import { useSyncExternalStore } from 'react'
import {
  type AccessLevel,
  currentSession,
  reaches,
  type Session,
  type SessionState,
  subscribeToSession,
} from './session.ts'

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribeToSession, currentSession)
}

/** The session of a page that needs one; also when it has just ended. */
export function useSession(): Session {
  const state = useSessionState()
  if (state.is === 'signed-in' || state.is === 'expired') return state.session
  throw new Error('sign in to see this page')
}

/**
 * Whether the session may do what needs this access to facts (users, tenants, assignments, instances, relationships) or
 * to everything else. What it may not do is not offered; the API refuses it as well.
 * @public
 */
export function useMay(access: AccessLevel, to: 'facts' | 'policy' = 'policy'): boolean {
  const own = useSession().access
  const isOnlyFacts = own.only === 'facts' && to !== 'facts' && access !== 'read'
  return reaches(own.access_level, access) && !isOnlyFacts
}

/**
 * As `useMay`, of what takes a key of the project or the organization: environments are made, copied and deleted so.
 */
export function useMayInProject(access: AccessLevel): boolean {
  const may = useMay(access)
  return useSession().access.object_type !== 'env' && may
}
