// What the administrators of a tenant see and do: its users with their roles, invites, and what was changed. Everything
// is asked for below the tenant of the session, by ids, because such a session knows no names of the rest.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { claimsInTenant } from '../../api/claims.ts'
import { api, read } from '../../api/client.ts'
import { type Session, signOut } from '../../api/session.ts'
import { useMay, useSessionState } from '../../api/use-session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Instant } from '../../components/instant.tsx'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { Page } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { useRemovalQuestion } from '../../components/removal-question.tsx'
import { TagSources } from '../../components/sources.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { RemovableTag, Tag, Tags } from '../../components/tag.tsx'
import { roleName } from '../tenants/roles/tenant-role-form.ts'
import { assignableRolesQuery } from '../tenants/roles/tenant-role-queries.ts'
import { TenantRoles } from '../tenants/roles/tenant-roles.tsx'
import { AskWhy } from './ask-why.tsx'
import { Requests } from './own-requests.tsx'
import classes from './own-tenant-page.module.css'

const ROWS = 20

export function OwnTenantPage() {
  const state = useSessionState()
  if (state.is === 'signed-out' || state.is === 'unknown') return <Navigate to="/sign-in" replace />
  const { tenant } = state.session
  return tenant === undefined ? <Navigate to="/" replace /> : <OwnTenant session={state.session} tenant={tenant} />
}

interface PartProps {
  readonly path: { readonly p: string; readonly e: string; readonly ref: string }
  readonly canWrite: boolean
}

function OwnTenant({
  session,
  tenant,
}: {
  readonly session: Session
  readonly tenant: { readonly id: string; readonly name: string }
}) {
  const canWrite = useMay('write', 'facts')
  const { project_id, environment_id } = session.access
  const path = { p: project_id ?? '', e: environment_id ?? '', ref: tenant.id }
  const out = (
    <Button variant="default" size="xs" onClick={() => void signOut()}>
      Sign out
    </Button>
  )
  return (
    <main className={classes.main}>
      <Page title={tenant.name} description={session.user?.name ?? session.access.name ?? undefined} actions={out}>
        <Members path={path} canWrite={canWrite} />
        <Roles path={path} canWrite={canWrite} />
        <Invites path={path} canWrite={canWrite} />
        <Requests path={path} />
        <AskWhy path={path} />
        <Changes path={path} canWrite={canWrite} />
      </Page>
    </main>
  )
}

/** The roles that may be assigned in the tenant itself, as options. */
function useOffered(path: PartProps['path']) {
  const offered = useQuery(assignableRolesQuery(path))
  return (offered.data ?? [])
    .filter(({ resource }) => resource === null)
    .map((role) => ({ value: role.key, label: role.tenant === null ? role.key : `${roleName(role)} (own role)` }))
}

interface Held {
  readonly user: string
  readonly role: string
}

