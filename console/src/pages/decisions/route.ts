// /console/{project}/{environment}/decisions. The filters are in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'
import { decisionsSearchOf } from './decisions-search.ts'

export const decisionsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'decisions',
  validateSearch: decisionsSearchOf,
  staticData: {
    page: {
      label: 'Decisions',
      icon: 'scrollText',
      group: 'decisions',
      keywords: ['audit', 'log', 'checks', 'denied'],
    },
  },
  component: lazyRouteComponent(() => import('./decisions-page.tsx'), 'DecisionsPage'),
})
