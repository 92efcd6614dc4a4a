// The pages of tenants in a browser: one is made, gets members with and without a role, is changed and deleted, and the
// delete is undone; what a key that only reads is not offered.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'
import { OFFERING_POLICY } from '../support/console-policy.ts'

const console = useConsole('tenants', OFFERING_POLICY)
const rows = (page: Page) => page.locator('tbody tr')
const undo = async (page: Page, done: string) => {
  await page.getByText(done).locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).last().waitFor()
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('makes a tenant, and fills it', async () => {
  const page = await console.visit('tenants')
  await rows(page).nth(2).waitFor()
  await inspect(page, 'tenants')
  await page.getByRole('button', { name: 'New tenant' }).click()
  await page.getByLabel('Key', { exact: true }).fill('acme')
  await page.getByRole('button', { name: 'Create tenant' }).click()
  await page
    .getByRole('alert')
    .getByText(/acme.* already exists|exists/)
    .waitFor()
  await page.getByLabel('Key', { exact: true }).fill('initech')
  await page.keyboard.press('Enter')
  await page.getByText('No members yet').waitFor()

  const user = page.getByRole('combobox', { name: 'User' })
  await user.fill('nobody')
  await page.getByRole('button', { name: 'Add' }).click()
  await page
    .getByRole('alert')
    .getByText(/nobody/)
    .waitFor() // and is not made
  await user.fill('ben@acme.example')
  await page.getByRole('button', { name: 'Add' }).click()
  await rows(page).first().waitFor()
  await user.fill('ana@acme.example')
  await page.getByRole('combobox', { name: 'Role', exact: true }).fill('editor')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Remove role editor from ana@acme.example' }).waitFor()
  await inspect(page, 'tenant-members')
  await page.getByRole('button', { name: 'Remove ben@acme.example from initech' }).click()
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await undo(page, 'ben@acme.example removed from initech')
  await rows(page).nth(1).waitFor()
  await page.getByRole('searchbox', { name: 'Search members' }).fill('sil')
  await page.getByText('1–1 of 1').waitFor()

  await page.getByRole('link', { name: 'Details' }).click()
  await page.getByLabel('Description').fill('Makes printers')
  await page.getByLabel('Attributes').fill('{"plan": "business"}')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Tenant initech saved').waitFor()
  await page.getByText('initech · Makes printers').or(page.getByText('Makes printers')).first().waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 members will lose all roles here, and 0 resource instances').waitFor()
  await page.getByRole('button', { name: 'Delete tenant' }).click()
  await undo(page, 'Tenant initech deleted')
  await page.getByRole('link', { name: 'initech' }).click()
  await rows(page).nth(1).waitFor() // with its members
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'offers a key that reads nothing but reading, and says what is not there',
  async () => {
    const page = await console.visit('tenants/acme', { access: 'read' })
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: /Take|Add|Remove|Delete/ }).count()).toBe(0)
    await page.goto(page.url().replace('acme', 'nothing'))
    await page.getByText('No tenant nothing').waitFor()
    await page.getByRole('link', { name: 'All tenants' }).click()
    await rows(page).first().waitFor()
    await page.getByRole('searchbox', { name: 'Search tenants' }).fill('nothing is called this')
    await page.getByText('No matching tenants').waitFor()
    await page.getByRole('link', { name: 'Show all tenants' }).click()
    await rows(page).first().waitFor()
  },
)

// skipped where no Chromium is installed: what the server accepts is tested in test/http/management
it.skipIf(consoleServer === undefined)('makes a role of the tenant, gives it, changes and deletes it', async () => {
  const page = await console.visit('tenants/globex?tab=roles')
  const dialog = page.getByRole('dialog')
  const row = page.getByRole('row', { name: /bookkeeper@globex/ })
  await page.getByRole('button', { name: 'New role' }).click()
  await dialog.getByLabel('Key').fill('bookkeeper')
  await dialog.getByLabel('Name').fill('Bookkeeper')
  await dialog.getByRole('group', { name: 'Report' }).getByLabel('Read').check()
  await dialog
    .getByRole('group', { name: 'Extends' })
    .getByLabel(/^Viewer/)
    .check()
  await inspect(page, 'tenant-role-new')
  // the vendor stops to offer it, in the meantime
  const action = { ...console.path, resource: 'report', ref: 'read' }
  const offer = async (grantable: boolean) =>
    dataOf(
      await console.api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/actions/{ref}', {
        params: { path: action },
        body: { grantable },
      }),
    )
  await offer(false)
  await dialog.getByRole('button', { name: 'Create role' }).click()
  await dialog
    .getByRole('group', { name: 'Permissions' })
    .getByRole('alert')
    .getByText(/report:read.* is not offered/)
    .waitFor()
  await offer(true)
  await dialog.getByRole('button', { name: 'Create role' }).click()
  await row.getByText('invoice:read').waitFor() // by the role that it extends

  await page.getByRole('button', { name: 'Assign role bookkeeper' }).click()
  await dialog.getByRole('combobox', { name: 'User' }).fill('dev@globex.example')
  await inspect(page, 'tenant-role-assign', { sizes: ['narrow'] })
  await dialog.getByRole('button', { name: 'Assign role' }).click()
  await page.getByText('Role Bookkeeper assigned to dev@globex.example').waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Remove role bookkeeper@globex from dev@globex.example' }).waitFor()
  await page.getByRole('combobox', { name: 'Role', exact: true }).fill('book')
  await page.getByRole('option', { name: 'bookkeeper@globex' }).waitFor()
  await page.getByRole('link', { name: 'Own roles' }).click()
  await page.getByRole('button', { name: 'Edit role bookkeeper' }).click()
  await dialog.getByRole('group', { name: 'Report' }).getByLabel('Export as PDF').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('report:export').waitFor()
  await inspect(page, 'tenant-roles')
  await page.getByRole('button', { name: 'Delete role bookkeeper' }).click()
  await dialog.getByText('1 user will lose this role').waitFor()
  await inspect(page, 'tenant-role-delete', { sizes: ['narrow'] })
  await dialog.getByRole('button', { name: 'Delete role' }).click()
  await page.getByText('No roles of this tenant yet').waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('link', { name: 'dev@globex.example' }).waitFor()
  const removal = page.getByRole('button', { name: 'Remove role bookkeeper@globex from dev@globex.example' })
  await expect.poll(() => removal.count()).toBe(0)
})
