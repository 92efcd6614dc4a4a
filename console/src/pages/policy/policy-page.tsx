// The page Policy: the matrix of roles and actions. What is changed gathers in a draft, which Review shows and saves.
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { counted } from 'zerohop/change-words'
import { useEnvironment, useEnvironmentPath } from '../../api/environments.ts'
import { unusedPermissionsQuery } from '../../api/last-used.ts'
import { useMay } from '../../api/use-session.ts'
import { Icon } from '../../components/icon.tsx'
import { KnownUses } from '../../components/last-use.tsx'
import { Page } from '../../components/page.tsx'
import { PagePending } from '../../components/page-pending.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { type Unused, unusedText } from '../../components/unused-times.ts'
import { type RulesByCell, rulesByCell } from './access-rules.ts'
import { accessRulesQuery } from './access-rules-query.ts'
import { ConflictNotice } from './conflict-notice.tsx'
import { Matrix } from './matrix.tsx'
import { MatrixFilters } from './matrix-filters.tsx'
import { listColumns, listInstanceRows, listRows } from './matrix-rows.ts'
import { type Policy, permissionSet } from './policy.ts'
import classes from './policy-page.module.css'
import { RoleDialog } from './role-dialog.tsx'
import { type PolicyDraft, usePolicy, usePolicyDraft } from './use-policy-draft.ts'

const DESCRIPTION = 'What each role can do. Changes stay in a draft until you review and save them.'
const FROM = '/$project/$environment/policy'

export function PolicyPage() {
  const environment = useEnvironment()
  return (
    <QueryState query={environment} loading={<PagePending />}>
      {({ id }) => <EnvironmentPolicy environment={id} />}
    </QueryState>
  )
}

function EnvironmentPolicy({ environment }: { readonly environment: string }) {
  const policy = usePolicy(useEnvironmentPath(), environment)
  if (policy.data !== undefined) return <LoadedPolicy environment={environment} policy={policy.data} />
  return (
    <Page title="Policy" description={DESCRIPTION} isWide>
      <QueryState query={policy}>{() => null}</QueryState>
    </Page>
  )
}

interface LoadedPolicyProps {
  readonly environment: string
  readonly policy: Policy
}

