// Who has a role: a user, by a link, or everyone (D16).
import { useEnvironmentPath } from '../api/environments.ts'
import { EVERYBODY, EVERYBODY_WARNING } from './holder-words.ts'
import { TextLink } from './links.tsx'

export function Holder({ user }: { readonly user: string }) {
  const { p, e } = useEnvironmentPath()
  if (user === EVERYBODY) return <strong title={EVERYBODY_WARNING}>Everyone</strong>
  return (
    <TextLink to="/$project/$environment/users/$user" params={{ project: p, environment: e, user }}>
      {user}
    </TextLink>
  )
}
