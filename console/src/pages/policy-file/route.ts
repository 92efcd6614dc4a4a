// /console/{project}/{environment}/policy-file.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
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
  component: pageComponent(() => import('./policy-file-page.tsx'), 'PolicyFilePage'),
})
