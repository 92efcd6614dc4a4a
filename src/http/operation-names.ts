// What operations are called in the OpenAPI document: the tag and the summary of each. The rule is for plain resources;
// what is none is listed.

export const TAGS: Readonly<Record<string, string>> = {
  server: 'The process itself: health, metrics and this reference.',
  'API keys': 'Keys of organizations, projects and environments.',
  PDPs: 'Which PDPs follow, what they are set up with, and the decisions that they recorded.',
  organizations: 'The owner of projects.',
  projects: 'Projects of an organization.',
  environments: 'Environments of a project, each with a policy and facts of its own.',
  roles: 'Roles in tenants, and roles on instances of a resource type.',
  bulk: 'Many objects in one write: all of them or none.',
  resources: 'Resource types with their actions, attributes, relations, roles and action groups.',
  users: 'Users, and the attributes that users may have.',
  condition_sets: 'Users or resources for which a condition holds.',
  groups: 'Groups of users, which have roles and members.',
  tenants: 'Tenants, and the users in them.',
  role_assignments: 'Which user has which role, in a tenant or on an instance.',
  resource_instances: 'Instances of resource types.',
  relationship_tuples: 'Relations between instances.',
  set_rules: 'Which users of a set may do what with the resources of another set.',
  user_invites: 'Users who are invited and not yet there.',
  proxy_configs: 'Services to which the PDP forwards requests, with their secrets.',
  history: 'What was done through this API, and by whom.',
  activity: 'The history in words.',
  auth: 'Logging users in to embedded elements.',
  feed: 'The images and changes that PDPs follow.',
  v1: 'The first API version. Deprecated: see /docs/migration.',
}

/** What the route is about: the first fixed part of its path that names a collection. */
export function tagOf(url: string): string {
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
  'GET /docs/migration': 'Read how to move from the first API version',
  'GET /health': 'Check that the server answers',
  'GET /metrics': 'Read the metrics',
  'GET /api-key/scope': 'Read what the API key reaches',
  'GET /api-key/:p/:e': 'Read the API key of an environment',
  'POST /rotate-secret': 'Replace the secret of an API key',
  'GET /configs/:config/values': 'Read the settings of a PDP config',
  'DELETE /old-secret': 'End the old secret of a rotated API key',
  'POST /rotate-api-key': 'Replace the API key of a PDP config',
  'GET /orgs/active/org': 'Read the organization of the API key',
  'GET /orgs/:org/stats': 'Read an organization with its counts',
  'GET /envs/:e/stats': 'Read an environment with its counts',
  'POST /permissions': 'Give permissions to a role',
  'DELETE /permissions': 'Take permissions from a role',
  'GET /roles/:ref/ancestors': 'List the roles that a role extends',
  'GET /roles/:ref/descendants': 'List the roles that extend a role',
  'PUT /parents/:parent': 'Make a role extend another one',
  'DELETE /parents/:parent': 'Make a role no longer extend another one',
  'PUT /bulk/roles': 'Create or replace many roles',
  'POST /implicit_grants': 'Derive a role over a relation',
  'DELETE /implicit_grants': 'Derive a role over a relation no longer',
  'PUT /implicit_grants/conditions': 'Set when a role is derived',
  'GET /condition_sets/:ref/ancestors': 'List the sets above a condition set',
  'GET /condition_sets/:ref/descendants': 'List the sets below a condition set',
  'GET /possible_parents': 'List the sets that a condition set can stand below',
  'GET /groups/direct': 'List groups without users and roles',
  'GET /groups/direct/:group': 'Read a group without users and roles',
  'GET /groups/:group/children': 'List the groups whose members are members of a group',
  'GET /groups/:group/parents': 'List the groups that the members of a group are members of',
  'GET /groups/:group/users': 'List the users of a group',
  'GET /groups/:group/roles': 'List the roles of a group',
  'POST /groups/:group/roles': 'Give a role to a group',
  'DELETE /groups/:group/roles': 'Take a role from a group',
  'PUT /groups/:group/users/:user': 'Add a user to a group',
  'DELETE /groups/:group/users/:user': 'Remove a user from a group',
  'PUT /assign_group': 'Make the members of a group members of another one',
  'DELETE /assign_group': 'Make the members of a group no longer members of another one',
  'POST /users/:ref/roles': 'Give a role to a user',
  'DELETE /users/:ref/roles': 'Take a role from a user',
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
  'POST /user_invites/:ref/approve': 'Make an invited user a user',
  'POST /envs/:e/copy': 'Copy an environment',
  'POST /copy/plan': 'Say what copying an environment would do',
  'GET /envs/:e/export': 'Read the policy of an environment as a file',
  'POST /envs/:e/plan': 'Say what a policy or changes would do',
  'POST /envs/:e/apply': 'Apply a policy or changes',
  'POST /copy/async': 'Copy an environment in the background',
  'GET /copy/async/:task/result': 'Read how the copying of an environment went',
  'GET /revisions/:revision': 'Read what a revision changed',
  'POST /envs/:e/check': 'Check as an environment was',
  'POST /envs/:e/explain': 'Explain a decision as an environment was',
  'POST /envs/:e/user-permissions': 'List what a user may do as an environment was',
  'POST /envs/:e/authorized-users': 'List who may do something as an environment was',
  'POST /envs/:e/condition-matches': 'List who or what a condition set matches',
  'GET /v2/history': 'List what was done',
  'GET /history/:event/request': 'Read the request of an event',
  'GET /history/:event/response': 'Read the response of an event',
  'GET /v2/activity': 'List what was done, in words',
  'GET /activity/types': 'List the kinds of activity',
  'GET /audit_logs/counts': 'Count decisions over time',
  'GET /audit_logs/stream': 'Watch decisions as they are recorded',
  'POST /audit_logs/:log/replay': 'Ask a recorded decision again',
  'POST /audit_logs': 'Send recorded decisions',
  'POST /elements_login_as': 'Log a user in to embedded elements',
  'POST /embeddables/login': 'Log a user in to embedded elements',
  'GET /image': 'Download the image of an environment',
  'GET /deltas': 'Follow the changes of an environment',
  'GET /head': 'Ask for the last revision',
  'POST /head': 'Ask for the last revision, and report which one a PDP applied',
  'POST /report': 'Report which revision a PDP applied',
  'GET /v2/pdps/:p/:e': 'List the PDPs that follow an environment',
  'PUT /v1/users': 'Create or change a user',
  'PUT /v1/tenants': 'Create or change a tenant',
  'PUT /v1/resources': 'Create or change resource types',
  'PUT /v1/resources/:ref': 'Create or change a resource type',
  'PUT /v1/resources/:ref/actions': 'Create or change an action',
}

/** What the operation does, in a few words. */
export function summaryOf(method: string, url: string): string {
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
