// /console/{project}/{environment}/keys: the API keys that the session reaches, and the PDPs.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn } from '../../components/search-params.ts'
import { environmentRoute } from '../../routes.ts'

export const keysRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'keys',
  validateSearch: (search): { readonly page?: number; readonly new?: 'directory' } => ({
    ...pageIn(search),
    ...(search.new === 'directory' ? { new: 'directory' } : {}),
  }),
  staticData: {
    page: {
      label: 'Keys & PDPs',
      icon: 'keyRound',
      group: 'operations',
      keywords: ['API keys', 'secrets', 'rotate', 'revoke', 'docker', 'lag', 'stale'],
    },
  },
  component: pageComponent(() => import('./keys-page.tsx'), 'KeysPage'),
})
