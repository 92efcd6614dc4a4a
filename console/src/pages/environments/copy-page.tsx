// Copies the policy of the open environment to another one of its project, or to a new one: first what that would
// change there, and who would gain and lose access; then just that.
import { Button, TextInput } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { formatChangeCounts } from 'zerohop/change-words'
import { ApiError } from '../../api/api-error.ts'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { useMayInProject } from '../../api/use-session.ts'
import { KeyField } from '../../components/key-field.tsx'
import { TextLink } from '../../components/links.tsx'
import { NO_NOTES, NoteFields } from '../../components/note-fields.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Page } from '../../components/page.tsx'
import { PlanOutcome } from '../../components/plan-outcome.tsx'
import { PlanView } from '../../components/plan-view.tsx'
import { EmptyState, ErrorState, LoadingState, QueryState } from '../../components/states.tsx'
import { type CopyTarget, copy, copyPlanQuery, type Plan, suggestEnvironments } from './environment-queries.ts'
import classes from './environments.module.css'
import type { CopySearch } from './environments-search.ts'

const FROM = '/$project/$environment/environments/copy'
const LIST = '/$project/$environment/environments'

export function CopyPage() {
  const path = useEnvironmentPath()
  const search = useSearch({ from: FROM })
  const copying = copyingOf(search)
  const plan = useQuery({ ...copyPlanQuery(path, copying), placeholderData: keepPreviousData })
  return (
    <Page
      title={`Copy ${path.e}`}
      help="Environments"
      parent={
        <TextLink to={LIST} from={FROM} size="sm">
          Environments
        </TextLink>
      }
      description="Copies resource types, roles, condition sets and access rules. Users and other facts aren't copied. Objects that only the target has are kept."
    >
      <CopyForm key={JSON.stringify(search)} path={path} search={search} />
      {copying === undefined ? (
        <EmptyState
          icon="copy"
          title="Nothing copied yet"
          text="Choose the target. You'll see what would change before anything is copied."
        />
      ) : plan.isError && !plan.isFetching ? (
        <>
          <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
          {plan.error instanceof ApiError && plan.error.status === 409 && (
            <p className={classes.hint}>To replace what {search.to} has already, tick Overwrite and plan again.</p>
          )}
        </>
      ) : (
        <QueryState query={plan} loading={<LoadingState label="Planning the copy" />}>
          {(planned) => (
            <Copy
              key={planned.revision}
              {...{ path, search, copying, planned }}
              isOld={plan.isFetching}
              onAgain={() => void plan.refetch()}
            />
          )}
        </QueryState>
      )}
    </Page>
  )
}

interface Copying {
  readonly target: CopyTarget
  readonly isOverwriting: boolean
  readonly hasTenantRoles: boolean
}

/** What the address says shall be copied; undefined when it names no target. */
function copyingOf({ to, new: isNew, overwrite, tenantRoles }: CopySearch): Copying | undefined {
  if (to === undefined) return undefined
  const target = isNew ? { new: { key: to, name: to } } : { existing: to }
  return { target, isOverwriting: overwrite === true, hasTenantRoles: tenantRoles === true }
}

interface CopyFormProps {
  readonly path: EnvironmentPath
  readonly search: CopySearch
}

