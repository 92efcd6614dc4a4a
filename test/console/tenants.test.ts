// The pages of tenants in a browser: one is made, gets members with and without a role, is changed and deleted, and the
// delete is undone; what a key that only reads is not offered.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('tenants')
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
