// The pages of instances in a browser: the tree of relations, roles on one, who may do something with it and by what;
// one is made, related, deleted, and the delete undone; what a key that only reads is not offered.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('instances')
const rows = (page: Page) => page.locator('tbody tr')
const undo = async (page: Page, done: string) => {
  await page.getByText(done).locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).last().waitFor()
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('shows what an instance is related to, and who may do what by it', async () => {
  const page = await console.visit('instances')
  await rows(page).nth(2).waitFor()
  await page.getByRole('searchbox', { name: 'Search instances' }).fill('voice:18')
  await page.getByText('1–1 of 1').waitFor()
  await page.getByRole('link', { name: 'invoice:18' }).click()
  const above = page.getByRole('region', { name: 'Parents' })
  await above.getByRole('button', { name: 'Parents of folder:q4' }).click()
  await above.getByText('None.').waitFor()
  await inspect(page, 'instance-relations')
  await page.getByRole('link', { name: 'Who has access' }).click()
  const ben = rows(page).filter({ hasText: 'ben@acme.example' })
  await ben.getByText('owner on folder:q4').waitFor()
  await inspect(page, 'who-may')
  await page.getByRole('link', { name: 'Why can ben@acme.example read invoice:18?' }).click()
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'stores an instance, relates it, gives a role on it, and undoes a delete',
  async () => {
    const page = await console.visit('instances')
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('button', { name: 'Create instance' }).click()
    await page.getByText('Resource is required').waitFor()
    await page.getByRole('combobox', { name: 'Resource' }).last().fill('invoice')
    await page.getByLabel('Key', { exact: true }).fill('20')
    await page.getByRole('combobox', { name: 'Tenant' }).last().fill('acme')
    await page.getByRole('button', { name: 'Create instance' }).click()
    await page.getByRole('heading', { name: 'invoice:20' }).waitFor()
    await page.getByRole('combobox', { name: 'Relation' }).fill('parent')
    await page.getByRole('combobox', { name: 'Instance' }).fill('folder:q4')
    await page.getByRole('button', { name: 'Add relation' }).click()
    const remove = page.getByRole('button', { name: 'Remove relation parent between folder:q4 and invoice:20' })
    await remove.click()
    await remove.waitFor({ state: 'detached' })
    await undo(page, 'folder:q4 is no longer parent of invoice:20')
    await remove.waitFor()

    await page.getByRole('link', { name: 'Roles' }).click()
    await page.getByText('No roles on this instance').waitFor()
    await page.getByRole('combobox', { name: 'User' }).fill('cleo@acme.example')
    await page.getByRole('combobox', { name: 'Role', exact: true }).fill('reader')
    await page.getByRole('button', { name: 'Assign role' }).click()
    await page.getByRole('button', { name: 'Remove role reader from cleo@acme.example' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete instance' }).click()
    await undo(page, 'invoice:20 deleted')
    await page.getByRole('link', { name: 'invoice:20' }).click()
    await remove.waitFor() // with its relation
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'offers a key that reads nothing but reading, and says what is not there',
  async () => {
    const page = await console.visit('instances/invoice:18', { access: 'read' })
    await page.getByRole('link', { name: 'folder:q4' }).waitFor()
    expect(await page.getByRole('button', { name: /Add|Remove|Delete/ }).count()).toBe(0)
    await page.goto(page.url().replace(/invoice.*/, 'invoice:none'))
    await page.getByText('No instance invoice:none').waitFor()
    await page.goto(page.url().replace(/invoice:none/, 'folder:q4?tab=access&action=share'))
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(2) // its owner, and who may share every folder of the tenant
    await page.route('**/authorized-users', (route) => route.fulfill({ status: 500, json: { message: 'broken' } }))
    await page.getByRole('link', { name: 'read', exact: true }).click()
    await page.getByRole('alert').getByText('Broken.').waitFor()
  },
)
