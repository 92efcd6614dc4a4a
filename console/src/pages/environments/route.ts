// /console/{project}/{environment}/environments, …/environments/compare and …/environments/copy: what the open
// environment is compared with, or copied to, is in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { type CompareSearch, type CopySearch, parseCopySearch } from './environments-search.ts'

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
  component: pageComponent(() => import('./environments-page.tsx'), 'EnvironmentsPage'),
})

export const compareRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'environments/compare',
  validateSearch: (search): CompareSearch => ({ ...textIn(search, 'with'), ...textIn(search, 'at') }),
  component: pageComponent(() => import('./compare-page.tsx'), 'ComparePage'),
})

export const copyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'environments/copy',
  validateSearch: (search): CopySearch => parseCopySearch(search),
  component: pageComponent(() => import('./copy-page.tsx'), 'CopyPage'),
})
