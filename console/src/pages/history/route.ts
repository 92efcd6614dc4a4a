// /console/{project}/{environment}/history, …/history/{revision}, and …/history/{revision}/revert.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { environmentRoute } from '../../routes.ts'
import { parseHistorySearch } from './history-search.ts'
import { parseRevertSearch } from './revert-search.ts'

export const historyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history',
  validateSearch: parseHistorySearch,
  staticData: {
    page: { label: 'History', icon: 'history', group: 'changes', keywords: ['revisions', 'who', 'revert', 'log'] },
  },
  component: pageComponent(() => import('./history-page.tsx'), 'HistoryPage'),
})

export const revisionRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history/$revision',
  component: pageComponent(() => import('./revision-page.tsx'), 'RevisionPage'),
})

export const revertRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'history/$revision/revert',
  validateSearch: parseRevertSearch,
  component: pageComponent(() => import('./revert-page.tsx'), 'RevertPage'),
})
