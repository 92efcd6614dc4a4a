// One instance: what it is related to, who has roles on it, who may do what with it, and the stored fields.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { DetailsForm } from '../../components/details-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { MissingObject } from '../../components/missing-object.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
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
  const [isDeleting, setDeleting] = useState(false)
  const instance = useQuery(instanceQuery(path, name))
  const params = { path: { ...path, ref: name } }
  const save = useWrite({
    send: (body: Readonly<Record<string, unknown>>) =>
      api.PATCH('/v2/facts/{p}/{e}/resource_instances/{ref}', { params, body }),
    done: () => `${name} saved`,
  })
  const remove = useWrite({
    send: () => api.DELETE('/v2/facts/{p}/{e}/resource_instances/{ref}', { params }),
    done: () => `${name} deleted`,
    onDone: () => void navigate({ to: LIST, replace: true }),
  })

  return (
    <Page
      key={name}
      title={name}
      help="Instances"
      parent={
        <Anchor component={Link} to={LIST} from={FROM} size="sm">
          Instances
        </Anchor>
      }
      description={instance.data && `In tenant ${instance.data.tenant}`}
      actions={
        canWrite &&
        instance.data !== undefined && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
      isWide
    >
      <MissingObject query={instance} kind="instance" name={name} list={{ to: LIST, label: 'All instances' }}>
        {(found) => (
          <>
            <Tabs label={`About ${name}`} tabs={INSTANCE_TABS} open={tab} />
            {tab === 'relations' && <InstanceRelations key={name} instance={name} canWrite={canWrite} />}
            {tab === 'roles' && <InstanceRoles instance={name} canWrite={canWrite} />}
            {tab === 'access' && <WhoMay instance={name} resource={found.resource} />}
            {tab === 'details' && (
              <DetailsForm
                key={name}
                fields={INSTANCE_FIELDS}
                stored={found}
                readAgain={async () => (await instance.refetch()).data?.updated_at}
                write={save}
                canWrite={canWrite}
              />
            )}
          </>
        )}
      </MissingObject>
      {isDeleting && (
        <Dialog
          title={`Delete ${name}?`}
          action="Delete instance"
          isDanger
          isBusy={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.mutate(undefined)}
          onClose={() => setDeleting(false)}
        >
          <p>Its relations and the roles on it go with it. What followed from them on other instances ends.</p>
        </Dialog>
      )}
    </Page>
  )
}
