// /console/{project}/{environment}/access-review
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseReviewSearch } from './review-search.ts'

export const accessReviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'access-review',
  validateSearch: parseReviewSearch,
  staticData: {
    page: {
      label: 'Access review',
      icon: 'shieldCheck',
      group: 'changes',
      keywords: ['who has access', 'audit', 'certification', 'csv', 'export', 'report'],
    },
  },
  component: pageComponent(() => import('./review-page.tsx'), 'ReviewPage'),
})
