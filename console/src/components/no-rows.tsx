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
    ? 'The list has become shorter: there is no such page.'
    : `The search looks for ${found}, in any letter case.`
  return (
    <EmptyState
      icon="search"
      title={`No ${kind} is like this`}
      text={text}
      action={
        <Anchor component={Link} to="." search={keep as never} size="sm">
          Show all {kind}s
        </Anchor>
      }
    />
  )
}
