// What a page shows while it has nothing to show: loading, failed, empty. Each says what comes next.
import { Button, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { describeError } from '../api/api-error.ts'
import { Icon, type IconName } from './icon.tsx'
import classes from './states.module.css'

/** Rows in the place of a list that is not there yet. They appear after a moment: most answers are faster. */
export function LoadingState({ rows = 6, label = 'Loading' }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div role="status" aria-label={label} className={classes.loading}>
      {Array.from({ length: rows }, (_, row) => `${90 - ((row * 17) % 40)}%`).map((width) => (
        <Skeleton key={width} height={14} width={width} mb={10} />
      ))}
    </div>
  )
}

interface ErrorStateProps {
  readonly error: unknown
  /** title of what the server does not accept */
  readonly refused?: string
  readonly onRetry?: () => void
}

/** Why something could not be read or done, and a button where asking again can help. */
export function ErrorState({ error, refused, onRetry }: ErrorStateProps) {
  const { title, text, canRetry, id } = describeError(error, refused)
  return (
    <div role="alert" className={classes.state}>
      <Icon name="circleAlert" size={20} />
      <h2>{title}</h2>
      <Text size="sm" c="dimmed" className={classes.text}>
        {text}
      </Text>
      {id !== undefined && (
        <Text size="xs" c="dimmed" ff="monospace" className={classes.text}>
          Request {id}
        </Text>
      )}
      {canRetry && onRetry !== undefined && (
        <Button variant="default" size="xs" mt={8} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface EmptyStateProps {
  readonly icon?: IconName
  readonly title: string
  /** what would be here, and how it comes to be */
  readonly text: ReactNode
  /** the button that makes the first one */
  readonly action?: ReactNode
}

export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <div className={classes.state}>
      {icon !== undefined && <Icon name={icon} size={20} />}
      <h2>{title}</h2>
      <Text size="sm" c="dimmed" className={classes.text}>
        {text}
      </Text>
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  )
}

interface Query<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly refetch: () => unknown
}

interface QueryStateProps<T> {
  readonly query: Query<T>
  /** in the place of the default rows */
  readonly loading?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** What a query has, or why it has nothing. Data that is there stays while it cannot be read anew. */
export function QueryState<T>({ query, loading, children }: QueryStateProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isPending) return <>{loading ?? <LoadingState />}</>
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
}
