// /console/{project}/{environment}/tenants, and …/tenants/{tenant}. What is searched and which part is open is in the
// address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { TENANT_TABS, type TenantSearch, type TenantsSearch } from './tenants-search.ts'

export const tenantsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'tenants',
  validateSearch: (search): TenantsSearch => ({ ...textIn(search, 'search'), ...pageIn(search) }),
  staticData: {
    page: { label: 'Tenants', icon: 'building2', group: 'directory', keywords: ['customers', 'organizations'] },
  },
  component: pageComponent(() => import('./tenants-page.tsx'), 'TenantsPage'),
})

export const tenantRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'tenants/$tenant',
  validateSearch: (search): TenantSearch => {
    const tab = TENANT_TABS.find(({ id }) => id === search.tab)?.id
    return {
      ...(tab === undefined ? {} : { tab }),
      ...textIn(search, 'search'),
      ...textIn(search, 'role'),
      ...pageIn(search),
    }
  },
  staticData: { opens: 'tenant' },
  component: pageComponent(() => import('./tenant-page.tsx'), 'TenantPage'),
})
