// /console/{project}/{environment}/decisions. The filters are in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseDecisionsSearch } from './decisions-search.ts'

export const decisionsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'decisions',
  validateSearch: parseDecisionsSearch,
  staticData: {
    page: {
      label: 'Decisions',
      icon: 'scrollText',
      group: 'decisions',
      keywords: ['audit', 'log', 'checks', 'denied'],
    },
  },
  component: pageComponent(() => import('./decisions-page.tsx'), 'DecisionsPage'),
})
