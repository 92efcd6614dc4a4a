// The actions of a resource type, and its roles that permit each.
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { readTaggedIfThere } from '../../api/precondition.ts'
import type { Column } from '../../components/data-table.tsx'
import { FewTags } from '../../components/few-tags.tsx'
import { NamedRow } from '../../components/named-row.tsx'
import { ACTION_FIELDS, NEW_ACTION } from './resource-fields.ts'
import type { Resource } from './resource-queries.ts'
import { permissionAction } from './role-permissions.ts'
import { SchemaParts } from './schema-parts.tsx'

interface Row {
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly grantable: boolean
  readonly roles: readonly string[]
}

interface PartProps {
  readonly resource: Resource
}

export function ActionsPart({ resource }: PartProps) {
  const { key: of } = resource
  const at = { ...useEnvironmentPath(), resource: of }
  const rows = Object.values(resource.actions).map(({ key, name, description, grantable = false }): Row => {
    const roles = Object.values(resource.roles).filter(({ permissions }) =>
      permissions.map(permissionAction).includes(key),
    )
    return { key, name, description, grantable, roles: roles.map((role) => role.key) }
  })
  return (
    <SchemaParts
      kind="action"
      label="Actions"
      removed="action"
      of={of}
      rows={rows}
      columns={COLUMNS}
      empty="An action is something users do with this resource, such as read, edit or approve. Roles allow actions."
      newFields={NEW_ACTION}
      fields={ACTION_FIELDS}
      readAgain={(ref) =>
        readTaggedIfThere(
          api.GET('/v2/schema/{p}/{e}/resources/{resource}/actions/{ref}', { params: { path: { ...at, ref } } }),
        )
      }
      create={(body) => api.POST('/v2/schema/{p}/{e}/resources/{resource}/actions', { params: { path: at }, body })}
      update={(ref, { body, headers }) =>
        api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/actions/{ref}', {
          ...{ params: { path: { ...at, ref } }, body, headers },
        })
      }
      remove={(ref) =>
        api.DELETE('/v2/schema/{p}/{e}/resources/{resource}/actions/{ref}', { params: { path: { ...at, ref } } })
      }
    />
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Action',
    width: '26%',
    cell: ({ key, name }) => <NamedRow name={name === key ? undefined : name}>{key}</NamedRow>,
  },
  { header: 'Granted by tenants', cell: ({ grantable }) => (grantable ? 'Yes' : ''), width: '150px', isMinor: true },
  { header: 'Description', cell: ({ description }) => description, isMinor: true },
  { header: 'Resource roles that allow it', cell: ({ roles }) => <FewTags keys={roles} />, isMinor: true },
]
