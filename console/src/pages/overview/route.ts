// /console/{project}/{environment}/overview, the first page of an environment
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'

export const overviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'overview',
  staticData: {
    page: { label: 'Overview', icon: 'layoutDashboard', group: 'overview', keywords: ['start', 'home', 'status'] },
  },
  component: pageComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
})