function Members({ path, canWrite }: PartProps) {
  const [page, setPage] = useState(1)
  const members = useQuery({
    queryKey: ['own-tenant', 'users', path, page],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v2/facts/{p}/{e}/tenants/{ref}/users', {
          params: { path, query: { page, per_page: ROWS } },
          signal,
        }),
      ),
  })
  const { ask, question } = useRemovalQuestion()
  const take = useMutation({
    mutationFn: (body: Held) =>
      read(api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}/role_assignments', { params: { path }, body })),
    onSuccess: (_, { user, role }) => notifyDone(`Role ${role} of ${user} removed`),
    onError: (error) => notifyFailure("Couldn't remove the role", error),
  })
  const remove = useMutation({
    mutationFn: (user: string) =>
      read(api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}/users/{user}', { params: { path: { ...path, user } } })),
    onSuccess: (_, user) => notifyDone(`${user} removed`),
    onError: (error) => notifyFailure("Couldn't remove the member", error),
  })
  type Member = NonNullable<typeof members.data>['data'][number]
  const columns: readonly Column<Member>[] = [
    { header: 'User', width: '30%', cell: ({ key, email }) => <UserName name={key} email={email ?? null} /> },
    {
      header: 'Roles',
      cell: ({ key, roles = [] }) => (
        <Tags>
          {roles.map(({ role, claims }) =>
            canWrite ? (
              <RemovableTag
                key={role}
                label={`Remove ${role} from ${key}`}
                onRemove={() =>
                  ask({ name: `Role ${role} of ${key}`, claims, remove: () => take.mutate({ user: key, role }) })
                }
              >
                {role}
                <TagSources claims={claims} />
              </RemovableTag>
            ) : (
              <Tag key={role}>{role}</Tag>
            ),
          )}
        </Tags>
      ),
    },
    ...(canWrite
      ? [
          {
            header: 'Remove',
            isHeaderHidden: true,
            align: 'right' as const,
            width: '90px',
            cell: (member: Member) => (
              <Button
                variant="subtle"
                size="compact-xs"
                color="gray"
                aria-label={`Remove ${member.key}`}
                onClick={() => {
                  const claims = claimsInTenant(member, path.ref)
                  ask({ name: `Member ${member.key}`, claims, remove: () => remove.mutate(member.key) })
                }}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <section className={classes.part}>
      <h2>Members</h2>
      {canWrite && <AssignForm path={path} />}
      <QueryState query={members}>
        {({ data, total_count }) => (
          <>
            <DataTable label="Members" columns={columns} rows={data} rowKey={({ key }) => key} isStacked />
            <Pager page={page} total={total_count} size={ROWS} onChange={setPage} />
            {question}
          </>
        )}
      </QueryState>
    </section>
  )
}

function UserName({ name, email }: { readonly name: string; readonly email: string | null }) {
  return (
    <>
      <div>{name}</div>
      {email !== null && email !== name && <div className={classes.note}>{email}</div>}
    </>
  )
}

interface FormProps {
  readonly path: PartProps['path']
  readonly label: string
  readonly action: string
  readonly type: 'text' | 'email'
  readonly send: (who: string, role: string) => Promise<unknown>
  readonly done: (who: string) => string
}

/** One field for who, a role, and a button. */
function RoleForm({ path, label, action, type, send, done }: FormProps) {
  const offered = useOffered(path)
  const [who, setWho] = useState('')
  const [role, setRole] = useState('')
  const chosen = role === '' ? (offered[0]?.value ?? '') : role
  const write = useMutation({
    mutationFn: () => send(who.trim(), chosen),
    onSuccess: () => {
      notifyDone(done(who.trim()))
      setWho('')
    },
    onError: (error) => notifyFailure("This couldn't be saved", error),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (who.trim() !== '' && chosen !== '') write.mutate()
  }
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label={label}
        type={type}
        size="xs"
        value={who}
        onChange={(event) => setWho(event.currentTarget.value)}
      />
      <NativeSelect
        label={`Role of the ${type === 'email' ? 'invite' : 'member'}`}
        size="xs"
        value={chosen}
        data={offered}
        onChange={(event) => setRole(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" loading={write.isPending}>
        {action}
      </Button>
    </form>
  )
}

function AssignForm({ path }: { readonly path: PartProps['path'] }) {
  const send = (user: string, role: string) =>
    read(api.POST('/v2/facts/{p}/{e}/tenants/{ref}/role_assignments', { params: { path }, body: { user, role } }))
  return (
    <RoleForm
      path={path}
      label="User"
      type="text"
      action="Assign role"
      send={send}
      done={(who) => `Role of ${who} assigned`}
    />
  )
}

function Roles({ path, canWrite }: PartProps) {
  return (
    <section className={classes.part}>
      <h2>Roles</h2>
      <TenantRoles
        path={path}
        canWrite={canWrite}
        nothingOffered="No permissions for roles of your own are offered yet."
      />
    </section>
  )
}

function Invites({ path, canWrite }: PartProps) {
  const invites = useQuery({
    queryKey: ['own-tenant', 'invites', path],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v2/facts/{p}/{e}/tenants/{ref}/invites', {
          params: { path, query: { status: 'pending', per_page: 100 } },
          signal,
        }),
      ),
  })
  const cancel = useMutation({
    mutationFn: (invite: string) =>
      read(api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}/invites/{invite}', { params: { path: { ...path, invite } } })),
    onSuccess: () => notifyDone('Invite canceled'),
    onError: (error) => notifyFailure("Couldn't cancel the invite", error),
  })
  const send = (email: string, role: string) =>
    read(api.POST('/v2/facts/{p}/{e}/tenants/{ref}/invites', { params: { path }, body: { email, role } }))
  type Invite = NonNullable<typeof invites.data>['data'][number]
  const columns: readonly Column<Invite>[] = [
    { header: 'Invited', cell: ({ email, user }) => email ?? user },
    { header: 'Role', cell: ({ role }) => <Tag>{role}</Tag> },
    { header: 'Since', cell: ({ created_at }) => <Instant value={created_at} />, isMinor: true },
    ...(canWrite
      ? [
          {
            header: 'Cancel',
            isHeaderHidden: true,
            align: 'right' as const,
            width: '90px',
            cell: ({ id, email, user }: Invite) => (
              <Button
                variant="subtle"
                size="compact-xs"
                color="gray"
                aria-label={`Cancel the invite of ${email ?? user}`}
                onClick={() => cancel.mutate(id)}
              >
                Cancel
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <section className={classes.part}>
      <h2>Invites</h2>
      {canWrite && (
        <RoleForm path={path} label="Email" type="email" action="Invite" send={send} done={(who) => `${who} invited`} />
      )}
      <QueryState query={invites}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No open invites" text="Invited people are listed here until they accept." />
          ) : (
            <DataTable label="Invites" columns={columns} rows={data} rowKey={({ id }) => id} isStacked />
          )
        }
      </QueryState>
    </section>
  )
}

const OPS = { create: 'added', update: 'changed', delete: 'removed' } as const
const KINDS = {
  membership: 'Member',
  role_assignment: 'Role',
  user_invite: 'Invite',
  tenant_role: 'Own role',
} as const

function Changes({ path }: PartProps) {
  const [page, setPage] = useState(1)
  const history = useQuery({
    queryKey: ['own-tenant', 'history', path, page],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v2/facts/{p}/{e}/tenants/{ref}/history', {
          params: { path, query: { page, per_page: ROWS } },
          signal,
        }),
      ),
  })
  type Event = NonNullable<typeof history.data>['data'][number]
  const columns: readonly Column<Event>[] = [
    { header: 'When', width: '190px', cell: ({ at }) => <Instant value={at} /> },
    {
      header: 'What',
      cell: ({ changes }) =>
        changes.map(({ op, kind, user, email, role, resource_instance: on }) => (
          <div key={`${op} ${kind} ${user} ${email} ${role} ${on}`}>
            {[KINDS[kind], role, OPS[op]].filter(Boolean).join(' ')}
            {user === null && email === null ? '' : `: ${user ?? email}`}
            {on === null ? '' : ` on ${on}`}
          </div>
        )),
    },
    { header: 'By', cell: ({ api_key: key }) => (key === null ? '' : (key.name ?? 'A key')), isMinor: true },
  ]
  return (
    <section className={classes.part}>
      <h2>History</h2>
      <QueryState query={history}>
        {({ data, pagination_count }) => (
          <>
            <DataTable
              label="History"
              columns={columns}
              rows={data}
              rowKey={(row) => `${row.at} ${JSON.stringify(row.changes)}`}
              isStacked
            />
            <Pager page={page} total={pagination_count} size={ROWS} onChange={setPage} />
          </>
        )}
      </QueryState>
    </section>
  )
}
