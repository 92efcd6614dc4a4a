// /console/{project}/{environment}/resources, as a list or as a graph, and …/resources/{resource}. What is searched and
// which part is open is in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { LIST_TABS, RESOURCE_TABS, type ResourceSearch, type ResourcesSearch } from './resources-search.ts'

export const resourcesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'resources',
  validateSearch: (search): ResourcesSearch => {
    const tab = LIST_TABS.find(({ id }) => id === search.tab)?.id
    return {
      ...(tab === undefined ? {} : { tab }),
      ...textIn(search, 'search'),
      ...textIn(search, 'around'),
      ...pageIn(search),
    }
  },
  staticData: {
    page: {
      label: 'Resources',
      icon: 'shapes',
      group: 'policy',
      keywords: ['types', 'actions', 'attributes', 'resource roles', 'relations', 'graph'],
    },
  },
  component: pageComponent(() => import('./resources-page.tsx'), 'ResourcesPage'),
})

export const resourceRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'resources/$resource',
  validateSearch: (search): ResourceSearch => {
    const tab = RESOURCE_TABS.find(({ id }) => id === search.tab)?.id
    return tab === undefined ? {} : { tab }
  },
  staticData: { opens: 'resource' },
  component: pageComponent(() => import('./resource-page.tsx'), 'ResourcePage'),
})
