// The page Sources in a browser, as one story: no directory is connected, so a key is made for one; it sends users and a
// group; a rule is made after its preview, while others write, and deleted again.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('sources')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const row = (page: Page, name: string) => page.locator('tbody tr').filter({ hasText: name })
const at = (rest: string) => `/${console.path.p}/${console.path.e}/${rest}`

/** What an identity provider sends with its key. Answers with the id of what it made. */
async function send(secret: string, path: string, body: object): Promise<string> {
  const response = await fetch(`${consoleServer!.url}/scim/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: string }).id
}
const makeUser = (key: string) =>
  console.api.POST('/v2/facts/{p}/{e}/users', { params: { path: console.path }, body: { key } })

// skipped where no Chromium is installed: the routes are tested in test/http/scim
it.skipIf(consoleServer === undefined)(
  'leads to a directory key, and makes a rule for a group after its preview',
  async () => {
    const page = await console.visit('sources')
    await page.getByRole('heading', { name: 'No directory connected' }).waitFor()
    await page.getByRole('link', { name: 'Create a directory key' }).click()
    await page.getByLabel('Name').fill('okta')
    await page.getByLabel('Key of new users').selectOption('external_id')
    await inspect(page, 'key-of-directory', { sizes: ['narrow'] })
    await press(page, 'Create key')
    expect(await page.getByLabel('Address for the identity provider', { exact: true }).inputValue()).toBe(
      `${consoleServer!.url}/scim/v2`,
    )
    const secret = await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue()
    await press(page, 'I have copied it')
    await row(page, 'okta').getByText('SCIM of default/sources').waitFor()

    const members = [{ value: await send(secret, '/Users', { userName: 'fay@acme.example', externalId: 'fay' }) }]
    await send(secret, '/Groups', { displayName: 'Accounting', externalId: 'eu-accounting', members })
    await send(secret, '/Groups', { displayName: 'Engineering' })
    await goTo(page, at('sources?tab=groups'))
    await row(page, 'Accounting').getByText('eu-accounting').waitFor()
    expect(await row(page, 'Accounting').locator('td').nth(1).innerText()).toBe('1')
    await inspect(page, 'sources-groups')
    await page.getByLabel('Search groups').fill('EU-')
    await row(page, 'Engineering').waitFor({ state: 'detached' })

    await press(page, 'New rule for Accounting')
    await press(page, 'Preview')
    await page.getByText('Role is required').waitFor()
    await page.getByLabel('Tenant', { exact: true }).fill('nowhere')
    await page.getByLabel('Role', { exact: true }).fill('viewer')
    await press(page, 'Preview')
    await page.getByRole('alert').getByText('nowhere').waitFor()
    await page.getByLabel('Tenant', { exact: true }).fill('acme')
    await inspect(page, 'sources-rule-new')
    await press(page, 'Preview')
    await page.getByRole('region', { name: 'Gains access' }).getByText('1 user gains access').waitFor()
    await inspect(page, 'sources-rule-preview')
    await press(page, 'Back')
    expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe('viewer')
    await press(page, 'Preview')
    await page.getByRole('region', { name: 'Gains access' }).waitFor()
    await makeUser('gil') // bears on nothing that was reviewed
    await press(page, 'Save rule')
    await page.getByText('Rule created').waitFor()

    await goTo(page, at('sources'))
    await row(page, 'Accounting').getByText('in acme').waitFor()
    await press(page, 'Edit rule viewer in acme for Accounting')
    await page.getByLabel('Comparison').selectOption('prefix')
    await page.getByLabel('Group', { exact: true }).fill('acc')
    await page.getByLabel('Role', { exact: true }).fill('auditor')
    await press(page, 'Preview')
    await page.getByRole('region', { name: 'Gains access' }).waitFor()
    // somebody gives the user what the rule would: that is another plan
    const role_assignments = { user: 'fay', role: 'auditor', tenant: 'acme' }
    await console.api.POST('/v2/facts/{p}/{e}/role_assignments', {
      params: { path: console.path },
      body: role_assignments,
    })
    await press(page, 'Save rule')
    await page.getByText('Not saved: something changed since your review').waitFor()
    await press(page, 'Save rule')
    await page.getByText('Rule changed').waitFor()
    await row(page, 'begins with acc').getByText('auditor').waitFor()
    await inspect(page, 'sources-rules')

    await press(page, 'Delete rule auditor in acme for acc…')
    await page.getByText('No one would gain or lose access').waitFor()
    await press(page, 'Delete rule')
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor()
    await page.getByText('The directory has sent 2 groups').waitFor()
  },
)

/** Writes facts as the sync `app`, whose run goes on. */
async function sync(items: readonly object[]): Promise<void> {
  const [params, run] = [{ path: { ...console.path, sync: 'app' } }, 'a'.repeat(32)]
  await console.api.POST('/v2/facts/{p}/{e}/syncs/{sync}/lease', { params, body: { source: 'b'.repeat(32), run } })
  const { data } = await console.api.POST('/v2/facts/{p}/{e}/syncs/{sync}/slices', {
    params,
    body: { run, items: items as never },
  })
  expect(data).toMatchObject({ problems: [] })
}
const put = (kind: string, item: object) => ({ op: 'put', kind, item })

// skipped where no Chromium is installed: claims are tested in test/http/management/claims
it.skipIf(consoleServer === undefined)('says where each fact comes from, and what cannot be removed here', async () => {
  const [user, tenant] = ['hal@initech.example', 'initech']
  const role = { user: 'ben@acme.example', role: 'viewer', tenant: 'acme' }
  await sync([
    put('user', { key: user, first_name: 'Hal', attributes: { department: 'finance' } }),
    put('tenant', { key: tenant, name: 'Initech' }),
    put('resource_instance', { key: 'q9', resource: 'folder', tenant: 'acme' }),
    put('resource_instance', { key: 'q4', resource: 'folder', tenant: 'acme' }),
    put('membership', { user, tenant }),
    put('role_assignment', { user, role: 'viewer', tenant }),
    put('role_assignment', role),
    put('relationship_tuple', { subject: 'folder:q9', relation: 'parent', object: 'invoice:18' }),
  ])
  const page = await console.visit('sources?tab=syncs')
  const app = row(page, 'app')
  await app.getByText('1 user, 1 tenant, 2 resource instances, 1 membership, 1 relationship tuple, 2 role').waitFor()
  await app.getByText('running').waitFor()
  await inspect(page, 'sources-syncs')

  await goTo(page, at(`users/${user}`))
  await row(page, 'viewer').getByText('from sync app').waitFor()
  await press(page, 'Remove role viewer in initech')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This comes from sync app, which would add it again. Remove it there.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await press(page, 'Delete')
  await dialog.getByText(`${user} can't be removed here`).waitFor()
  await inspect(page, 'claimed-user-delete', { sizes: ['narrow'] })
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'Details' }).click()
  await page.getByText('This comes from sync app, which writes it again.').waitFor()
  await page.getByText('department comes from sync app, which writes it again.').waitFor()
  await inspect(page, 'claimed-user-details')

  await goTo(page, at('tenants'))
  await row(page, tenant).getByText('from sync app').waitFor()
  await goTo(page, at(`tenants/${tenant}`))
  await row(page, user).getByText('from sync app').last().waitFor()
  await inspect(page, 'claimed-member', { sizes: ['narrow'] })
  await press(page, `Remove ${user} from ${tenant}`)
  await dialog.getByText(`Member ${user} can't be removed here`).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await goTo(page, at('instances/invoice:18'))
  await page
    .getByRole('region', { name: 'Parents' })
    .locator('li')
    .filter({ hasText: 'q9' })
    .getByText('from sync app')
    .waitFor()
  await goTo(page, at('instances/folder:q4'))
  await page.getByText('added by hand').waitFor()
  await press(page, 'Delete')
  await dialog.getByText('It also comes from sync app, and stays until it is removed there.').waitFor()
  await press(page, 'Delete instance')
  await page.getByText('folder:q4 is no longer added by hand').waitFor()

  // it was by hand when the page was read, and is not any more
  await goTo(page, at(`users/${role.user}`))
  await row(page, 'viewer').getByText('added by hand').waitFor()
  await console.api.DELETE('/v2/facts/{p}/{e}/role_assignments', { params: { path: console.path }, body: role })
  await press(page, 'Remove role viewer in acme')
  await dialog.getByText('Only what was added by hand is removed now.').waitFor()
  await press(page, 'Remove')
  const failure = page.getByRole('alert').filter({ hasText: "Couldn't remove the role" })
  await failure.getByText('This comes from sync app, which would add it again.').waitFor()
})
