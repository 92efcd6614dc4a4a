// In the place of a page that threw, or that could not be loaded.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Page } from './page.tsx'
import { ErrorState } from './states.tsx'

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page title="Something went wrong">
      <ErrorState error={error} onRetry={again} />
    </Page>
  )
}
