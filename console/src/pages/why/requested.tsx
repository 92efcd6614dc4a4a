// By which access request it is allowed: who asked, for how long, and who approved it.
import { useEnvironmentPath } from '../../api/environments.ts'
import { TextLink } from '../../components/links.tsx'
import { AskedTime } from '../../components/request-dialogs.tsx'
import type { Explanation } from './explanation-query.ts'

export function Requested({ answer: { requests = [] } }: { readonly answer: Explanation }) {
  const { p, e } = useEnvironmentPath()
  return requests.map(({ id, role, user, duration, until, auto, approved_by }) => (
    <p key={id}>
      Allowed as {role},{' '}
      <TextLink
        to="/$project/$environment/requests"
        params={{ project: p, environment: e }}
        search={{ state: 'approved', request: id }}
      >
        requested by {user}
      </TextLink>{' '}
      <AskedTime duration={duration} until={until} />, {auto ? 'given at once' : `approved by ${approved_by}`}
    </p>
  ))
}
