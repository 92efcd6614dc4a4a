// One list of the routes of members for a component: loads it when it is shown, and again after each change.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { MembersPage } from '../../model/members.ts'
import { ListLoader, type Loaded, NOT_LOADED, send } from './list-loader.ts'
import type { MembersError } from './members-error.ts'

export interface Paged {
  /** where the routes are mounted; default `/authz` */
  readonly url?: string | undefined
  /** from 1 */
  readonly page?: number | undefined
  readonly perPage?: number | undefined
}

/** A list, as far as it is known. */
export interface UsedList<T> {
  /** undefined before the first answer; the last one stays while the next is loading, and after a failure */
  readonly data: readonly T[] | undefined
  /** on all pages */
  readonly total: number | undefined
  /** whether the user may change what is listed; undefined before the first answer */
  readonly mayManage: boolean | undefined
  readonly isLoading: boolean
  /** why the last attempt to load failed */
  readonly error: MembersError | undefined
  /** loads again; never rejects */
  readonly refresh: () => Promise<void>
}

/** Sends a change, and loads again. @throws MembersError */
export type Change = (method: string, path: string, body?: object) => Promise<void>

/** A list of the routes, and what changes it: a change is followed by a load, and rejects when it was refused. */
export function useList<T>(
  path: string,
  { url = '/authz', page, perPage }: Paged,
  filters: Readonly<Record<string, string | undefined>>,
): [UsedList<T>, Change] {
  const address = `${url}/${path}${formatQuery({ ...filters, page, per_page: perPage })}`
  const [{ answer, error, isLoading }, setLoaded] = useState<Loaded<MembersPage<T>>>(NOT_LOADED)
  const loader = useRef<ListLoader<MembersPage<T>>>(undefined)
  useEffect(() => {
    const own = new ListLoader<MembersPage<T>>(address, setLoaded)
    loader.current = own
    void own.load()
    return () => own.end()
  }, [address])
  const refresh = useCallback(async () => loader.current?.load(), [])
  const change = useCallback<Change>(
    async (method, at, body) => {
      await send(method, `${url}/${at}`, body === undefined ? {} : { body })
      await refresh()
    },
    [url, refresh],
  )
  const list = useMemo<UsedList<T>>(
    () => ({
      data: answer?.data,
      total: answer?.total_count,
      mayManage: answer?.may_manage,
      isLoading,
      error,
      refresh,
    }),
    [answer, isLoading, error, refresh],
  )
  return [list, change]
}

/** The query of an address, with what has a value; `null` has none. */
export function formatQuery(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
