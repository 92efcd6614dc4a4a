// In the place of a page whose environment does not exist, or is not one of those that the key reaches.
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { useEnvironmentPath } from '../api/environments.ts'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState } from '../components/states.tsx'

export function UnknownEnvironment({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { p, e } = useEnvironmentPath()
  const isUnknown = error instanceof ApiError && error.status === 404
  return (
    <Page title={isUnknown ? 'No such environment' : 'Something went wrong'}>
      {isUnknown ? (
        <EmptyState
          icon="layers"
          title={`${p} / ${e} is not there`}
          text="It was deleted, its name was typed wrong, or you may not reach it."
          action={
            <Anchor component={Link} to="/" size="sm">
              Go to an environment that is
            </Anchor>
          }
        />
      ) : (
        <ErrorState error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}
