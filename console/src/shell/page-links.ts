// The pages of the navigation with their addresses, from what their routes say. A page that the key cannot use is left
// out; opened by its address it says so itself.
import { useParams, useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { reaches } from '../api/session.ts'
import { useSession } from '../api/use-session.ts'
import { PAGE_GROUPS, type PageEntry } from '../page-entry.ts'

export interface PageLink extends PageEntry {
  readonly to: string
  /** its address in any environment, with parameters */
  readonly route: string
}

/** In the order of the navigation. */
export function usePageLinks(): readonly PageLink[] {
  const router = useRouter()
  const { project = '', environment = '' } = useParams({ strict: false })
  const { access_level: own } = useSession().access
  return useMemo(() => {
    const links = Object.values(router.routesById).flatMap(({ fullPath, options }): PageLink[] => {
      const page: PageEntry | undefined = options.staticData?.page
      if (page === undefined || !reaches(own, page.access ?? 'read')) return []
      const to = fullPath.replace('$project', project).replace('$environment', environment)
      return [{ ...page, to, route: fullPath }]
    })
    return links.sort((a, b) => PAGE_GROUPS.indexOf(a.group) - PAGE_GROUPS.indexOf(b.group))
  }, [router, project, environment, own])
}
