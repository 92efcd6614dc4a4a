// What a query has of one object, or that there is no such object, which is no failure.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { EmptyState, QueryState } from './states.tsx'

interface MissingObjectProps<T> {
  readonly query: UseQueryResult<T>
  readonly kind: string
  readonly name: string
  /** where all of its kind are */
  readonly list: { readonly to: string; readonly label: string }
  readonly children: (object: T) => ReactNode
}

export function MissingObject<T>({ query, kind, name, list, children }: MissingObjectProps<T>) {
  const isMissing = query.error instanceof ApiError && query.error.status === 404
  if (!isMissing) return <QueryState query={query}>{children}</QueryState>
  return (
    <EmptyState
      icon="search"
      title={`No ${kind} ${name}`}
      text="It may have been deleted. Check the key for typos."
      action={
        <Anchor component={Link} to={list.to} from="/$project/$environment" size="sm">
          {list.label}
        </Anchor>
      }
    />
  )
}
