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
        title="This page doesn't exist"
        text="Check the address for typos. It may also belong to another version of the console."
        action={
          <Anchor component={Link} to="/" size="sm">
            Go to the start page
          </Anchor>
        }
      />
    </Page>
  )
}
