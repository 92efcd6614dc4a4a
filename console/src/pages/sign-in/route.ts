// /console/sign-in. `to` is the address that needed a session: signing in leads back there. `error` is
// the code with which signing in at the identity provider failed.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { rootRoute } from '../../routes.ts'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: ({ to, error }: Record<string, unknown>): { readonly to?: string; readonly error?: string } => ({
    ...(typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {}),
    ...(typeof error === 'string' ? { error } : {}),
  }),
  component: pageComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
})
