// The router: all routes, and what holds for each of them.
import { createRouter } from '@tanstack/react-router'
import { PageFailure } from './components/page-failure.tsx'
import { PagePending } from './components/page-pending.tsx'
import { ownTenantRoute } from './pages/own-tenant/route.ts'
import { signInRoute } from './pages/sign-in/route.ts'
import { environmentPages } from './pages.ts'
import { homeRoute, rootRoute } from './routes.ts'

/** A page that is there within this time shows no placeholder first. */
const PENDING_MS = 200

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, signInRoute, ownTenantRoute, environmentPages]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: PENDING_MS,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
