// Access requests: those that wait for a decision, oldest first, or those in another state. Filters, page and the request
// that is open are in the address.
import { Button, NativeSelect, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { listRequests, useActing } from '../../api/requests.ts'
import { suggestRoles, suggestTenants, suggestUsers } from '../../api/suggestions.ts'
import { AskDialog } from '../../components/ask-dialog.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { useRequestList } from '../../components/request-list.tsx'
import { EmptyState } from '../../components/states.tsx'
import { isNarrowed, type RequestsSearch, STATES, toRequestsQuery } from './requests-search.ts'

const FROM = '/$project/$environment/requests'

export function RequestsPage() {
  const path = useEnvironmentPath()
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const acting = useActing()
  const [isAsking, setAsking] = useState(false)
  const show = (id: string | undefined) => {
    const { request: _, ...others } = search
    void navigate({ search: id === undefined ? others : { ...others, request: id }, resetScroll: false })
  }
  const { columns, dialogs } = useRequestList(path, { id: search.request, show })
  const { request: _, ...listed } = search
  const requests = useQuery({
    queryKey: ['access-requests', path.p, path.e, listed],
    queryFn: ({ signal }) => listRequests(path, toRequestsQuery(listed), signal),
    placeholderData: keepPreviousData,
  })
  const set = (name: keyof RequestsSearch, value: string) => {
    const { page: __, request: ___, [name]: ____, ...others } = search
    const next = value === '' ? others : { ...others, [name]: value }
    void navigate({ search: next as RequestsSearch, replace: true, resetScroll: false })
  }
  const ask = acting.is !== 'nobody' && (
    <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setAsking(true)}>
      Request a role
    </Button>
  )
  return (
    <Page
      title="Requests"
      description="Users request a role for a time, and approvers decide. Access ends by itself."
      actions={ask || undefined}
      isWide
    >
      {acting.is === 'nobody' && acting.isPerson && <Unnamed />}
      <search className={bar.bar}>
        <NativeSelect
          size="xs"
          aria-label="State"
          value={search.state ?? ''}
          onChange={({ currentTarget }) => set('state', currentTarget.value)}
          data={STATES}
        />
        <FilterField
          label="User"
          value={search.user ?? ''}
          suggest={(text) => suggestUsers(path, text)}
          onChange={(value) => set('user', value)}
        />
        <FilterField
          label="Role"
          value={search.role ?? ''}
          suggest={(text) => suggestRoles(path, text)}
          onChange={(value) => set('role', value)}
        />
        <FilterField
          label="Tenant"
          value={search.tenant ?? ''}
          suggest={(text) => suggestTenants(path, text)}
          onChange={(value) => set('tenant', value)}
        />
        {isNarrowed(search) && (
          <Button variant="subtle" onClick={() => void navigate({ search: {}, replace: true })}>
            Clear filters
          </Button>
        )}
      </search>
      <PagedList
        label="Requests"
        query={requests}
        columns={columns}
        page={search.page ?? 1}
        kind="request"
        found="the filters above"
        isFiltered={isNarrowed(search)}
        isStacked
        empty={<Nothing />}
      />
      {dialogs}
      {isAsking && (
        <AskDialog place={path} acting={acting} onDone={({ id }) => show(id)} onClose={() => setAsking(false)} />
      )}
    </Page>
  )
}

function Unnamed() {
  return (
    <Text size="sm" c="dimmed" mb="md">
      Your sign-in isn't linked to a user of this environment, so you can't request or decide. An operator links people
      to users with <code>ZEROHOP_CONSOLE_USER_CLAIM</code>.
    </Text>
  )
}

function Nothing() {
  const { p, e } = useEnvironmentPath()
  const policy = (
    <TextLink to="/$project/$environment/policy" params={{ project: p, environment: e }}>
      Open Policy
    </TextLink>
  )
  return (
    <EmptyState
      icon="inbox"
      title="No pending requests"
      text="When a user requests a role, it waits here for an approver. To make a role requestable, open it in Policy and set who can request it, who approves and for how long."
      action={policy}
    />
  )
}
