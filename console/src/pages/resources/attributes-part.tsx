// The declared attributes of a resource type, with their types: conditions compare only what has a type.
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { readTaggedIfThere } from '../../api/precondition.ts'
import type { Column } from '../../components/data-table.tsx'
import { Tag } from '../../components/tag.tsx'
import { ATTRIBUTE_FIELDS, NEW_ATTRIBUTE } from './resource-fields.ts'
import type { Resource } from './resource-queries.ts'
import { SchemaParts } from './schema-parts.tsx'

interface PartProps {
  readonly resource: Resource
}

type Attribute = Resource['attributes'][string]

export function AttributesPart({ resource }: PartProps) {
  const at = { ...useEnvironmentPath(), resource: resource.key }
  return (
    <SchemaParts
      kind="attribute"
      label="Attributes"
      removed="attribute"
      of={resource.key}
      rows={Object.values(resource.attributes)}
      columns={COLUMNS}
      empty="Attributes of instances. Each has a type that stored values are checked against. Conditions can use them."
      newFields={NEW_ATTRIBUTE}
      fields={ATTRIBUTE_FIELDS}
      readAgain={(ref) =>
        readTaggedIfThere(
          api.GET('/v2/schema/{p}/{e}/resources/{resource}/attributes/{ref}', { params: { path: { ...at, ref } } }),
        )
      }
      create={({ key, ...body }) =>
        api.POST('/v2/schema/{p}/{e}/resources/{resource}/attributes', {
          params: { path: at },
          body: { key, type: body.type as Attribute['type'], ...body },
        })
      }
      update={(ref, { body, headers }) =>
        api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/attributes/{ref}', {
          params: { path: { ...at, ref } },
          body,
          headers,
        })
      }
      remove={(ref) =>
        api.DELETE('/v2/schema/{p}/{e}/resources/{resource}/attributes/{ref}', { params: { path: { ...at, ref } } })
      }
    />
  )
}

const COLUMNS: readonly Column<Attribute>[] = [
  { header: 'Attribute', width: '26%', cell: ({ key }) => key },
  { header: 'Type', width: '160px', cell: ({ type }) => <Tag>{type}</Tag> },
  { header: 'Description', cell: ({ description }) => description, isMinor: true },
]
