// The routes of each kind of object of an environment. A kind that is not here does not compile; `null` says that no
// client asks for its objects by routes of their own.
import type { FastifyInstance } from 'fastify'
import type { EnvironmentKind } from '../../../kinds/index.ts'
import type { RouteContext } from '../route-context.ts'
import { accessRequestRoutes } from './access-requests.ts'
import { actionGroupRoutes } from './action-groups.ts'
import { bulkRoutes } from './bulk.ts'
import { conditionSetRoutes } from './condition-sets.ts'
import { groupRuleRoutes } from './group-rules.ts'
import { groupRoutes } from './groups.ts'
import { instanceRoutes } from './instances.ts'
import { inviteRoutes } from './invites.ts'
import { proxyConfigRoutes } from './proxy-configs.ts'
import { relationRoutes } from './relations.ts'
import { resourceRoleRoutes } from './resource-roles.ts'
import { resourceRoutes } from './resources.ts'
import { assignmentRoutes } from './role-assignments.ts'
import { roleRoutes } from './roles.ts'
import { setRuleRoutes } from './set-rules.ts'
import { tenantRoutes } from './tenants.ts'
import { tupleRoutes } from './tuples.ts'
import { userRoutes } from './users.ts'

type Routes = (app: FastifyInstance, management: RouteContext) => void

/** In the order of the OpenAPI document. */
export const ROUTES: { readonly [K in EnvironmentKind | 'bulk']: Routes | null } = {
  role: roleRoutes,
  resource: resourceRoutes,
  resource_role: resourceRoleRoutes,
  relation: relationRoutes,
  action_group: actionGroupRoutes,
  condition_set: conditionSetRoutes,
  group: groupRoutes,
  user: userRoutes,
  /* canary: routes-of-plain-kind */ tenant: tenantRoutes,
  role_assignment: assignmentRoutes,
  resource_instance: instanceRoutes,
  relationship_tuple: tupleRoutes,
  set_rule: setRuleRoutes,
  /** objects of several kinds */
  bulk: bulkRoutes,
  user_invite: inviteRoutes,
  access_request: accessRequestRoutes,
  proxy_config: proxyConfigRoutes,
  /** the routes of tenants put users into them */
  membership: null,
  /** the routes of resource types declare attributes of users and of tenants */
  built_in: null,
  /** the routes of tenants make their own roles */
  tenant_role: null,
  applied_object: null,
  /** with plans: they need the thread that makes them */
  proposal: null,
  sync: null,
  /** SCIM, which names no environment (src/http/management/scim) */
  directory_user: null,
  directory_group: null,
  directory_member: null,
  group_rule: groupRuleRoutes,
}
