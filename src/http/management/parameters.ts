// The query parameters of the management API by name, and which route reads which. For the OpenAPI document only: handlers read them with
// src/http/page.ts. A test compares these lists with what the handlers really read.
import type { Parameters } from '../openapi.ts'

const flag = (description: string) => ({ type: 'boolean', default: false, description })
const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })

export const PARAMETERS: Parameters = {
  page: { type: 'integer', minimum: 1, default: 1, description: 'number of the page' },
  per_page: { type: 'integer', minimum: 1, maximum: 100, default: 30, description: 'rows of a page' },
  include_total_count: flag('answer with a page object instead of an array'),
  detailed: flag('with the objects that are joined, not only their keys'),
  return_deleted: flag('answer with what was deleted'),
  search: text('a substring, in any letter case'),
  'attr_<name>': text('only where the attribute has this value, written as text'),
  object_type: text('of API keys their level (env, project, org); of relationship tuples the type of their object'),
  proj_id: text('only keys of this project'),
  resource: text('only those on this resource'),
  resource_instance: text('only those on this instance, an id or `type:key`'),
  role: texts('only those with this role'),
  user: texts('only those of this user'),
  tenant: texts('only those in this tenant'),
  wait: { type: 'number', minimum: 0, maximum: 60, default: 0, description: 'seconds to wait for the outcome' },
  actor_id: texts('only what this API key did'),
  actor_type: texts('`api_key`, or `system` for the command line and the process itself'),
  actor_display_name: text('a part of the name of the API key'),
  project_id: texts('only in this project, by its id'),
  env_id: texts('only in this environment, by its id'),
  timestamp_from: { type: 'integer', description: 'seconds since 1970' },
  timestamp_until: { type: 'integer', description: 'seconds since 1970' },
  method: texts('only requests of this method'),
  path: texts('only requests with this in their path'),
  status_code: texts('only answers of this status'),
  client_ip: texts('only from this address'),
  success: { type: 'boolean', description: 'refused requests are not kept: false lists nothing' },
}

const PAGE = ['page', 'per_page'] as const
const EVENTS = [
  ...PAGE,
  'actor_id',
  'actor_type',
  'actor_display_name',
  'project_id',
  'env_id',
  'timestamp_from',
  'timestamp_until',
] as const

export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'GET /v2/api-key': [...PAGE, 'object_type', 'proj_id'],
  'GET /v2/pdps/:p/:e/configs': PAGE,
  'GET /v2/history': [...EVENTS, 'method', 'path', 'status_code', 'client_ip', 'success'],
  'GET /v2/activity': EVENTS,
  'GET /v2/pdps/:p/:e/audit_logs': PAGE,
  'POST /v2/projects/:p/envs/:e/copy/async': ['wait'],
  'GET /v2/projects/:p/envs/:e/copy/async/:task/result': ['wait'],
  'GET /v2/orgs': [...PAGE, 'search'],
  'GET /v2/projects': PAGE,
  'GET /v2/projects/:p/envs': PAGE,
  'GET /v2/schema/:p/:e/resources': [...PAGE, 'include_total_count', 'search'],
  'GET /v2/schema/:p/:e/resources/:resource/actions': [...PAGE, 'attr_<name>'],
  'GET /v2/schema/:p/:e/resources/:resource/attributes': PAGE,
  'GET /v2/schema/:p/:e/roles': [...PAGE, 'include_total_count', 'search', 'attr_<name>'],
  'GET /v2/facts/:p/:e/users': [...PAGE, 'role', 'search'],
  'GET /v2/facts/:p/:e/tenants': [...PAGE, 'include_total_count', 'search', 'attr_<name>'],
  'GET /v2/facts/:p/:e/tenants/:ref/users': [...PAGE, 'role', 'search'],
  'DELETE /v2/facts/:p/:e/users/:ref/roles': ['return_deleted'],
  'DELETE /v2/facts/:p/:e/role_assignments': ['return_deleted'],
}
