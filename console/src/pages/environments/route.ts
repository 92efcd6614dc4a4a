// /console/{project}/{environment}/environments, …/environments/compare and …/environments/copy: what the open environment
// is compared with, or copied to, is in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { type CompareSearch, type CopySearch, copySearchOf } from './environments-search.ts'

export const environmentsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'environments',
  validateSearch: (search): { readonly search?: string } => textIn(search, 'search'),
  staticData: {
    page: {
      label: 'Environments',
      icon: 'layers',
      group: 'operations',
      keywords: ['projects', 'compare', 'diff', 'copy', 'staging', 'production'],
    },
  },
  component: lazyRouteComponent(() => import('./environments-page.tsx'), 'EnvironmentsPage'),
})

export const compareRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'environments/compare',
  validateSearch: (search): CompareSearch => ({ ...textIn(search, 'with'), ...textIn(search, 'at') }),
  component: lazyRouteComponent(() => import('./compare-page.tsx'), 'ComparePage'),
})

export const copyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'environments/copy',
  validateSearch: (search): CopySearch => copySearchOf(search),
  component: lazyRouteComponent(() => import('./copy-page.tsx'), 'CopyPage'),
})
