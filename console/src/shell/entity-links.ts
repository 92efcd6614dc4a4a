// Where the command palette opens a user, a tenant, a role or a resource: on the page whose route says so.
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { EnvironmentPath } from '../api/environments.ts'
import type { EntityKind } from '../page-entry.ts'

/** The address, as the router takes it; undefined while no page shows such a thing. */
export function useOpenEntity({ p, e }: EnvironmentPath) {
  const router = useRouter()
  const navigate = useNavigate()
  return (kind: EntityKind): ((key: string) => void) | undefined => {
    const route = Object.values(router.routesById).find(({ options }) => options.staticData?.opens === kind)
    if (route === undefined) return undefined
    const to: string = route.fullPath
    const isInPath = to.includes(`$${kind}`)
    return (key) => {
      const params = { project: p, environment: e, ...(isInPath ? { [kind]: key } : {}) }
      void navigate({ to, params, search: isInPath ? {} : { [kind]: key } } as never)
    }
  }
}