function CopyForm({ path, search }: CopyFormProps) {
  const navigate = useNavigate({ from: FROM })
  const [to, setTo] = useState(search.to ?? '')
  const [isNew, setNew] = useState(search.new ?? false)
  const [isOverwriting, setOverwriting] = useState(search.overwrite ?? false)
  const [hasTenantRoles, setTenantRoles] = useState(search.tenantRoles ?? false)
  const [wasSent, setSent] = useState(false)
  const problem =
    to.trim() === '' ? 'Enter the target' : to.trim() === path.e && "This is the environment you're copying from"
  const error = wasSent && problem
  return (
    <form
      aria-label="Copy"
      onSubmit={(event) => {
        event.preventDefault()
        setSent(true)
        if (problem) return
        const choices = {
          ...(isNew && { new: true as const }),
          ...(!isNew && isOverwriting && { overwrite: true as const }),
          ...(!isNew && hasTenantRoles && { tenantRoles: true as const }),
        }
        void navigate({ search: { to: to.trim(), ...choices } })
      }}
      noValidate
    >
      <fieldset className={classes.choices} aria-label="Target">
        <label>
          <input type="radio" name="target" checked={!isNew} onChange={() => setNew(false)} />
          To an existing environment
        </label>
        <label>
          <input type="radio" name="target" checked={isNew} onChange={() => setNew(true)} />
          To a new environment
        </label>
        {!isNew && (
          <>
            <label>
              <input
                type="checkbox"
                checked={isOverwriting}
                onChange={({ currentTarget }) => setOverwriting(currentTarget.checked)}
              />
              Overwrite objects that already exist in the target
            </label>
            <label>
              <input
                type="checkbox"
                checked={hasTenantRoles}
                onChange={({ currentTarget }) => setTenantRoles(currentTarget.checked)}
              />
              Copy roles that tenants created, for tenants that the target has
            </label>
          </>
        )}
      </fieldset>
      <div className={classes.form}>
        {isNew ? (
          <TextInput
            label="Key of the new environment"
            placeholder="staging"
            value={to}
            onChange={({ currentTarget }) => setTo(currentTarget.value)}
            error={error}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        ) : (
          <KeyField
            label="To"
            placeholder="production"
            value={to}
            onChange={setTo}
            error={error}
            suggest={(text) => withoutProjects(suggestEnvironments(path, text))}
          />
        )}
        <Button type="submit" variant="default">
          Plan
        </Button>
      </div>
    </form>
  )
}

/** Copies stay inside of a project. */
const withoutProjects = (query: ReturnType<typeof suggestEnvironments>) => ({
  ...query,
  select: (found: readonly { readonly key: string; readonly about?: string | undefined }[]) =>
    found.filter(({ key }) => !key.includes('/')),
})

interface CopyProps {
  readonly path: EnvironmentPath
  readonly search: CopySearch
  readonly copying: Copying
  readonly planned: Plan
  /** another plan is being made */
  readonly isOld: boolean
  readonly onAgain: () => void
}

function Copy({ path, search: { to = '', new: isNew }, copying, planned, isOld, onAgain }: CopyProps) {
  const navigate = useNavigate({ from: FROM })
  const mayWrite = useMayInProject('write')
  const [notes, setNotes] = useState(NO_NOTES)
  const doIt = useMutation({
    mutationFn: () => copy(path, copying, planned, notes),
    onSuccess: ({ key }) => {
      notifyDone(`${path.e} was copied to ${key}. To undo this, revert the latest revision here.`)
      const params = { project: path.p, environment: to === key ? key : to }
      void navigate({ to: '/$project/$environment/history', params, search: {} })
    },
  })
  if (planned.changes.length === 0 && planned.tenant_roles === undefined && !isNew)
    return <EmptyState icon="circleCheck" title="Nothing to copy" text={`${to} already has the same policy.`} />
  return (
    <div className={classes.sections}>
      <PlanView plan={planned} isOld={isOld} />
      {mayWrite && <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />}
      <PlanOutcome
        action={isNew ? `Create ${to} and copy` : `Copy to ${to}`}
        mutation={doIt}
        onAgain={onAgain}
        canWrite={mayWrite}
        isDisabled={isOld}
      >
        {formatChangeCounts(withTenantRoles(planned))}, in {to}, in one revision.
      </PlanOutcome>
    </div>
  )
}

const withTenantRoles = ({ changes, tenant_roles: roles = [], more }: Plan) => ({
  changes: [...changes, ...roles.map((role) => ({ kind: 'tenant_role' as const, ...role }))],
  more,
})
