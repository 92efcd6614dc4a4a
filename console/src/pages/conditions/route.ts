// /console/{project}/{environment}/conditions, and …/conditions/{set}. Which part is open, and what is searched, is in
// the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { CONDITION_TABS, type ConditionsSearch } from './conditions-search.ts'

export const conditionsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'conditions',
  validateSearch: (search): ConditionsSearch => {
    const tab = CONDITION_TABS.find(({ id }) => id === search.tab)?.id
    return {
      ...(tab === undefined || tab === 'sets' ? {} : { tab }),
      ...(search.type === 'userset' || search.type === 'resourceset' ? { type: search.type } : {}),
      ...textIn(search, 'search'),
      ...pageIn(search),
    }
  },
  staticData: {
    page: {
      label: 'Conditions',
      icon: 'filter',
      group: 'policy',
      keywords: ['condition sets', 'user sets', 'resource sets', 'set rules', 'attributes', 'abac'],
    },
  },
  component: pageComponent(() => import('./conditions-page.tsx'), 'ConditionsPage'),
})

export const conditionSetRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'conditions/$set',
  component: pageComponent(() => import('./set-page.tsx'), 'SetPage'),
})
