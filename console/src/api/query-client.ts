// What is read is kept for a while and shared between pages; whatever is written makes all of it stale, because roles,
// users and decisions depend on each other. A read is tried again when the server did not answer, a write never.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isUnreachable } from './api-error.ts'
import { serverIsAway } from './connection.ts'

/** A page that is opened again within this time shows what it showed. */
const FRESH_MS = 10_000
const RETRIES_MAX = 2

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteError }),
  mutationCache: new MutationCache({
    onError(error) {
      noteError(error)
      // it was made for what is not there any more
      if (error instanceof ApiError && error.status === 412) void queryClient.invalidateQueries()
    },
    onSuccess: (_data, _variables, _result, mutation) => {
      if (mutation.meta?.isRead !== true) void queryClient.invalidateQueries()
    },
  }),
  defaultOptions: {
    queries: { staleTime: FRESH_MS, networkMode: 'always', retry: mayHelp },
    mutations: { networkMode: 'always', retry: false },
  },
})

function mayHelp(failures: number, error: unknown): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && (error.status === 503 || error.status === 429)
}

function noteError(error: unknown): void {
  if (isUnreachable(error)) serverIsAway(() => void queryClient.invalidateQueries())
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** it asks a question by POST, and changes nothing */
      readonly isRead?: boolean
    }
  }
}
