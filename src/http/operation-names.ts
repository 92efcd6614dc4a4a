// The names of operations in the OpenAPI document: the tag and the summary of each. The rule is for plain resources; all
// others are listed.

export const TAGS: Readonly<Record<string, string>> = {
  server: 'The process itself: health, metrics and this reference.',
  'API keys': 'Keys of organizations, projects and environments.',
  PDPs: 'PDPs that follow, their configuration, and the decisions that they recorded.',
  organizations: 'The owner of projects.',
  projects: 'Projects of an organization.',
  environments: 'Environments of a project. Each has its own policy and facts.',
  roles: 'Roles in tenants, and roles on instances of a resource type.',
  bulk: 'Many objects in one write, all or nothing.',
  resources: 'Resource types with their actions, attributes, relations, roles and action groups.',
  users: 'Users, and the attributes that users can have.',
  condition_sets: 'Users or resources that match conditions.',
  groups: 'Groups of users, which have roles and members.',
  tenants: 'Tenants, and the users in them.',
  role_assignments: 'Roles of users, in a tenant or on an instance.',
  resource_instances: 'Instances of resource types.',
  relationship_tuples: 'Relations between instances.',
  set_rules: 'What users of a user set can do with resources of a resource set.',
  user_invites: 'Users who are invited but do not exist yet.',
  proxy_configs: 'Services to which the PDP forwards requests, with their secrets.',
  history: 'What was done through this API, and by whom.',
  activity: 'The history in words.',
  auth: 'Logging users in to embedded elements.',
  feed: 'The images and changes that PDPs follow.',
  v1: 'The first API version. Deprecated: see /docs/migration.',
}

/** What the route is about: the first fixed part of its path that names a collection. */
export function formatTag(url: string): string {
  const fixed = url.split('/').filter((part) => part !== '' && part !== 'v2' && !part.startsWith(':'))
  const [area = '', ...rest] = fixed
  if (['health', 'ready', 'metrics', 'docs', 'openapi.json'].includes(area)) return 'server'
  if (area === 'projects') return rest.includes('envs') ? 'environments' : 'projects'
  if (area === 'schema' || area === 'facts') return rest[0] === 'bulk' ? 'bulk' : (rest[0] ?? area)
  return { orgs: 'organizations', 'api-key': 'API keys', pdps: 'PDPs' }[area] ?? area
}

const SINGULAR: Readonly<Record<string, string>> = {
  orgs: 'organization',
  projects: 'project',
  envs: 'environment',
  'api-key': 'API key',
  configs: 'PDP config',
  resources: 'resource type',
  history: 'event of the history',
  audit_logs: 'recorded decision',
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Replace',
  PATCH: 'Change',
  DELETE: 'Delete',
}

