// /console/{project}/{environment}/policy: the matrix; below it the review of the draft.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'
import { policySearchOf } from './policy-search.ts'

export const policyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'policy',
  validateSearch: policySearchOf,
  staticData: {
    opens: 'role',
    page: { label: 'Policy', icon: 'table2', group: 'policy', keywords: ['matrix', 'roles', 'permissions', 'actions'] },
  },
  component: lazyRouteComponent(() => import('./policy-page.tsx'), 'PolicyPage'),
})

export const reviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'policy/review',
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
})
