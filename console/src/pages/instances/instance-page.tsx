// One instance: what it is related to, who has roles on it, who may do what with it, and the stored fields.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { deletedText } from '../../api/claims.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Edit, Precondition } from '../../api/precondition.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { ObjectPage } from '../../components/object-page.tsx'
import { Sources } from '../../components/sources.tsx'
import { INSTANCE_FIELDS } from './instance-fields.ts'
import { instanceQuery } from './instance-queries.ts'
import { InstanceRelations } from './instance-relations.tsx'
import { InstanceRoles } from './instance-roles.tsx'
import { INSTANCE_TABS } from './instances-search.ts'
import { WhoMay } from './who-may.tsx'

const FROM = '/$project/$environment/instances/$instance'
const LIST = '/$project/$environment/instances'

export function InstancePage() {
  const path = useEnvironmentPath()
  const { instance: name } = useParams({ from: FROM })
  const { tab = 'relations' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const instance = useQuery(instanceQuery(path, name))
  const params = { path: { ...path, ref: name } }
  const save = useWrite({
    send: ({ body, headers }: Edit) =>
      api.PATCH('/v2/facts/{p}/{e}/resource_instances/{ref}', { params, body, headers }),
    done: () => `${name} saved`,
  })
  const remove = useWrite({
    send: ({ headers }: Precondition) => api.DELETE('/v2/facts/{p}/{e}/resource_instances/{ref}', { params, headers }),
    done: () => deletedText(name, instance.data?.claims),
    onDone: () => void navigate({ to: LIST, replace: true }),
  })

  return (
    <ObjectPage
      name={name}
      kind="instance"
      list={{ to: LIST, label: 'Instances' }}
      query={instance}
      description={
        instance.data && (
          <>
            In tenant {instance.data.tenant}
            <Sources claims={instance.data.claims} />
          </>
        )
      }
      tabs={INSTANCE_TABS}
      open={tab}
      fields={INSTANCE_FIELDS}
      save={save}
      remove={remove}
      removal="Its relations and the roles on it will also be deleted, and so will access to other instances that depends on them."
    >
      {({ resource }) => {
        if (tab === 'roles') return <InstanceRoles instance={name} canWrite={canWrite} />
        if (tab === 'access') return <WhoMay instance={name} resource={resource} />
        return <InstanceRelations key={name} instance={name} canWrite={canWrite} />
      }}
    </ObjectPage>
  )
}
