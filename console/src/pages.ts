// Every page below an environment. To add one: a folder in pages/ with its route, and its line here. Within its group
// the navigation shows pages in this order.
import { accessReviewRoute } from './pages/access-review/route.ts'
import { conditionSetRoute, conditionsRoute } from './pages/conditions/route.ts'
import { decisionsRoute } from './pages/decisions/route.ts'
import { endingRoute } from './pages/ending/route.ts'
import { compareRoute, copyRoute, environmentsRoute } from './pages/environments/route.ts'
import { historyRoute, revertRoute, revisionRoute } from './pages/history/route.ts'
import { instanceRoute, instancesRoute } from './pages/instances/route.ts'
import { keysRoute } from './pages/keys/route.ts'
import { overviewRoute } from './pages/overview/route.ts'
import { policyRoute, reviewRoute } from './pages/policy/route.ts'
import { policyFileRoute } from './pages/policy-file/route.ts'
import { requestsRoute } from './pages/requests/route.ts'
import { resourceRoute, resourcesRoute } from './pages/resources/route.ts'
import { sourcesRoute } from './pages/sources/route.ts'
import { tenantRoute, tenantsRoute } from './pages/tenants/route.ts'
import { userRoute, usersRoute } from './pages/users/route.ts'
import { whyRoute } from './pages/why/route.ts'
import { environmentIndexRoute, environmentRoute } from './routes.ts'

export const environmentPages = environmentRoute.addChildren([
  environmentIndexRoute,
  overviewRoute,
  policyRoute,
  reviewRoute,
  resourcesRoute,
  resourceRoute,
  conditionsRoute,
  conditionSetRoute,
  usersRoute,
  userRoute,
  tenantsRoute,
  tenantRoute,
  instancesRoute,
  instanceRoute,
  endingRoute,
  requestsRoute,
  sourcesRoute,
  whyRoute,
  decisionsRoute,
  historyRoute,
  revisionRoute,
  revertRoute,
  accessReviewRoute,
  environmentsRoute,
  compareRoute,
  copyRoute,
  keysRoute,
  policyFileRoute,
])
