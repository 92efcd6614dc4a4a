// /console/{project}/{environment}/instances, and …/instances/{type:key}. What is searched and which part is open is in
// the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { INSTANCE_TABS, type InstanceSearch, type InstancesSearch } from './instances-search.ts'

export const instancesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'instances',
  validateSearch: (search): InstancesSearch => ({
    ...textIn(search, 'search'),
    ...textIn(search, 'resource'),
    ...textIn(search, 'tenant'),
    ...pageIn(search),
  }),
  staticData: {
    page: { label: 'Instances', icon: 'listTree', group: 'directory', keywords: ['resources', 'objects', 'relations'] },
  },
  component: pageComponent(() => import('./instances-page.tsx'), 'InstancesPage'),
})

export const instanceRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'instances/$instance',
  validateSearch: (search): InstanceSearch => {
    const tab = INSTANCE_TABS.find(({ id }) => id === search.tab)?.id
    return { ...(tab === undefined ? {} : { tab }), ...textIn(search, 'action'), ...pageIn(search) }
  },
  component: pageComponent(() => import('./instance-page.tsx'), 'InstancePage'),
})
