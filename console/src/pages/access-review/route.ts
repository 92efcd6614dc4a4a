// /console/{project}/{environment}/access-review
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'
import { reviewSearchOf } from './review-search.ts'

export const accessReviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'access-review',
  validateSearch: reviewSearchOf,
  staticData: {
    page: {
      label: 'Access review',
      icon: 'shieldCheck',
      group: 'changes',
      keywords: ['who has what', 'audit', 'certification', 'csv', 'export', 'report'],
    },
  },
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
})
