// The roles that a tenant has of its own (D18): listed, made, changed, assigned and deleted, by its administrators or by
// those of the environment.
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EditObjectDialog } from '../../../components/edit-object-dialog.tsx'
import { FewTags } from '../../../components/few-tags.tsx'
import { Icon } from '../../../components/icon.tsx'
import { NamedRow } from '../../../components/named-row.tsx'
import { NewObjectDialog } from '../../../components/new-object-dialog.tsx'
import { EmptyState, QueryState } from '../../../components/states.tsx'
import { AssignTenantRole } from './assign-tenant-role.tsx'
import { DeleteTenantRole } from './delete-tenant-role.tsx'
import { listAllowed, placeRefusal, roleName, shortKey, tenantRoleFields } from './tenant-role-form.ts'
import { type TenantRoles as Roles, type TenantPath, type TenantRole, tenantRolesQuery } from './tenant-role-queries.ts'
import classes from './tenant-roles.module.css'

interface TenantRolesProps {
  readonly path: TenantPath
  readonly canWrite: boolean
  /** what to do where nothing is offered */
  readonly nothingOffered: string
}

type Open = { readonly is: 'new' } | { readonly is: 'edit' | 'assign' | 'delete'; readonly role: TenantRole }

export function TenantRoles({ path, canWrite, nothingOffered }: TenantRolesProps) {
  const roles = useQuery(tenantRolesQuery(path))
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const readAgain = async (key: string) => inForm((await roles.refetch()).data?.own.find((role) => role.key === key))
  return (
    <QueryState query={roles}>
      {(data) => (
        <>
          <List roles={data} canWrite={canWrite} nothingOffered={nothingOffered} onOpen={setOpen} />
          {open?.is === 'new' && <NewRole path={path} roles={data} onClose={close} />}
          {open?.is === 'edit' && (
            <EditObjectDialog
              kind="role"
              name={roleName(open.role)}
              fields={tenantRoleFields(data, open.role)}
              stored={inForm(open.role)}
              readAgain={() => readAgain(open.role.key)}
              send={({ body, headers }) =>
                api.PATCH('/v2/facts/{p}/{e}/tenants/{ref}/roles/{tenant_role}', {
                  params: { path: { ...path, tenant_role: open.role.key } },
                  body,
                  headers,
                })
              }
              placed={placeRefusal}
              isUndoable={false}
              onClose={close}
            />
          )}
          {open?.is === 'assign' && <AssignTenantRole path={path} role={open.role} onClose={close} />}
          {open?.is === 'delete' && <DeleteTenantRole path={path} role={open.role} roles={data} onClose={close} />}
        </>
      )}
    </QueryState>
  )
}

const inForm = (role: TenantRole | undefined) => ({ ...role })

interface ListProps {
  readonly roles: Roles
  readonly canWrite: boolean
  readonly nothingOffered: string
  readonly onOpen: (open: Open) => void
}

function List({ roles, canWrite, nothingOffered, onOpen }: ListProps) {
  const isOffered = roles.permissions.length + roles.extendable.length > 0
  const make = canWrite && isOffered && (
    <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => onOpen({ is: 'new' })}>
      New role
    </Button>
  )
  if (roles.own.length === 0)
    return (
      <EmptyState
        icon="keyRound"
        title="No roles of this tenant yet"
        text={
          isOffered
            ? 'A role of the tenant gives its members some of the permissions that are offered to tenants. It applies in this tenant only.'
            : nothingOffered
        }
        action={make || undefined}
      />
    )
  return (
    <>
      {make && <div className={classes.above}>{make}</div>}
      <DataTable
        label="Roles of the tenant"
        columns={canWrite ? [...columnsOf(roles), buttons(onOpen)] : columnsOf(roles)}
        rows={roles.own}
        rowKey={({ key }) => key}
        isStacked
      />
    </>
  )
}

function columnsOf(roles: Roles): readonly Column<TenantRole>[] {
  const names = new Map([...roles.own, ...roles.extendable].map((role) => [role.key, roleName(role)]))
  return [
    {
      header: 'Role',
      width: '32%',
      cell: (role) => (
        <NamedRow name={role.description ?? undefined}>
          <span>
            {roleName(role)} <span className={classes.note}>{role.key}</span>
          </span>
        </NamedRow>
      ),
    },
    {
      header: 'Permissions',
      cell: (role) => (
        <>
          <FewTags keys={listAllowed(roles, role)} none="None" />
          {role.extends.length > 0 && (
            <div className={classes.note}>Extends {role.extends.map((key) => names.get(key) ?? key).join(', ')}</div>
          )}
        </>
      ),
    },
  ]
}

const buttons = (onOpen: (open: Open) => void): Column<TenantRole> => ({
  header: 'Change',
  isHeaderHidden: true,
  align: 'right',
  width: '200px',
  cell: (role) => (
    <Group gap={4} justify="flex-end">
      {(['assign', 'edit', 'delete'] as const).map((is) => (
        <Button
          key={is}
          variant="subtle"
          size="compact-xs"
          {...(is === 'delete' ? { color: 'red' } : {})}
          aria-label={`${WORDS[is]} role ${shortKey(role)}`}
          onClick={() => onOpen({ is, role })}
        >
          {WORDS[is]}
        </Button>
      ))}
    </Group>
  ),
})

const WORDS = { assign: 'Assign', edit: 'Edit', delete: 'Delete' } as const

interface NewRoleProps {
  readonly path: TenantPath
  readonly roles: Roles
  readonly onClose: () => void
}

function NewRole({ path, roles, onClose }: NewRoleProps) {
  return (
    <NewObjectDialog
      kind="role"
      fields={tenantRoleFields(roles)}
      send={(body) => api.POST('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params: { path }, body })}
      placed={placeRefusal}
      onDone={onClose}
      onClose={onClose}
    />
  )
}
