// An address that is no page.
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Page } from './page.tsx'
import { EmptyState } from './states.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon="search"
        title="There is no page at this address"
        text="It may have been typed wrong, or it belongs to a version of the console that is not this one."
        action={
          <Anchor component={Link} to="/" size="sm">
            Go to the first page
          </Anchor>
        }
      />
    </Page>
  )
}
