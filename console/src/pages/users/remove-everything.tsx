// Removes all roles of a user as one revision. Before that it says who loses what, and what would remain: access rules,
// what everyone has, and tenants of which the user stays a member.
import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { counted } from 'zerohop/change-words'
import { isByHand, isFromOthers } from '../../api/claims.ts'
import { api, read } from '../../api/client.ts'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import type { PageOf } from '../../api/page-of.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EVERYBODY } from '../../components/holder-words.ts'
import { PlanDialog, type PlannedChange, usePlan } from '../../components/plan-dialog.tsx'
import { Sources } from '../../components/sources.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import { findSuspensionState } from '../../components/suspension.tsx'
import { listRemaining } from './remains.ts'
import { assignmentsQuery, type RoleAssignment, type User } from './user-queries.ts'

/** Roles that one revision removes. */
const ROLES_MAX = 1_000
const PAGE = 100
/** Lines of the access review that are looked at, and roles of everyone that are named. */
const LINES = 1_000
const NAMED = 5

export function RemoveEverything({ user }: { readonly user: User }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="subtle" color="red" mt={12} onClick={() => setOpen(true)}>
        Remove everything
      </Button>
      {isOpen && <RemoveDialog user={user} onClose={() => setOpen(false)} />}
    </>
  )
}

const allAssignments = (path: EnvironmentPath, user: string) =>
  queryOptions({
    queryKey: ['assignments', path.p, path.e, user, 'all'],
    queryFn: async ({ signal }) => {
      const found: RoleAssignment[] = []
      for (let page = 1; found.length < ROLES_MAX; page++) {
        const query = { user: [user], page, per_page: PAGE, include_total_count: true }
        const answer = await read(api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path, query }, signal }))
        const { data, total_count } = answer as PageOf<RoleAssignment> // with the total, and without `detailed`
        found.push(...data)
        if (data.length === 0 || found.length >= total_count) break
      }
      return found.slice(0, ROLES_MAX)
    },
    staleTime: 0,
  })

interface RemoveDialogProps {
  readonly user: User
  readonly onClose: () => void
}

function RemoveDialog({ user, onClose }: RemoveDialogProps) {
  const { key } = user
  const roles = useQuery(allAssignments(useEnvironmentPath(), key))
  const title = `Remove everything from ${key}?`
  if (roles.data === undefined)
    return (
      <Dialog title={title} action="Remove" isDanger isBusy error={roles.error} onSubmit={() => {}} onClose={onClose}>
        <LoadingState rows={2} />
      </Dialog>
    )
  const changes = roles.data.filter(({ claims }) => isByHand(claims)).map(toRemoval)
  const others = roles.data.filter(({ claims }) => isFromOthers(claims))
  return (
    <PlanDialog
      title={title}
      action={`Remove ${counted(changes.length, 'role')}`}
      isDanger
      changes={changes}
      done={`${counted(changes.length, 'role')} removed from ${key}`}
      onDone={onClose}
      onClose={onClose}
    >
      <Remains user={user} changes={changes} others={others} />
    </PlanDialog>
  )
}

const toRemoval = ({ user, role, tenant, resource_instance: instance }: RoleAssignment): PlannedChange => ({
  op: 'delete',
  kind: 'role_assignment',
  key: [user, role, tenant, ...(instance === null ? [] : [instance])].join('/'),
})

const linesQuery = (path: EnvironmentPath, user: string) =>
  queryOptions({
    queryKey: ['access', path.p, path.e, 'of', user],
    queryFn: ({ signal }) => {
      const query = { user, limit: LINES }
      return read(api.GET('/v2/projects/{p}/envs/{e}/access', { params: { path, query }, signal }))
    },
  })

interface RemainsProps {
  readonly user: User
  readonly changes: readonly PlannedChange[]
  /** roles that a sync or the directory says, too */
  readonly others: readonly RoleAssignment[]
}

function Remains({ user, changes, others }: RemainsProps) {
  const path = useEnvironmentPath()
  const plan = usePlan(changes)
  const lines = useQuery(linesQuery(path, user.key))
  const shared = useQuery(assignmentsQuery(path, { user: EVERYBODY }, 1))
  const isSuspended = user.suspension !== undefined && findSuspensionState(user.suspension) === 'in_force'
  const tenants = user.associated_tenants.map(({ tenant }) => tenant)
  return (
    <QueryState query={lines} loading={<LoadingState label="Looking for what remains" rows={2} />}>
      {({ lines: found, next }) => {
        const rules = listRemaining(found, plan.data?.access.lost.first ?? [])
        const ofAll = shared.data?.data ?? []
        const isNothing = rules.length + ofAll.length + tenants.length + others.length === 0 && !isSuspended
        return (
          <section aria-label="What remains">
            <h3>What remains</h3>
            {isNothing && <p>Nothing remains.</p>}
            {isSuspended && (
              <p>
                {user.key} is suspended, so no access is lost now and no access rule is listed. Access rules and roles
                of everyone can allow access again after the suspension.
              </p>
            )}
            {others.length > 0 && (
              <p>Roles that come from elsewhere are removed there. To deny all access at once, suspend the user.</p>
            )}
            <ul>
              {others.slice(0, NAMED).map((each) => (
                <li key={each.id}>
                  {each.role} {each.resource_instance === null ? `in ${each.tenant}` : `on ${each.resource_instance}`}
                  <Sources claims={each.claims} />
                </li>
              ))}
              {others.length > NAMED && <li>{counted(others.length - NAMED, 'more role')} from elsewhere</li>}
              {rules.map(({ rule, permissions, isConditional }) => (
                <li key={rule}>
                  Access rule {rule}: {permissions.join(', ')}
                  {isConditional && ' (conditional)'}
                </li>
              ))}
              {ofAll.slice(0, NAMED).map((each) => (
                <li key={each.id}>
                  Everyone: {each.role}{' '}
                  {each.resource_instance === null ? `in ${each.tenant}` : `on ${each.resource_instance}`}
                </li>
              ))}
              {ofAll.length > NAMED && <li>Other roles of everyone</li>}
              {tenants.length > 0 && <li>Member of {tenants.join(', ')}</li>}
            </ul>
            {next !== null && <p>Only the first {LINES} lines of access were searched for access rules.</p>}
          </section>
        )
      }}
    </QueryState>
  )
}
