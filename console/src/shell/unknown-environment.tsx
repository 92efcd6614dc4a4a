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
    <Page title={isUnknown ? 'Environment not found' : 'Something went wrong'}>
      {isUnknown ? (
        <EmptyState
          icon="layers"
          title={`${p} / ${e} not found`}
          text="It may have been deleted, or you don't have access to it. Check the name for typos."
          action={
            <Anchor component={Link} to="/" size="sm">
              Open another environment
            </Anchor>
          }
        />
      ) : (
        <ErrorState error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}
