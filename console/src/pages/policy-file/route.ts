// /console/{project}/{environment}/policy-file.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { environmentRoute } from '../../routes.ts'

export const policyFileRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'policy-file',
  staticData: {
    page: {
      label: 'Policy file',
      icon: 'fileText',
      group: 'operations',
      keywords: ['export', 'import', 'upload', 'download', 'yaml', 'json', 'apply'],
    },
  },
  component: lazyRouteComponent(() => import('./policy-file-page.tsx'), 'PolicyFilePage'),
})
