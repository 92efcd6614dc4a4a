// In the place of groups and rules where no directory has sent anything: how one is connected.
import { useMay } from '../../api/use-session.ts'
import { ButtonLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/states.tsx'

export function NoDirectory() {
  const canManage = useMay('admin')
  return (
    <EmptyState
      icon="users"
      title="No directory connected"
      text={
        <>
          An identity provider such as Okta or Microsoft Entra ID can send users and groups here by SCIM. It needs the
          address <code>{location.origin}/scim/v2</code> and an API key with the scope SCIM.
          {!canManage && ' Ask an administrator for the key.'}
        </>
      }
      action={
        canManage && (
          <ButtonLink
            to="/$project/$environment/keys"
            from="/$project/$environment/sources"
            search={{ new: 'directory' }}
          >
            Create a directory key
          </ButtonLink>
        )
      }
    />
  )
}
