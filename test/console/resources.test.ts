// The pages of resources in a browser: a type is made, gets actions, an attribute, a relation and a role that is
// derived over it; the graph shows that, and what a delete takes along is said first. What a key that only reads is not
// offered.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('resources')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')

// skipped where no Chromium is installed: what is drawn of a graph is tested in test/console/units/type-graph
it.skipIf(consoleServer === undefined)('makes a type with roles over a relation, draws it, deletes it', async () => {
  const page = await console.visit('resources')
  await page.getByRole('link', { name: 'invoice', exact: true }).waitFor()
  await press(page, 'New resource')
  await page.getByLabel('Key', { exact: true }).fill('memo')
  await page.getByLabel('Actions').fill('read, edit')
  await press(page, 'Create resource')
  await page.getByRole('heading', { name: 'memo' }).waitFor()
  await press(page, 'Edit action edit')
  await page.getByLabel('Name').fill('Change')
  await press(page, 'Save')
  await page.getByText('Change', { exact: true }).first().waitFor()

  await tab(page, 'Attributes')
  await press(page, 'New attribute')
  await page.getByLabel('Key', { exact: true }).fill('pages')
  await page.getByLabel('Type', { exact: true }).selectOption('number')
  await press(page, 'Create attribute')
  await page.getByRole('cell', { name: 'number' }).waitFor()

  await tab(page, 'Relations')
  await press(page, 'New relation')
  await press(page, 'Create relation')
  await page.getByText('Source type is required').waitFor()
  await page.getByLabel('Key', { exact: true }).fill('parent')
  await page.getByRole('combobox', { name: 'Source type' }).fill('folder')
  await press(page, 'Create relation')
  await page.getByRole('cell', { name: 'parent', exact: true }).waitFor()

  await tab(page, 'Roles')
  await press(page, 'New role')
  await page.getByLabel('Key', { exact: true }).fill('reader')
  await page.getByRole('checkbox', { name: 'read' }).check()
  await press(page, 'Create role')
  const role = page.getByRole('article', { name: 'Role reader' })
  await role.getByRole('button', { name: 'Add a derivation of reader' }).click()
  await page.getByRole('combobox', { name: 'Role on the folder' }).fill('owner')
  await role.getByRole('button', { name: 'Add', exact: true }).click()
  await role.getByText('owner on the parent folder').waitFor()
  await inspect(page, 'resource-roles')

  await page.getByRole('navigation', { name: 'Part of' }).getByRole('link').click()
  await tab(page, 'Graph')
  const graph = page.getByRole('region', { name: 'Graph of types and relations' })
  await graph.getByRole('link', { name: 'memo' }).waitFor()
  await page.getByText('owner on folder gives reader on memo').waitFor()
  await inspect(page, 'resource-graph')
  await graph.getByRole('link', { name: 'memo' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'memo' }).waitFor()
  await page.goBack()
  await graph.getByRole('link', { name: 'memo' }).click()
  await page.getByRole('heading', { name: 'memo' }).waitFor()

  await page.goto(page.url().replace(/memo.*/, 'folder'))
  await press(page, 'Delete')
  await dialog(page).getByText('2 users lose access').waitFor()
  await dialog(page).getByText('memo/parent').waitFor()
  await inspect(page, 'resource-delete', { sizes: ['wide'] })
  await press(page, 'Delete resource')
  await page.getByText('Resource folder deleted').locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).last().waitFor()
  await page.getByRole('link', { name: 'folder', exact: true }).waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('warns a user who changes a role that someone else has changed', async () => {
  const page = await console.visit('resources/report?tab=roles')
  await press(page, 'New role')
  await page.getByLabel('Key', { exact: true }).fill('writer')
  await press(page, 'Create role')
  await press(page, 'Edit role writer')
  await page.getByLabel('Name').fill('Mine')
  await page.getByRole('checkbox', { name: 'read' }).check()
  const params = { path: { ...console.path, resource: 'report', ref: 'writer' } }
  const body = { name: 'Theirs', description: 'by them' }
  await console.api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}', { params, body })
  await press(page, 'Save')
  await page.getByText('Someone else changed this in the meantime: Name.').waitFor()
  // between what the dialog read and its write, in a field that is not changed here
  const writes: (string | undefined)[] = []
  await page.route('**/roles/writer', async (route) => {
    if (route.request().method() === 'PATCH' && writes.push(route.request().headers()['if-match']) === 1) {
      const other = { params, body: { description: 'by them again' } }
      await console.api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}', other)
    }
    await route.continue()
  })
  await press(page, 'Save')
  await page.getByText('Mine · by them again').waitFor()
  expect(new Set(writes).size).toBe(2)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('offers a key that reads nothing but reading', async () => {
  const page = await console.visit('resources/invoice?tab=roles', { access: 'read' })
  await page.getByText('owner on the parent folder').waitFor()
  expect(await page.getByRole('button', { name: /New|Edit|Delete|Add/ }).count()).toBe(0)
  await page.goto(page.url().replace(/invoice.*/, 'none'))
  await page.getByText('No resource none').waitFor()
})
