// /console/tenant: the one page of who signed in with the key of a tenant, or as its administrator.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { needSession, rootRoute } from '../../routes.ts'

export const ownTenantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'tenant',
  beforeLoad: needSession,
  component: pageComponent(() => import('./own-tenant-page.tsx'), 'OwnTenantPage'),
})
