// /console/{project}/{environment}/history, …/history/{revision}, and …/history/{revision}/revert.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'
import { historySearchOf } from './history-search.ts'
import { revertSearchOf } from './revert-search.ts'

export const historyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history',
  validateSearch: historySearchOf,
  staticData: {
    page: { label: 'History', icon: 'history', group: 'changes', keywords: ['revisions', 'who', 'revert', 'log'] },
  },
  component: lazyRouteComponent(() => import('./history-page.tsx'), 'HistoryPage'),
})

export const revisionRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history/$revision',
  component: lazyRouteComponent(() => import('./revision-page.tsx'), 'RevisionPage'),
})

export const revertRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history/$revision/revert',
  validateSearch: revertSearchOf,
  component: lazyRouteComponent(() => import('./revert-page.tsx'), 'RevertPage'),
})
