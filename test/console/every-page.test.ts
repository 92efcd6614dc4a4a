// Every page that the router knows, with data: in 1,440 pixels light and in 390 dark, by `npm run test:all` in both
// colours each, without a violation of WCAG 2.2 AA that axe knows, and no wider than the screen. That nothing is asked
// of another origin, that the policy of the page refuses nothing, and that the browser complains of nothing is watched
// as in all tests of pages (support/console.ts). The page is loaded once; then one goes from page to page as a person
// does. What is on a page is asked by its own test.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, goTo, listProblems, useConsole } from '../support/console.ts'
import { CONSOLE_POLICY, OFFERING_POLICY } from '../support/console-policy.ts'

/** Pictures are taken by the tests of the pages. */
const LOOK = { isPlain: true }
/** As long as keys may be, and a name that would be an element if it were ever taken for markup. */
const LONG = 'k'.repeat(256)
const MARKUP = '<img src="x" onerror="alert(1)">'
const POLICY = {
  ...OFFERING_POLICY,
  roles: [...OFFERING_POLICY.roles, { key: LONG, name: MARKUP, permissions: ['report:read'] }],
  users: [...CONSOLE_POLICY.users, { key: LONG, first_name: MARKUP }],
  role_assignments: [
    ...CONSOLE_POLICY.role_assignments,
    { user: LONG, role: LONG, tenant: 'acme', valid_until: new Date(Date.now() + 86_400_000).toISOString() },
  ],
}

const console = useConsole('every-page', POLICY)
const { p, e } = console.path
const BELOW = '/$project/$environment/'

/** By the route of a page, below an environment: addresses, and what is on each when its data is there. */
const PAGES: Readonly<Record<string, readonly (readonly [address: string, shows: string])[]>> = {
  policy: [
    ['policy', 'accountant'],
    ['policy?unused=30d', 'Decisions are known since'],
  ],
  'policy/review': [['policy/review', 'Gains access']],
  resources: [
    ['resources', 'invoice'],
    ['resources?tab=graph', 'All 3 types'],
  ],
  'resources/$resource': [
    ['resources/invoice?tab=actions', 'approve'],
    ['resources/invoice?tab=roles', 'reader'],
  ],
  conditions: [
    ['conditions', 'finance-staff'],
    ['conditions?tab=rules', 'invoice:approve'],
  ],
  'conditions/$set': [['conditions/finance-staff', 'cleo@acme.example']],
  users: [
    ['users', 'eli@globex.example'],
    ['users?unused=90d', 'No roles unused for 90 days'],
  ],
  'users/$user': [
    ['users/ben@acme.example', 'folder:q4 in acme'],
    [`users/${LONG}`, LONG],
    ['users/ben@acme.example?tab=permissions', 'On individual instances'],
    ['users/ben@acme.example?tab=details', 'Last name'],
  ],
  tenants: [['tenants', 'globex']],
  'tenants/$tenant': [
    ['tenants/acme', 'cleo@acme.example'],
    ['tenants/acme?tab=roles', 'bookkeeper@acme'],
  ],
  instances: [['instances', 'folder:q4']],
  'instances/$instance': [
    ['instances/folder:q4', 'invoice:18'],
    ['instances/folder:q4?tab=access&action=read', 'ben@acme.example'],
  ],
  'time-limited': [['time-limited', '1 user loses access']],
  requests: [
    ['requests', 'closes the books'],
    ['requests?state=all', 'closes the books'],
  ],
  sources: [['sources', 'No directory connected']],
  why: [['why?user=ben%40acme.example&action=approve&resource=invoice%3A18', 'finance-staff']],
  decisions: [['decisions', 'invoice:18']],
  history: [['history', 'Applied']],
  'history/$revision': [['history/3', '2 users gain access']],
  'history/$revision/revert': [
    ['history/2/revert', 'user attribute level'],
    ['history/3/revert', '2 users lose access'],
  ],
  'access-review': [
    ['access-review', 'cleo@acme.example'],
    ['access-review?tab=role', 'accountant'],
  ],
  environments: [['environments', 'Every-page']],
  'environments/compare': [['environments/compare?with=every-other', 'accountant']],
  'environments/copy': [
    ['environments/copy?to=every-other', 'already exists'],
    ['environments/copy?to=every-other&overwrite=true', 'accountant'],
  ],
  keys: [['keys', 'signed in']],
  'policy-file': [['policy-file', 'Plan and apply files']],
  overview: [['overview', 'Last 24 hours: 1 allowed, 1 denied']],
}
/** Beside those below an environment; without a text they lead to one of these, for who has no tenant. */
const OTHERS: Readonly<Record<string, string>> = {
  '/': '',
  '/$project/$environment': '',
  '/sign-in': 'API key',
  '/tenant': '', // own-tenant.test.ts
}

