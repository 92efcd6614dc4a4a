// One tenant: who belongs to it, with which roles, and the stored fields.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { counted } from 'zerohop/change-words'
import { deletedText } from '../../api/claims.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Edit, Precondition } from '../../api/precondition.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { Icon } from '../../components/icon.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { ObjectPage } from '../../components/object-page.tsx'
import { Sources } from '../../components/sources.tsx'
import { TenantRoles } from './roles/tenant-roles.tsx'
import { TENANT_FIELDS } from './tenant-fields.ts'
import { TenantMembers } from './tenant-members.tsx'
import classes from './tenant-page.module.css'
import { tenantContentsQuery, tenantQuery } from './tenant-queries.ts'
import { TENANT_TABS } from './tenants-search.ts'

const FROM = '/$project/$environment/tenants/$tenant'
const LIST = '/$project/$environment/tenants'

export function TenantPage() {
  const path = useEnvironmentPath()
  const { tenant: key } = useParams({ from: FROM })
  const { tab = 'members' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const tenant = useQuery(tenantQuery(path, key))
  const canWrite = useMay('write', 'facts')
  const save = useWrite({
    send: ({ body, headers }: Edit) =>
      api.PATCH('/v2/facts/{p}/{e}/tenants/{ref}', { params: { path: { ...path, ref: key } }, body, headers }),
    done: () => `Tenant ${key} saved`,
  })
  const remove = useWrite({
    send: ({ headers }: Precondition) =>
      api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}', { params: { path: { ...path, ref: key } }, headers }),
    done: () => deletedText(`Tenant ${key}`, tenant.data?.claims),
    onDone: () => void navigate({ to: LIST, replace: true }),
  })
  const name = tenant.data?.name === key ? undefined : tenant.data?.name

  const instances = (
    <ButtonLink
      to="/$project/$environment/instances"
      from={FROM}
      search={{ tenant: key }}
      leftSection={<Icon name="listTree" size={14} />}
    >
      Instances
    </ButtonLink>
  )
  return (
    <ObjectPage
      name={key}
      kind="tenant"
      list={{ to: LIST, label: 'Tenants' }}
      query={tenant}
      description={
        <>
          {[name, tenant.data?.description].filter(Boolean).join(' · ')}
          <Sources claims={tenant.data?.claims} />
        </>
      }
      actions={instances}
      tabs={TENANT_TABS}
      open={tab}
      fields={TENANT_FIELDS}
      save={save}
      remove={remove}
      removal={<TenantContents tenant={key} />}
    >
      {() =>
        tab === 'roles' ? (
          <>
            <p className={classes.about}>
              Roles that only this tenant has. Its administrators make them out of permissions and roles that you offer
              to tenants.
            </p>
            <TenantRoles
              path={{ ...path, ref: key }}
              canWrite={canWrite}
              nothingOffered="No permissions are offered to tenants yet. Choose Can be granted by tenants for actions in Resources, or Can be extended by tenants for roles in Policy."
            />
          </>
        ) : (
          <TenantMembers tenant={key} />
        )
      }
    </ObjectPage>
  )
}

/** What goes along when the tenant is deleted. */
function TenantContents({ tenant }: { readonly tenant: string }) {
  const contents = useQuery(tenantContentsQuery(useEnvironmentPath(), tenant))
  if (contents.data === undefined) return 'Counting what will be deleted… The users themselves are kept.'
  const { members, instances } = contents.data
  return `${counted(members, 'member')} will lose all roles here, and ${counted(instances, 'resource instance')} will be deleted with all relations. The users themselves are kept.`
}