/** By the end of the path, where the rule for plain resources says something else than what is done. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'GET /v2/openapi.json': 'Read the OpenAPI document',
  'GET /docs': 'Read this reference',
  'GET /docs/scalar.js': 'Read the script of this reference',
  'GET /docs/migration': 'Read the migration guide for the first API version',
  'GET /health': 'Check that the server answers',
  'GET /metrics': 'Read the metrics',
  'GET /ready': 'Check that the server is ready',
  'GET /api-key/scope': 'Read the scope of the API key',
  'GET /api-key/:p/:e': 'Read the API key of an environment',
  'POST /rotate-secret': 'Replace the secret of an API key',
  'GET /configs/:config/values': 'Read the settings of a PDP config',
  'DELETE /old-secret': 'End the old secret of a rotated API key',
  'POST /rotate-api-key': 'Replace the API key of a PDP config',
  'GET /orgs/active/org': 'Read the organization of the API key',
  'GET /orgs/:org/stats': 'Read an organization with its counts',
  'GET /envs/:e/stats': 'Read an environment with its counts',
  'POST /permissions': 'Add permissions to a role',
  'DELETE /permissions': 'Remove permissions from a role',
  'GET /roles/:ref/ancestors': 'List the roles that a role extends',
  'GET /roles/:ref/descendants': 'List the roles that extend a role',
  'PUT /parents/:parent': 'Make a role extend another one',
  'DELETE /parents/:parent': 'Make a role no longer extend another one',
  'PUT /bulk/roles': 'Create or replace many roles',
  'POST /implicit_grants': 'Derive a role through a relation',
  'DELETE /implicit_grants': 'Stop deriving a role through a relation',
  'PUT /implicit_grants/conditions': 'Set when a role is derived',
  'GET /condition_sets/:ref/ancestors': 'List the parents of a condition set',
  'GET /condition_sets/:ref/descendants': 'List the children of a condition set',
  'GET /possible_parents': 'List possible parents of a condition set',
  'GET /groups/direct': 'List groups without users and roles',
  'GET /groups/direct/:group': 'Read a group without users and roles',
  'GET /groups/:group/children': 'List the child groups of a group',
  'GET /groups/:group/parents': 'List the parent groups of a group',
  'GET /groups/:group/users': 'List the users of a group',
  'GET /groups/:group/roles': 'List the roles of a group',
  'POST /groups/:group/roles': 'Assign a role to a group',
  'DELETE /groups/:group/roles': 'Unassign a role from a group',
  'PUT /groups/:group/users/:user': 'Add a user to a group',
  'DELETE /groups/:group/users/:user': 'Remove a user from a group',
  'PUT /assign_group': 'Add a group to another group',
  'DELETE /assign_group': 'Remove a group from another group',
  'POST /users/:ref/roles': 'Assign a role to a user',
  'DELETE /users/:ref/roles': 'Unassign a role from a user',
  'GET /tenants/:ref/users': 'List the users of a tenant',
  'POST /tenants/:ref/users': 'Create a user in a tenant',
  'DELETE /tenants/:ref/users/:user': 'Remove a user from a tenant',
  'GET /role_assignments/detailed': 'List role assignments with their objects',
  'GET /resource_instances/detailed': 'List resource instances with their relationships',
  'GET /relationship_tuples/detailed': 'List relationship tuples with their objects',
  'POST /bulk/users': 'Create many users',
  'PUT /bulk/users': 'Create or replace many users',
  'DELETE /bulk/users': 'Delete many users',
  'POST /bulk/tenants': 'Create many tenants',
  'DELETE /bulk/tenants': 'Delete many tenants',
  'PUT /bulk/resource_instances': 'Create or replace many resource instances',
  'DELETE /bulk/resource_instances': 'Delete many resource instances',
  'POST /relationship_tuples/bulk': 'Create many relationship tuples',
  'DELETE /relationship_tuples/bulk': 'Delete many relationship tuples',
  'POST /role_assignments/bulk': 'Create many role assignments',
  'DELETE /role_assignments/bulk': 'Delete many role assignments',
  'POST /user_invites/:ref/approve': 'Approve a user invite',
  'POST /envs/:e/copy': 'Copy an environment',
  'POST /copy/plan': 'Plan the copy of an environment',
  'GET /envs/:e/export': 'Read the policy of an environment as a file',
  'POST /envs/:e/plan': 'Plan a policy or changes',
  'POST /envs/:e/validate': 'Check policy files for errors',
  'POST /revert/plan': 'Plan the revert of a revision',
  'POST /revisions/:revision/revert': 'Revert a revision',
  'GET /envs/:e/access': 'List who has access to what',
  'GET /access/counts': 'Count users with access',
  'GET /access/changes': 'Compare access with another revision',
  'POST /envs/:e/apply': 'Apply a policy or changes',
  'POST /copy/async': 'Copy an environment in the background',
  'GET /copy/async/:task/result': 'Read the result of a copy',
  'GET /revisions/:revision': 'Read what a revision changed',
  'POST /envs/:e/check': 'Check access at a revision',
  'POST /envs/:e/explain': 'Explain a decision at a revision',
  'POST /envs/:e/user-permissions': 'List the permissions of a user at a revision',
  'POST /envs/:e/authorized-users': 'List the users who can do something at a revision',
  'POST /envs/:e/condition-matches': 'List the matches of a condition set',
  'GET /v2/history': 'List the history',
  'GET /history/:event/request': 'Read the request of an event',
  'GET /history/:event/response': 'Read the response of an event',
  'GET /v2/activity': 'List the activity',
  'GET /activity/types': 'List the kinds of activity',
  'GET /audit_logs/counts': 'Count decisions over time',
  'GET /audit_logs/stream': 'Watch decisions as they are recorded',
  'POST /audit_logs/:log/replay': 'Replay a recorded decision',
  'POST /audit_logs': 'Send recorded decisions',
  'POST /elements_login_as': 'Log a user in to embedded elements',
  'POST /embeddables/login': 'Log a user in to embedded elements',
  'GET /image': 'Download the image of an environment',
  'GET /deltas': 'Follow the changes of an environment',
  'GET /head': 'Read the last revision',
  'POST /head': 'Read the last revision, and report the revision that a PDP applied',
  'POST /report': 'Report the revision that a PDP applied',
  'GET /v2/pdps/:p/:e': 'List the PDPs that follow an environment',
  'PUT /v1/users': 'Create or change a user',
  'PUT /v1/tenants': 'Create or change a tenant',
  'PUT /v1/resources': 'Create or change resource types',
  'PUT /v1/resources/:ref': 'Create or change a resource type',
  'PUT /v1/resources/:ref/actions': 'Create or change an action',
}

/** What the operation does, in a few words. */
export function formatSummary(method: string, url: string): string {
  const parts = url.split('/').slice(1)
  for (let from = 0; from < parts.length; from++) {
    const listed = SUMMARIES[`${method} /${parts.slice(from).join('/')}`]
    if (listed !== undefined) return listed
  }
  const isOne = parts.at(-1)?.startsWith(':') === true
  const noun = parts.findLast((part) => !part.startsWith(':')) ?? ''
  const one = SINGULAR[noun] ?? noun.replace(/s$/, '').replaceAll('_', ' ')
  if (method === 'GET' && !isOne) return `List ${one}s`
  return `${method === 'GET' ? 'Read' : VERBS[method]} ${/^[aeio]|^API/.test(one) ? 'an' : 'a'} ${one}`
}
