// /console/{project}/{environment}/why. The question is in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseSearch } from './question.ts'

export const whyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'why',
  validateSearch: parseSearch,
  staticData: {
    page: {
      label: 'Why',
      icon: 'searchCheck',
      group: 'decisions',
      keywords: ['check', 'explain', 'allowed', 'denied'],
    },
  },
  component: pageComponent(() => import('./why-page.tsx'), 'WhyPage'),
})
