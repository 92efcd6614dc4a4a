// /console/{project}/{environment}/why. The question is in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'
import { searchOf } from './question.ts'

export const whyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'why',
  validateSearch: searchOf,
  staticData: {
    page: {
      label: 'Why',
      icon: 'searchCheck',
      group: 'decisions',
      keywords: ['check', 'explain', 'allowed', 'denied'],
    },
  },
  component: lazyRouteComponent(() => import('./why-page.tsx'), 'WhyPage'),
})
