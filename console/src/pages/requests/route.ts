// /console/{project}/{environment}/requests. The filters, and which request is open, are in the address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseRequestsSearch } from './requests-search.ts'

export const requestsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'requests',
  validateSearch: parseRequestsSearch,
  staticData: {
    page: {
      label: 'Requests',
      icon: 'inbox',
      group: 'directory',
      keywords: ['access requests', 'approve', 'approval', 'deny', 'ask', 'revoke', 'break glass', 'just in time'],
      counts: 'requests',
    },
  },
  component: pageComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
})
