// /console/{project}/{environment}/time-limited. The filters are in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseEndingSearch } from './ending-search.ts'

export const endingRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'time-limited',
  validateSearch: parseEndingSearch,
  staticData: {
    page: {
      label: 'Time-limited access',
      icon: 'clock',
      group: 'directory',
      keywords: ['ends', 'ending', 'expires', 'expiring', 'scheduled', 'temporary', 'ticket'],
    },
  },
  component: pageComponent(() => import('./ending-page.tsx'), 'EndingPage'),
})
