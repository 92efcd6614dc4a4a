// Who belongs to a tenant, with the roles in it: to be assigned, taken away, and removed altogether.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { claimsInTenant, claimsOfMembership, isFromOthers } from '../../api/claims.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestRoles } from '../../api/suggestions.ts'
import { useTakeRole } from '../../api/take-role.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { AssignRole } from '../../components/assign-role.tsx'
import type { Column } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { TagTimes } from '../../components/grant-times.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { notifyFailure } from '../../components/notify.ts'
import { PagedList } from '../../components/paged-list.tsx'
import { useRemovalQuestion } from '../../components/removal-question.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Sources, TagSources } from '../../components/sources.tsx'
import { EmptyState } from '../../components/states.tsx'
import { SuspensionLine } from '../../components/suspension.tsx'
import { RemovableTag, Tag, Tags } from '../../components/tag.tsx'
import { findFullName, type User, usersQuery } from '../users/user-queries.ts'
import { EveryoneRoles } from './everyone-roles.tsx'
import type { TenantSearch } from './tenants-search.ts'

const FROM = '/$project/$environment/tenants/$tenant'

export function TenantMembers({ tenant }: { readonly tenant: string }) {
  const path = useEnvironmentPath()
  const { search = '', role = '', page = 1 } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const asked = { tenant, page, ...(search === '' ? {} : { search }), ...(role === '' ? {} : { role }) }
  const members = useQuery(usersQuery(path, asked))
  const { columns, question } = useColumns(tenant, canWrite)
  const narrow = (change: TenantSearch) => {
    const wanted = { search, role, ...change }
    const said = Object.entries(wanted).filter(([, text]) => text !== '')
    void navigate({ search: Object.fromEntries(said), replace: true, resetScroll: false })
  }
  return (
    <>
      {canWrite && <AssignRole tenant={tenant} />}
      <EveryoneRoles tenant={tenant} canWrite={canWrite} />
      <div className={bar.bar}>
        <SearchField label="Search members" value={search} onChange={(text) => narrow({ search: text })} />
        <FilterField
          label="With role"
          value={role}
          suggest={(text) => suggestRoles(path, text)}
          onChange={(key) => narrow({ role: key })}
        />
      </div>
      <PagedList
        label={`Members of ${tenant}`}
        query={members}
        columns={columns}
        page={page}
        kind="member"
        found="part of the key, name or email address"
        isFiltered={search !== '' || role !== ''}
        empty={NOBODY}
      />
      {question}
    </>
  )
}

const NOBODY = (
  <EmptyState icon="users" title="No members yet" text="Users with a role in this tenant become members." />
)

function useColumns(tenant: string, canWrite: boolean) {
  const path = useEnvironmentPath()
  const take = useTakeRole()
  const { ask, question } = useRemovalQuestion()
  const remove = useWrite({
    send: ({ key: user }: User) => {
      const params = { path: { ...path, ref: tenant, user } }
      return api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}/users/{user}', { params })
    },
    done: (user) =>
      isFromOthers(claimsInTenant(user, tenant))
        ? `What was given by hand to ${user.key} in ${tenant} is removed`
        : `${user.key} removed from ${tenant}`,
    onFail: (error) => notifyFailure("Couldn't remove the member", error),
  })
  const removal: Column<User> = {
    header: 'Remove',
    isHeaderHidden: true,
    align: 'right',
    width: '80px',
    cell: (user) => (
      <Button
        variant="subtle"
        size="compact-xs"
        color="gray"
        aria-label={`Remove ${user.key} from ${tenant}`}
        loading={remove.isPending && remove.variables?.key === user.key}
        onClick={() =>
          ask({
            name: `Member ${user.key}`,
            claims: claimsInTenant(user, tenant),
            remove: () => remove.mutate(user),
          })
        }
      >
        Remove
      </Button>
    ),
  }
  const columns: readonly Column<User>[] = [
    {
      header: 'User',
      width: '40%',
      cell: (user) => (
        <NamedRow name={findFullName(user)} note={<SuspensionLine suspension={user.suspension} />}>
          <Anchor
            component={Link}
            to={'/$project/$environment/users/$user' as never}
            from={FROM}
            params={{ user: user.key } as never}
            size="sm"
          >
            {user.key}
          </Anchor>
          <Sources claims={claimsOfMembership(user, tenant)} />
        </NamedRow>
      ),
    },
    {
      header: 'Roles here',
      cell: ({ key, roles }) => (
        <Tags>
          {roles
            .filter((each) => each.tenant === tenant)
            .map(({ role, tenant: _, claims, ...times }) =>
              canWrite ? (
                <RemovableTag
                  key={role}
                  label={`Remove role ${role} from ${key}`}
                  onRemove={() => {
                    const held = { user: key, role, tenant, resource_instance: null, claims }
                    ask({ name: `Role ${role} of ${key}`, claims, remove: () => take.mutate(held) })
                  }}
                >
                  {role}
                  <TagTimes {...times} />
                  <TagSources claims={claims} />
                </RemovableTag>
              ) : (
                <Tag key={role}>
                  {role}
                  <TagTimes {...times} />
                  <TagSources claims={claims} />
                </Tag>
              ),
            )}
        </Tags>
      ),
    },
    ...(canWrite ? [removal] : []),
  ]
  return { columns, question }
}
