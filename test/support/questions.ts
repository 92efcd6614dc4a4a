// A question for each route of a PDP that needs one, in its own form, which HELLO answers: about ana, who may say hello.
// A new route with a body needs a line here: tests that walk over all routes fail until it has one.
const USER = { key: 'ana' }
const subject = { type: 'user', id: 'ana' }
const action = { name: 'say' }
const resource = { type: 'hello', id: 'h1' }
const evaluation = { subject, action, resource }
const check = { user: USER, action: 'say', resource: { type: 'hello' } }
const inTenant = { ...check, resource: { type: 'hello', tenant: 'default' } }
const listing = { user: USER }

/** Bodies, by the path of the route. */
export const QUESTIONS: Readonly<Record<string, unknown>> = {
  '/allowed': check,
  '/allowed/bulk': [check],
  '/allowed/all-tenants': check,
  '/allowed_url': { user: USER, url: 'https://example.com/', http_method: 'GET', tenant: 'default' },
  '/nginx_allowed': {},
  '/filter': inTenant,
  '/snapshot': listing,
  '/user-permissions': listing,
  '/user-tenants': listing,
  '/authorized_users': check,
  '/access/v1/evaluation': evaluation,
  '/access/v1/evaluations': { evaluations: [evaluation] },
  '/access/v1/search/subject': { ...evaluation, subject: { type: 'user' } },
  '/access/v1/search/resource': { ...evaluation, resource: { type: 'hello' } },
  '/access/v1/search/action': { subject, resource },
  '/v1/data/permit/root': { input: check },
  '/v1/data/permit/bulk': { input: { checks: [check] } },
  '/v1/data/permit/any_tenant': { input: check },
  '/v1/data/permit/all_tenants': { input: check },
  '/v1/data/permit/user_permissions': { input: listing },
  '/v1/data/permit/user_permissions/permissions': { input: listing },
  '/v1/data/permit/authorized_users': { input: check },
  '/v1/data/permit/api/role_assignments': { input: {} },
}

/** Other questions of the same routes, which a short way may answer without looking at the policy. */
export const SHORT_QUESTIONS: Readonly<Record<string, readonly unknown[]>> = {
  '/allowed/bulk': [[]],
  '/access/v1/evaluation': [{ ...evaluation, subject: { type: 'nobody', id: 'ana' } }],
  '/access/v1/evaluations': [{ evaluations: [{ ...evaluation, subject: { type: 'nobody', id: 'ana' } }] }],
  '/access/v1/search/subject': [{ ...evaluation, subject: { type: 'nobody' } }],
  '/access/v1/search/resource': [{ ...evaluation, subject: { type: 'nobody', id: 'x' }, resource: { type: 'hello' } }],
  '/access/v1/search/action': [{ subject: { type: 'nobody', id: 'x' }, resource }],
  '/v1/data/permit/bulk': [{ input: { checks: [] } }],
  '/user-permissions': [{ user: USER, tenants: [] }],
}

/** What a gateway sends in headers. */
export const GATEWAY_HEADERS = {
  'permit-user-key': 'ana',
  'permit-action': 'say',
  'permit-resource-type': 'hello',
}