interface Routed {
  readonly __TSR_ROUTER__: {
    readonly routesById: Readonly<Record<string, { readonly fullPath: string }>>
  }
}

/** The routes that the router of the page has. */
const listRoutes = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { routesById } = (globalThis as unknown as Routed).__TSR_ROUTER__
    return Object.values(routesById).map(({ fullPath }) => fullPath.replace(/(?<=.)\/$/, ''))
  })

/** An environment that has less than the one that is looked at. */
async function makeOther(): Promise<void> {
  const { resources, roles } = CONSOLE_POLICY
  const policy = { zerohop: 2, resources, roles: roles.slice(0, 2) } as never
  const other = { p, e: 'every-other' }
  const body = { key: other.e, name: 'Every other' }
  dataOf(await console.api.POST('/v2/projects/{p}/envs', { params: { path: other }, body }))
  dataOf(await console.api.POST('/v2/projects/{p}/envs/{e}/apply', { params: { path: other }, body: { policy } }))
}

/** Is recorded by the server, as questions of applications are. */
async function ask(page: Page, user: string): Promise<void> {
  const question = { user: { key: user }, action: 'read', resource: { type: 'invoice', key: '18', tenant: 'acme' } }
  await page.evaluate(
    async ([at, body]) => {
      const { csrf_token } = await (await fetch('/console/api/session')).json()
      const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf_token }
      const answer = await fetch(`/console/api/allowed?${at}`, { method: 'POST', headers, body: body! })
      if (!answer.ok) throw new Error(await answer.text())
    },
    [`project=${p}&environment=${e}`, JSON.stringify(question)],
  )
}

// skipped where no Chromium is installed: CI installs one
it.skipIf(consoleServer === undefined)('is usable in both sizes and both colours', { timeout: 240_000 }, async () => {
  await makeOther()
  const permissions = ['invoice:read', 'report:read', 'report:export']
  const params = { path: { ...console.path, ref: 'viewer' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body: { permissions } }))
  const requestable = { max_duration: 7_200 }
  const auditor = { path: { ...console.path, ref: 'auditor' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params: auditor, body: { requestable } }))
  const asked = { as: 'ben@acme.example', role: 'auditor', tenant: 'acme', duration: 3_600, reason: 'closes the books' }
  dataOf(await console.api.POST('/v2/facts/{p}/{e}/access_requests', { params: { path: console.path }, body: asked }))
  const role = { key: 'bookkeeper', permissions: ['report:read'], extends: ['viewer'] }
  const acme = { path: { ...console.path, ref: 'acme' } }
  dataOf(await console.api.POST('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params: acme, body: role }))
  const page = await console.visit('policy', { isOrganization: true })
  const below = Object.keys(PAGES).map((route) => BELOW + route)
  expect([...new Set(await listRoutes(page))].sort()).toEqual([...Object.keys(OTHERS), ...below].sort())
  await ask(page, 'ana@acme.example')
  await ask(page, 'nobody')
  await page.getByRole('gridcell', { name: 'viewer does not have invoice:create', exact: true }).click()
  await page.getByRole('link', { name: 'Review 1 role' }).waitFor()

  const problems: string[] = []
  for (const [address, shows] of Object.values(PAGES).flat()) {
    await goTo(page, `/${p}/${e}/${address}`)
    const main = page.getByRole('main')
    await main.getByText(shows).filter({ visible: true }).first().waitFor()
    const name = address.slice(0, 60)
    problems.push(...(await listProblems(page, name, LOOK)))
    if ((await page.locator('img[src="x"]').count()) > 0) problems.push(`${name}: a name became an element`)
  }
  await goTo(page, '/sign-in')
  await page.getByLabel(OTHERS['/sign-in']!).waitFor()
  problems.push(...(await listProblems(page, 'sign-in', LOOK)))
  expect(problems).toEqual([])
})
