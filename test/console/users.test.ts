// The pages of users in a browser: one is found, made, given and deprived of a role, changed, deleted, and each of it
// undone; what a key that only reads is not offered; what another one changed meanwhile.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('users')
const rows = (page: Page) => page.locator('tbody tr')
const undo = async (page: Page, done: string) => {
  await page.getByText(done).locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).last().waitFor()
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('finds a user, and shows everything the user may do and why', async () => {
  const page = await console.visit('users')
  await rows(page).nth(4).waitFor()
  await inspect(page, 'users')
  // with the sign of kelvin, which composes to K and folds to k
  await page.getByRole('searchbox', { name: 'Search users' }).fill('O\u212aAF')
  await page.getByText('1–1 of 1').waitFor()
  expect(new URL(page.url()).searchParams.get('search')).toBe('O\u212aAF')
  await page.getByRole('link', { name: 'ben@acme.example' }).click()
  await page.getByRole('cell', { name: 'folder:q4 in acme' }).waitFor()
  await inspect(page, 'user-roles')
  await page.getByRole('link', { name: 'Permissions' }).click()
  await page.getByRole('heading', { name: 'On individual instances' }).waitFor()
  await inspect(page, 'user-permissions')
  await page.getByRole('link', { name: 'Why can ben@acme.example read invoice:18 in acme?' }).click()
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'shows what a user with very many instances may do, more on request',
  async () => {
    const keys = Array.from({ length: 1_100 }, (_, at) => `many-${String(at).padStart(4, '0')}`)
    const params = { path: console.path }
    const operations = keys.map((key) => ({ resource: 'folder', key, tenant: 'acme' }))
    await console.api.POST('/v2/facts/{p}/{e}/users', { params, body: { key: 'max' } })
    await console.api.PUT('/v2/facts/{p}/{e}/bulk/resource_instances', { params, body: { operations } })
    const held = { user: 'max', role: 'owner', tenant: 'acme' }
    const body = keys.map((key) => ({ ...held, resource_instance: `folder:${key}` }))
    await console.api.POST('/v2/facts/{p}/{e}/role_assignments/bulk', { params, body })
    const page = await console.visit('users/max?tab=permissions&search=many-1')
    await page.getByText('Searched 1,000 tenants and instances so far.').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page
      .getByRole('cell', { name: 'folder:many-1099' })
      .or(page.getByRole('button', { name: 'Show' }))
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    expect(await rows(page).count()).toBe(100)
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('makes a user, assigns and takes roles, and undoes it', async () => {
  const page = await console.visit('users')
  await page.getByRole('button', { name: 'New user' }).click()
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByText('Key is required').waitFor()
  await page.getByLabel('Key', { exact: true }).fill('flo@acme.example')
  await page.getByLabel('Attributes').fill('{"department": 7}')
  await page.getByRole('combobox', { name: 'First role' }).fill('editor')
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByText('The tenant is missing').waitFor() // and is not `default` unless somebody says so
  await page.getByRole('combobox', { name: 'In tenant' }).fill('acme')
  await inspect(page, 'new-user')
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByText(/department.* string/).waitFor() // the declared type is another one
  await page.getByLabel('Attributes').fill('{"department": "sales"}')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create user' }).click()

  await page.getByRole('heading', { name: 'flo@acme.example' }).waitFor()
  await page.getByRole('button', { name: 'Remove role editor in acme' }).click()
  await page.getByText('No roles').waitFor()
  await undo(page, 'Role editor removed from flo@acme.example')
  await page.getByRole('button', { name: 'Remove role editor in acme' }).waitFor()

  await page.getByLabel('Where the role applies').selectOption('instance')
  await page.getByRole('combobox', { name: 'Instance' }).fill('folder:q4')
  await page.getByRole('combobox', { name: 'Role', exact: true }).click()
  await page.getByRole('option', { name: 'owner' }).click()
  await page.getByRole('button', { name: 'Assign role' }).click()
  await rows(page).nth(1).waitFor()
  await page.getByRole('combobox', { name: 'Role', exact: true }).fill('owner')
  await page.getByRole('button', { name: 'Assign role' }).click()
  await page.getByText('The user already has this role.').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete user' }).click()
  await undo(page, 'User flo@acme.example deleted')
  await page.getByRole('link', { name: 'flo@acme.example' }).click()
  await rows(page).nth(1).waitFor() // with both roles
})

// skipped where no Chromium is installed: the API is tested in test/http/management/preconditions
it.skipIf(consoleServer === undefined)('keeps two pages from overwriting each other', async () => {
  const [one, two] = [await console.visit('tenants/acme?tab=details'), await console.visit('tenants/acme?tab=details')]
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
  const params = { path: { ...console.path, ref: 'acme' } }
  const read = async () => (await console.api.GET('/v2/facts/{p}/{e}/tenants/{ref}', { params })).data
  await one.getByLabel('Name').fill('Acme of one')
  await two.getByLabel('Name').fill('Acme of two')
  await two.getByLabel('Description').fill('by two')
  await save(two)
  await two.getByText('Tenant acme saved').waitFor()
  await save(one)
  await one.getByText('They changed: Name, Description. Nothing of yours is saved yet. To save it').waitFor()
  expect(await one.getByLabel('Name').inputValue()).toBe('Acme of one')
  expect(await read()).toMatchObject({ name: 'Acme of two', description: 'by two' })
  await inspect(one, 'tenant-overtaken')
  await one.getByRole('button', { name: 'Keep mine' }).click()
  expect(await one.getByLabel('Description').inputValue()).toBe('by two')
  await save(one)
  await one.getByText('Tenant acme saved').waitFor()
  expect(await read()).toMatchObject({ name: 'Acme of one', description: 'by two' })

  await two.getByRole('button', { name: 'Delete' }).click()
  await two.getByRole('button', { name: 'Delete tenant' }).click()
  await two.getByText('Someone else changed this in the meantime, so nothing was done.').waitFor()
  expect(await read()).toMatchObject({ name: 'Acme of one' })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'tells who changes a user that somebody else has changed meanwhile',
  async () => {
    const page = await console.visit('users/cleo@acme.example?tab=details')
    await page.getByLabel('Attributes').fill('{"department": "finance", "level": 2}')
    const params = { path: { ...console.path, ref: 'cleo@acme.example' } }
    await console.api.PATCH('/v2/facts/{p}/{e}/users/{ref}', { params, body: { last_name: 'March' } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Someone else changed this in the meantime').waitFor()
    await inspect(page, 'user-details')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    expect(await page.getByLabel('Last name').inputValue()).toBe('March')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('User cleo@acme.example saved').waitFor()
    const { data } = await console.api.GET('/v2/facts/{p}/{e}/users/{ref}', { params })
    expect(data).toMatchObject({ last_name: 'March', attributes: { department: 'finance', level: 2 } })

    const conditions = { not: { 'user.level': { equals: 2 } } }
    const made = { params: { path: console.path }, body: { key: 'juniors', type: 'userset' as const, conditions } }
    await console.api.POST('/v2/schema/{p}/{e}/condition_sets', made)
    const rule = { user_set: 'juniors', permission: 'folder:read', resource_set: '__autogen_folder' }
    await console.api.POST('/v2/facts/{p}/{e}/set_rules', { params: { path: console.path }, body: rule })
    await page.getByLabel('Attributes').fill('{"department": "finance"}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const warning = page.getByRole('alert').filter({ hasText: 'Done, with a warning' })
    await warning.getByText('condition set `juniors` has a `not` over `user.level`').waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'offers a key that reads nothing but reading, and says what is not there',
  async () => {
    const page = await console.visit('users/eli@globex.example', { access: 'read' })
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: /Take|Assign|Delete/ }).count()).toBe(0)
    await page.goto(page.url().replace('eli%40', 'nobody%40').replace('eli@', 'nobody@'))
    await page.getByText('No user nobody@globex.example').waitFor()
    await page.getByRole('link', { name: 'All users' }).click()
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: 'New user' }).count()).toBe(0)
    await page.getByRole('searchbox', { name: 'Search users' }).fill('nobody is called this')
    await page.getByText('No matching users').waitFor()
    await page.route('**/facts/**', (route) => route.fulfill({ status: 500, json: { id: 'abc', message: 'broken' } }))
    await page.getByRole('searchbox', { name: 'Search users' }).fill('ana')
    await page.getByRole('alert').getByText('Broken.').waitFor()
  },
)
