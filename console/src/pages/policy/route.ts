// /console/{project}/{environment}/policy: the matrix; below it the review of the draft.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parsePolicySearch } from './policy-search.ts'

export const policyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'policy',
  validateSearch: parsePolicySearch,
  staticData: {
    opens: 'role',
    page: { label: 'Policy', icon: 'table2', group: 'policy', keywords: ['matrix', 'roles', 'permissions', 'actions'] },
  },
  component: pageComponent(() => import('./policy-page.tsx'), 'PolicyPage'),
})

export const reviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'policy/review',
  component: pageComponent(() => import('./review-page.tsx'), 'ReviewPage'),
})
