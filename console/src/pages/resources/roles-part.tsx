// The roles that one may have on instances of a resource type: what each permits and extends, and from which roles on
// related instances it follows.
import { Button } from '@mantine/core'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { readTaggedIfThere } from '../../api/precondition.ts'
import { useMay } from '../../api/use-session.ts'
import { EditObjectDialog } from '../../components/edit-object-dialog.tsx'
import { FewTags } from '../../components/few-tags.tsx'
import { Icon } from '../../components/icon.tsx'
import { LongList } from '../../components/long-list.tsx'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import { EmptyState } from '../../components/states.tsx'
import { describeRequestable } from '../policy/requestable.ts'
import { DeletePart } from './delete-part.tsx'
import { DerivedFrom } from './derived-from.tsx'
import { PartButtons } from './part-buttons.tsx'
import { newRole, roleFields } from './resource-fields.ts'
import type { Resource, ResourceRole } from './resource-queries.ts'
import classes from './resources.module.css'
import { asWritten, permissionAction, requestableInForm } from './role-permissions.ts'
import { type Parts, useParts } from './use-parts.ts'

interface RolesPartProps {
  readonly resource: Resource
}

export function RolesPart({ resource }: RolesPartProps) {
  const canWrite = useMay('write')
  const parts = useParts()
  const roles = Object.values(resource.roles)
  const make = canWrite && (
    <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => parts.show({ is: 'new' })}>
      New role
    </Button>
  )
  return (
    <>
      {roles.length === 0 ? (
        <EmptyState
          icon="shapes"
          title="No roles yet"
          text={`Users get these roles on individual ${resource.key} instances, such as owner of a document. Roles in tenants are on the Policy page.`}
          action={make || undefined}
        />
      ) : (
        <>
          {make && <div className={classes.above}>{make}</div>}
          <LongList label="Roles" items={roles} itemKey={({ id }) => id} className={classes.roles}>
            {(role) => <Role role={role} resource={resource} parts={parts} canWrite={canWrite} />}
          </LongList>
        </>
      )}
      <RoleDialogs resource={resource} parts={parts} />
    </>
  )
}

interface RoleProps {
  readonly role: ResourceRole
  readonly resource: Resource
  readonly parts: Parts
  readonly canWrite: boolean
}

function Role({ role, resource, parts, canWrite }: RoleProps) {
  const { key, name, description, permissions, extends: parents, everybody, requestable } = role
  return (
    <article className={classes.role} aria-label={`Role ${key}`}>
      <header>
        <h2>{key}</h2>
        {canWrite && <PartButtons about={`role ${key}`} partKey={key} parts={parts} />}
      </header>
      {(name !== key || description !== null) && (
        <p className={classes.hint}>{[name === key ? '' : name, description].filter(Boolean).join(' · ')}</p>
      )}
      {everybody && <p className={classes.hint}>Can be given to everyone</p>}
      {requestable && <p className={classes.hint}>Can be requested by {describeRequestable(requestable)}</p>}
      <dl>
        <div>
          <dt>Permissions</dt>
          <dd>{permissions.length === 0 ? 'none' : <FewTags keys={permissions.map(permissionAction)} />}</dd>
        </div>
        {parents.length > 0 && (
          <div>
            <dt>Extends</dt>
            <dd>
              <FewTags keys={parents} />
            </dd>
          </div>
        )}
        <div>
          <dt>Derived from</dt>
          <dd>
            <DerivedFrom role={role} resource={resource} canWrite={canWrite} />
          </dd>
        </div>
      </dl>
    </article>
  )
}

interface RoleDialogsProps extends RolesPartProps {
  readonly parts: Parts
}

function RoleDialogs({ resource, parts: { open, close } }: RoleDialogsProps) {
  const at = { ...useEnvironmentPath(), resource: resource.key }
  if (open === undefined) return null
  if (open.is === 'new')
    return (
      <NewObjectDialog
        kind="role"
        fields={newRole(resource)}
        send={(body) =>
          api.POST('/v2/schema/{p}/{e}/resources/{resource}/roles', {
            params: { path: at },
            body: asWritten(resource.key, body),
          })
        }
        onDone={close}
        onClose={close}
      />
    )
  const { key } = open
  const params = { path: { ...at, ref: key } }
  if (open.is === 'delete')
    return (
      <DeletePart
        kind="role"
        name={key}
        removed="resource_role"
        of={`${resource.key}/${key}`}
        send={() => api.DELETE('/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}', { params })}
        onClose={close}
      />
    )
  return (
    <EditObjectDialog
      kind="role"
      name={key}
      fields={roleFields(resource, key)}
      stored={inForm(resource.roles[key])}
      readAgain={async () => {
        const role = await readTaggedIfThere(api.GET('/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}', { params }))
        return role && inForm(role)
      }}
      send={({ body, headers }) =>
        api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}', {
          params,
          body: asWritten(resource.key, body, resource.roles[key]?.requestable),
          headers,
        })
      }
      onClose={close}
    />
  )
}

/** As the form has it: the actions of the type alone. */
const inForm = (role: ResourceRole | undefined) =>
  role === undefined
    ? {}
    : { ...role, permissions: role.permissions.map(permissionAction), ...requestableInForm(role.requestable) }
