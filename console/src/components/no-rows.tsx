// In the place of a list in which nothing is like what was searched, or of a page behind its end.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from './states.tsx'

interface NoRowsProps {
  /** what is listed, in the singular */
  readonly kind: string
  readonly isBeyond: boolean
  /** what the search looks at */
  readonly found: string
  /** what stays in the address when everything is shown */
  readonly keep?: Readonly<Record<string, string>>
}

export function NoRows({ kind, isBeyond, found, keep = {} }: NoRowsProps) {
  const text = isBeyond
    ? 'This page no longer exists: the list got shorter.'
    : `Search matches ${found}, ignoring case.`
  return (
    <EmptyState
      icon="search"
      title={`No matching ${kind}s`}
      text={text}
      action={
        <Anchor component={Link} to="." search={keep as never} size="sm">
          Show all {kind}s
        </Anchor>
      }
    />
  )
}
