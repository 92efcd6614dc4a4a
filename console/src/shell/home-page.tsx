// The address without an environment: leads to the one that was open last, else to the first that the key reaches.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, read, readIfThere } from '../api/client.ts'
import { nameInAddress, projectsQuery } from '../api/environments.ts'
import { queryClient } from '../api/query-client.ts'
import { signOut } from '../api/session.ts'
import { useSessionState } from '../api/use-session.ts'
import { Page } from '../components/page.tsx'
import { EmptyState, QueryState } from '../components/states.tsx'
import { lastEnvironment } from './last-environment.ts'
import { takeReturnAddress } from './return-address.ts'

export function HomePage() {
  const state = useSessionState()
  if (state.is === 'signed-out') return <Navigate to="/sign-in" replace />
  const isOfTenant = state.is !== 'unknown' && state.session.tenant !== undefined
  return isOfTenant ? <Navigate to="/tenant" replace /> : <Forward />
}

function Forward() {
  const router = useRouter()
  const [back] = useState(takeReturnAddress)
  useEffect(() => {
    if (back !== undefined) router.history.replace(router.history.createHref(back))
  }, [router, back])
  const home = useQuery({ queryKey: ['home'], queryFn: findHome, staleTime: 0, gcTime: 0 })
  if (back !== undefined) return null
  return (
    <Page title="Console">
      <QueryState query={home}>
        {(found) =>
          found === null ? (
            <EmptyState
              icon="layers"
              title="No environments yet"
              text="Create one with the zerohop command or the API, or sign in with a key that has access to one."
              action={
                <Button variant="default" size="xs" onClick={() => void signOut()}>
                  Sign out
                </Button>
              }
            />
          ) : (
            <Navigate to="/$project/$environment" params={{ project: found.p, environment: found.e }} replace />
          )
        }
      </QueryState>
    </Page>
  )
}

/** null: the key reaches no environment. */
async function findHome() {
  const last = lastEnvironment()
  if (last !== undefined) {
    const path = last
    const found = await readIfThere(api.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
    if (found !== undefined) return last
  }
  for (const project of await queryClient.fetchQuery(projectsQuery)) {
    const p = nameInAddress(project)
    const [first] = await read(api.GET('/v2/projects/{p}/envs', { params: { path: { p }, query: { per_page: 1 } } }))
    if (first !== undefined) return { p, e: nameInAddress(first) }
  }
  return null
}
