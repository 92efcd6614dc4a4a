// What the page of keys reads and writes. A secret is only in what a write answers, and never in what is kept.
import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'

export type NewKey = components['schemas']['ApiKeyCreate']

const createKey = (body: NewKey) => read(api.POST('/v2/api-key', { body }))
const rotateKey = ({ key, keep_old_seconds }: { readonly key: string; readonly keep_old_seconds: number }) =>
  read(api.POST('/v2/api-key/{key}/rotate-secret', { params: { path: { key } }, body: { keep_old_seconds } }))

export type ApiKey = Awaited<ReturnType<typeof createKey>>

/** Of all places that the session reaches, as the API lists them. */
export const keysQuery = (page: number) =>
  queryOptions({
    queryKey: ['keys', page],
    queryFn: ({ signal }) => {
      const query = { page, per_page: PAGE_ROWS }
      return read(api.GET('/v2/api-key', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
  })

/** The id of the key that is signed in. */
export const ownKeyQuery = queryOptions({
  queryKey: ['own key'],
  queryFn: async ({ signal }) => {
    const answer = await api.GET('/v2/api-key/scope', { signal })
    await read(Promise.resolve(answer))
    return answer.response.headers.get('x-api-key-id')
  },
})

/** Makes a key, or gives one another secret. */
export function useKeyWrite(onDone: (key: ApiKey) => void) {
  const create = useMutation({ mutationFn: createKey, onSuccess: onDone, gcTime: 0 })
  const rotate = useMutation({ mutationFn: rotateKey, onSuccess: onDone, gcTime: 0 })
  return { create, rotate }
}
