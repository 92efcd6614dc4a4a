// /console/sign-in. `to` is the address that needed a session: signing in leads back there.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../routes.ts'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { readonly to?: string } =>
    typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {},
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
})
