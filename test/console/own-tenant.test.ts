// The page of a tenant's administrator: signed in with a key of the tenant one sees its members, assigns and removes
// roles, invites and cancels, reads the history, and finds nothing else.
import { expect, it } from 'vitest'
import { createClient, dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'
import { OFFERING_POLICY } from '../support/console-policy.ts'

const requestable = { approvers: ['admin'], max_duration: 3_600 }
const POLICY = {
  ...OFFERING_POLICY,
  roles: OFFERING_POLICY.roles.map((role) => (role.key === 'auditor' ? { ...role, requestable } : role)),
}
const console = useConsole('own-tenant', POLICY)

// skipped where no Chromium is installed: the routes are tested in test/http/management and test/http/console
it.skipIf(consoleServer === undefined)('shows a tenant to its administrator, who changes it', async () => {
  const { api, path } = console
  const environment = dataOf(await api.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
  const { organization_id, id: environment_id } = environment
  const body = {
    organization_id,
    environment_id,
    object_type: 'tenant',
    tenant_id: 'acme',
    name: 'acme admins',
  } as const
  const { secret = '' } = dataOf(await api.POST('/v2/api-key', { body }))
  const page = await console.visit('/console/', { isSignedOut: true })
  await page.getByLabel('API key').fill(secret ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'acme', level: 1, exact: false }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/tenant')
  const members = page.getByRole('region', { name: 'Members' })
  await members.getByText('ben@acme.example').first().waitFor()
  expect(await members.getByText('globex').count()).toBe(0)

  await page.getByLabel('User').fill('ben@acme.example')
  await page.getByLabel('Role of the member').selectOption('auditor')
  await page.getByRole('button', { name: 'Assign role' }).click()
  await page.getByRole('button', { name: 'Remove auditor from ben@acme.example' }).click()
  await page.getByText('Role auditor of ben@acme.example removed').waitFor()

  // a role of the tenant's own
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New role' }).click()
  await dialog.getByLabel('Key').fill('bookkeeper')
  await dialog.getByLabel('Name').fill('Bookkeeper')
  await dialog.getByRole('group', { name: 'Report' }).getByLabel('Export as PDF').check()
  await dialog
    .getByRole('group', { name: 'Extends' })
    .getByLabel(/^Viewer/)
    .check()
  await inspect(page, 'own-tenant-new-role')
  await dialog.getByRole('button', { name: 'Create role' }).click()
  const roles = page.getByRole('region', { name: 'Roles of the tenant' })
  await roles.getByText('bookkeeper@acme').waitFor()
  await page.getByLabel('User').fill('ben@acme.example')
  await page.getByLabel('Role of the member').selectOption('Bookkeeper (own role)')
  await page.getByRole('button', { name: 'Assign role', exact: true }).click()
  await page.getByRole('button', { name: 'Remove bookkeeper@acme from ben@acme.example' }).waitFor()
  await page.getByRole('button', { name: 'Delete role bookkeeper' }).click()
  await dialog.getByText('1 user will lose this role').waitFor()
  await dialog.getByRole('button', { name: 'Delete role' }).click()
  await roles.waitFor({ state: 'detached' })

  await page.getByLabel('Email').fill('nina@acme.example')
  await page.getByLabel('Role of the invite').selectOption('viewer')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const cancel = page.getByRole('button', { name: 'Cancel the invite of nina@acme.example' })
  await cancel.waitFor()
  await page.getByRole('region', { name: 'History' }).getByText('Invite viewer added: nina@acme.example').waitFor()
  await page.getByLabel('Who').fill('cleo@acme.example')
  await page.getByLabel('Access', { exact: true }).selectOption('report:read')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('cleo@acme.example has role accountant').waitFor()
  await page.getByLabel('Who').fill('dev@globex.example')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('user `dev@globex.example` does not exist').waitFor()
  await page.getByLabel('Who').fill('ben@acme.example')
  await page.getByLabel('Access', { exact: true }).selectOption('report:export')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('Roles that allow it: auditor.').waitFor()
  await page.getByRole('button', { name: 'Ask for access' }).click()
  const ask = page.getByRole('dialog', { name: 'Ask for access' })
  await ask.getByLabel('Reason').fill('audit of the year')
  await ask.getByRole('button', { name: 'Request' }).click()
  const requests = page.getByRole('region', { name: 'Requests' })
  await requests.getByText('audit of the year').waitFor()
  await inspect(page, 'own-tenant')
  await requests.getByRole('button', { name: 'Deny: auditor of ben@acme.example in acme' }).click()
  await page.getByRole('dialog').getByLabel('As user').fill('ana@acme.example')
  await page.getByRole('dialog').getByLabel('Reason').fill('next week')
  await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click()
  await page.getByLabel('State of requests').selectOption('all')
  await requests.getByText('next week').waitFor()
  await cancel.click()
  await page.getByText('No open invites').waitFor()

  const client = createClient({ url: consoleServer!.url, apiKey: secret ?? '' })
  expect((await client.GET('/v2/schema/{p}/{e}/roles', { params: { path } })).response.status).toBe(404)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Zerohop' }).waitFor()
})
