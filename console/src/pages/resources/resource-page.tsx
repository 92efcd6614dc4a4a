// One type of resource: its actions, declared attributes, roles, relations, and the stored fields.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Edit, Precondition } from '../../api/precondition.ts'
import { useWrite } from '../../api/write.ts'
import { Icon } from '../../components/icon.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { ObjectPage } from '../../components/object-page.tsx'
import { ActionsPart } from './actions-part.tsx'
import { AttributesPart } from './attributes-part.tsx'
import { RelationsPart } from './relations-part.tsx'
import { Removal } from './removal.tsx'
import { RESOURCE_FIELDS } from './resource-fields.ts'
import { resourceQuery } from './resource-queries.ts'
import { RESOURCE_TABS } from './resources-search.ts'
import { RolesPart } from './roles-part.tsx'

const FROM = '/$project/$environment/resources/$resource'
const LIST = '/$project/$environment/resources'

export function ResourcePage() {
  const path = useEnvironmentPath()
  const { resource: key } = useParams({ from: FROM })
  const { tab = 'actions' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const resource = useQuery(resourceQuery(path, key))
  const params = { path: { ...path, resource: key } }
  const save = useWrite({
    send: ({ body, headers }: Edit) => api.PATCH('/v2/schema/{p}/{e}/resources/{resource}', { params, body, headers }),
    done: () => `Resource ${key} saved`,
  })
  const remove = useWrite({
    send: ({ headers }: Precondition) => api.DELETE('/v2/schema/{p}/{e}/resources/{resource}', { params, headers }),
    done: () => `Resource ${key} deleted`,
    onDone: () => void navigate({ to: LIST, replace: true }),
  })
  const name = resource.data?.name === key ? undefined : resource.data?.name
  return (
    <ObjectPage
      name={key}
      kind="resource"
      list={{ to: LIST, label: 'Resources' }}
      query={resource}
      description={[name, resource.data?.description].filter(Boolean).join(' · ') || undefined}
      actions={
        <ButtonLink
          to="/$project/$environment/instances"
          from={FROM}
          search={{ resource: key }}
          leftSection={<Icon name="listTree" size={14} />}
        >
          Instances
        </ButtonLink>
      }
      tabs={RESOURCE_TABS}
      open={tab}
      fields={RESOURCE_FIELDS}
      save={save}
      remove={remove}
      removal={<Removal kind="resource" of={key} />}
    >
      {(found) => (
        <>
          {tab === 'actions' && <ActionsPart resource={found} />}
          {tab === 'attributes' && <AttributesPart resource={found} />}
          {tab === 'roles' && <RolesPart resource={found} />}
          {tab === 'relations' && <RelationsPart resource={found} />}
        </>
      )}
    </ObjectPage>
  )
}