function LoadedPolicy({ environment, policy }: LoadedPolicyProps) {
  const draft = usePolicyDraft(environment, policy)
  const canEdit = useMay('write')
  const { saved } = useSearch({ from: FROM })
  /** the key of the role that is open; '' for a new one */
  const [open, setOpen] = useState<string>()
  useUndoKeys(draft)
  return (
    <Page
      title="Policy"
      description={DESCRIPTION}
      isWide
      actions={canEdit && <Actions draft={draft} onCreate={() => setOpen('')} />}
    >
      {saved !== undefined && draft.edits.size === 0 && <Saved revision={saved} canRevert={canEdit} />}
      {draft.conflicts.length > 0 && (
        <ConflictNotice
          environment={environment}
          conflicts={draft.conflicts}
          revision={draft.store.draft.revision}
          onContinue={draft.continueOnTop}
          onGiveUp={draft.giveUp}
        />
      )}
      <PolicyMatrix policy={policy} draft={draft} canEdit={canEdit} onOpen={setOpen} onCreate={() => setOpen('')} />
      {open !== undefined && (
        <RoleDialog roleKey={open} policy={policy} draft={draft} canEdit={canEdit} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

interface ActionsProps {
  readonly draft: PolicyDraft
  readonly onCreate: () => void
}

function Actions({ draft, onCreate }: ActionsProps) {
  const { store, edits } = draft
  const changes = edits.size
  const { data: environment } = useEnvironment()
  return (
    <>
      {environment?.require_approval === true && (
        <Button component={Link} variant="default" from={FROM} to="/$project/$environment/policy/review">
          Proposals
        </Button>
      )}
      {(store.canUndo || store.canRedo) && (
        <Button.Group>
          <Button variant="default" onClick={store.undo} disabled={!store.canUndo} title="Undo (Ctrl Z)">
            Undo
          </Button>
          <Button variant="default" onClick={store.redo} disabled={!store.canRedo} title="Redo (Ctrl Shift Z)">
            Redo
          </Button>
        </Button.Group>
      )}
      <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={onCreate}>
        New role
      </Button>
      {changes > 0 && (
        <Button component={Link} from={FROM} to="/$project/$environment/policy/review">
          Review {counted(changes, 'role')}
        </Button>
      )}
    </>
  )
}

function Saved({ revision, canRevert }: { readonly revision: number; readonly canRevert: boolean }) {
  return (
    <div role="status" className={classes.saved}>
      <Icon name="circleCheck" size={16} />
      <span>Saved as revision {revision}.</span>
      {canRevert && (
        <Link from={FROM} to="/$project/$environment/history/$revision/revert" params={{ revision: String(revision) }}>
          Revert
        </Link>
      )}
    </div>
  )
}

interface PolicyMatrixProps extends ActionsProps {
  readonly policy: Policy
  readonly canEdit: boolean
  readonly onOpen: (role: string) => void
}

function PolicyMatrix({ policy, draft, canEdit, onOpen, onCreate }: PolicyMatrixProps) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const { edits, inheritance, roles } = draft
  const filter = { role: search.roles, action: search.actions, isChanged: search.changed === true && edits.size > 0 }
  const { role, action, isChanged } = filter
  const rows = useMemo(
    () => [
      ...listRows(policy.roles, edits, { role, isChanged }),
      ...listInstanceRows(policy.instanceRoles, { role, isChanged }),
    ],
    [policy.roles, policy.instanceRoles, edits, role, isChanged],
  )
  const rules = useRules(policy)
  const unused = useUnused(search.unused)
  // while all are shown, an edit leaves the columns as they are
  const changes = isChanged ? edits : undefined
  const columns = useMemo(() => listColumns(policy.resources, changes, { action }), [policy.resources, changes, action])
  const latest = useRef(draft)
  latest.current = draft
  const toggle = useCallback((key: string, permission: string) => {
    const current = latest.current.roles.get(key)
    if (current !== undefined) latest.current.setPermission(key, permission, !permissionSet(current).has(permission))
  }, [])
  if (policy.roles.size === 0 && edits.size === 0) return <NoRoles canEdit={canEdit} onCreate={onCreate} />
  const hasActions = policy.resources.some(({ actions }) => actions.length > 0)
  const isFiltered = role !== undefined || action !== undefined || isChanged
  return (
    <>
      <MatrixFilters
        search={search}
        shown={{ roles: rows.length, actions: columns.length }}
        hasChanges={edits.size > 0}
        onChange={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      />
      {unused.uses && <KnownUses uses={unused.uses} />}
      {unused.isUnknown && (
        <Text size="sm" c="dimmed" mb="sm">
          That is not for so long, so the matrix doesn't show what was unused then.
        </Text>
      )}
      {policy.unread.roles + policy.unread.resources > 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Not everything is shown: {counted(policy.unread.roles, 'role')} and{' '}
          {counted(policy.unread.resources, 'resource type')} are missing.
        </Text>
      )}
      {!hasActions && (
        <Text size="sm" c="dimmed" mb="sm">
          No actions yet. Add resources with actions before you give roles permissions.
        </Text>
      )}
      {rows.length === 0 || (columns.length === 0 && hasActions) ? (
        <EmptyState
          icon="search"
          title={rows.length === 0 ? 'No matching roles' : 'No matching actions'}
          text="Search by key or name."
          action={
            isFiltered && (
              <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
                Show all
              </Button>
            )
          }
        />
      ) : (
        <Matrix
          rows={rows}
          columns={columns}
          inheritance={inheritance}
          rules={rules}
          unused={unused.cells}
          canEdit={canEdit && roles.size > 0}
          initialRole={search.role}
          onToggle={toggle}
          onOpen={(key) => {
            const [resource = '', onInstances] = key.split('#')
            if (onInstances === undefined) onOpen(key)
            else
              void navigate({
                to: '/$project/$environment/resources/$resource',
                params: { resource },
                search: { tab: 'roles' },
              })
          }}
        />
      )}
    </>
  )
}

const NOTHING: RulesByCell = new Map()

/** What access rules give to roles, once it is read: the matrix does not wait for it. */
function useRules({ instanceRoles }: Policy): RulesByCell {
  const { data } = useQuery(accessRulesQuery(useEnvironmentPath()))
  return useMemo(() => (data === undefined ? NOTHING : rulesByCell(data, instanceRoles)), [data, instanceRoles])
}

/** The permissions that no one used for this time, once it is read: the matrix does not wait for it. */
function useUnused(time: Unused | undefined) {
  const path = useEnvironmentPath()
  const { data } = useQuery({ ...unusedPermissionsQuery(path, time ?? '30d'), enabled: time !== undefined })
  return useMemo(() => {
    if (time === undefined || data === undefined) return { cells: undefined, uses: undefined, isUnknown: false }
    const { rows, uses } = data
    const permissions = new Set(rows.filter(({ unused }) => unused === true).map(({ permission }) => permission))
    const isUnknown = uses.known_since !== null && rows.some(({ unknown }) => unknown !== null)
    return { cells: isUnknown ? undefined : { permissions, words: unusedText(time) }, uses, isUnknown }
  }, [time, data])
}

function NoRoles({ canEdit, onCreate }: { readonly canEdit: boolean; readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon="table2"
      title="No roles yet"
      text="A role is a set of permissions on resources. You give users roles in tenants."
      action={canEdit && <Button onClick={onCreate}>New role</Button>}
    />
  )
}

/** Ctrl+Z and Ctrl+Shift+Z, or Ctrl+Y, outside of fields, which have an undo of their own. */
function useUndoKeys({ store }: PolicyDraft): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return
      if ((event.target as Element).closest('input, textarea, [role="dialog"]') !== null) return
      const key = event.key.toLowerCase()
      if (key === 'z' && !event.shiftKey) store.undo()
      else if (key === 'y' || (key === 'z' && event.shiftKey)) store.redo()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [store])
}
