// The policy that is stored, the draft on it, and what a page may do with both.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { EnvironmentPath } from '../../api/environments.ts'
import {
  type Conflict,
  type Edits,
  editedRoles,
  listConflicts,
  onTop,
  unsavedEdits,
  withoutEdit,
  withoutRole,
  withPermission,
  withRole,
} from './draft.ts'
import { type DraftStore, useDraft } from './draft-store.ts'
import { Inheritance, type Policy, type Role, type Roles } from './policy.ts'
import { allPermissions, policyQuery, revisionQuery } from './policy-query.ts'

/** Reads the policy, and again when there is a newer revision. */
export function usePolicy(path: EnvironmentPath, environment: string) {
  const policy = useQuery(policyQuery(path, environment))
  const newest = useQuery({ ...revisionQuery(environment), enabled: policy.isSuccess })
  const { data, isFetching, refetch } = policy
  const isOld = data !== undefined && newest.data !== undefined && newest.data > data.revision
  useEffect(() => {
    if (isOld && !isFetching) void refetch()
  }, [isOld, isFetching, refetch])
  return policy
}

export interface PolicyDraft {
  readonly store: DraftStore
  readonly edits: Edits
  /** as they would be */
  readonly roles: Roles
  readonly inheritance: Inheritance
  readonly conflicts: readonly Conflict[]
  readonly setPermission: (role: string, permission: string, isGiven: boolean) => void
  readonly setRole: (key: string, role: Role) => void
  readonly deleteRole: (key: string) => void
  /** the role becomes what it is on the server */
  readonly giveUp: (key: string) => void
  /** puts the edits on top of what others changed */
  readonly continueOnTop: () => void
}

export function usePolicyDraft(environment: string, policy: Policy): PolicyDraft {
  const store = useDraft(environment)
  const { roles: stored, instanceRoles, revision } = policy
  const kept = store.draft.edits
  // a page that was closed while it saved finds its own revision
  const edits = useMemo(() => unsavedEdits(stored, kept), [stored, kept])
  useEffect(() => {
    if (edits !== kept) store.rebase(edits, revision)
  })
  const roles = useMemo(() => editedRoles(stored, edits), [stored, edits])
  const inheritance = useMemo(() => new Inheritance(new Map([...roles, ...instanceRoles])), [roles, instanceRoles])
  const permissions = useMemo(() => allPermissions(policy), [policy])
  const conflicts = useMemo(() => listConflicts(stored, permissions, edits), [stored, permissions, edits])
  return {
    store,
    edits,
    roles,
    inheritance,
    conflicts,
    setPermission: (role, permission, isGiven) =>
      store.edit(withPermission(stored, edits, role, permission, isGiven), revision),
    setRole: (key, role) => store.edit(withRole(stored, edits, key, role), revision),
    deleteRole: (key) => store.edit(withoutRole(stored, edits, key), revision),
    giveUp: (key) => store.edit(withoutEdit(stored, edits, key), revision),
    continueOnTop: () => store.rebase(onTop(stored, permissions, edits), revision),
  }
}
