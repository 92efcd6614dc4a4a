// /console/{project}/{environment}/sources: who else writes facts: a directory with rules for its groups, and syncs.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'
import { SOURCE_TABS, type SourcesSearch } from './sources-search.ts'

export const sourcesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'sources',
  validateSearch: (search): SourcesSearch => {
    const tab = SOURCE_TABS.find(({ id }) => id === search.tab)?.id
    return { ...(tab === undefined ? {} : { tab }), ...textIn(search, 'search'), ...pageIn(search) }
  },
  staticData: {
    page: {
      label: 'Sources',
      icon: 'plug',
      group: 'directory',
      keywords: ['group rules', 'groups', 'SCIM', 'directory', 'identity provider', 'Okta', 'Entra', 'sync', 'claims'],
    },
  },
  component: pageComponent(() => import('./sources-page.tsx'), 'SourcesPage'),
})
