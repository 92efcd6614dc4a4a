// Public documents (D16), as a story: a role is marked as one for everyone, and everyone gets it until Friday on a document
// and for good in a tenant. The console asks again before; the lists, Why, the access review and the history say it.
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('everyone', {
  zerohop: 2,
  resources: [
    {
      key: 'document',
      name: 'Document',
      actions: { read: {}, write: {}, browse: {} },
      roles: { reader: { permissions: ['read'] }, owner: { permissions: ['read', 'write'] } },
    },
  ],
  roles: [{ key: 'visitor', name: 'Visitor', permissions: ['document:browse'] }],
  tenants: [{ key: 'acme', name: 'Acme' }],
  users: [{ key: 'ana', first_name: 'Ana' }],
  resource_instances: [{ resource: 'document', key: 'handbook', tenant: 'acme' }],
  role_assignments: [{ user: 'ana', role: 'owner', resource_instance: 'document:handbook' }],
})
const DAY_MS = 86_400_000
const rows = (page: Page) => page.locator('tbody tr')

/** The roles of everyone, with their ends, as the API has them. */
async function listShared() {
  const query = { user: ['*'] }
  const { data } = await console.api.GET('/v2/facts/{p}/{e}/role_assignments', {
    params: { path: console.path, query },
  })
  return (data as readonly { readonly role: string; readonly valid_until?: string }[]).map(({ role, valid_until }) => [
    role,
    valid_until,
  ])
}

const hasFocus = (on: Locator) => expect.poll(() => on.evaluate((each) => each === document.activeElement)).toBe(true)

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('makes documents public, and says so wherever it counts', async () => {
  const page = await console.visit('resources/document?tab=roles')
  const go = (to: string) => goTo(page, `/${console.path.p}/${console.path.e}/${to}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit role reader' }).click()
  await dialog.getByLabel('Can be given to everyone').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const shown = page.getByRole('article', { name: 'Role reader' })
  await shown.getByText('can be given to everyone').waitFor()
  await go('policy')
  await page.getByRole('rowheader', { name: 'visitor' }).click()
  const role = page.getByRole('dialog')
  await role.getByLabel('Can be given to everyone').check()
  await role.getByRole('button', { name: 'Update draft' }).click()
  await page.getByRole('link', { name: /^Review/ }).click()
  await page.getByText('Can be given to everyone').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Policy', level: 1 }).waitFor()

  await go('instances/document:handbook?tab=roles')
  const friday = await page.evaluate((ms) => {
    const date = new Date(Date.now() + ms)
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }, DAY_MS)
  await page.getByRole('combobox', { name: 'User' }).fill('*')
  await page.getByRole('combobox', { name: 'Role' }).fill('reader')
  await page.getByRole('button', { name: 'Set a start or reason' }).click()
  await page.getByLabel(/^Ends \(\w+/).fill(friday)
  const assign = page.getByRole('button', { name: 'Assign role' })
  const question = page.getByRole('dialog', { name: 'Give role reader to everyone?' })
  for (const cancel of [
    () => page.keyboard.press('Escape'),
    () => question.getByRole('button', { name: 'Cancel' }).press('Enter'),
  ]) {
    await assign.focus()
    await page.keyboard.press('Enter')
    await question.getByText(/on document:handbook will be allowed to everyone until .*not signed in/).waitFor()
    // on what does no harm
    await hasFocus(question.getByRole('button', { name: 'Cancel' }))
    await cancel()
    await question.waitFor({ state: 'detached' })
    await hasFocus(assign)
    expect(await listShared()).toEqual([])
  }
  await page.keyboard.press('Enter')
  await question.waitFor()
  await inspect(page, 'give-to-everyone')
  await page.keyboard.press('Tab')
  await hasFocus(question.getByRole('button', { name: 'Give to everyone' }))
  await page.keyboard.press('Enter')
  await rows(page)
    .filter({ hasText: 'Everyone' })
    .getByText(/UTC|GMT|[A-Z]{3,4}/)
    .waitFor()
  const until = (await listShared())[0]?.[1] ?? ''
  expect(Date.parse(until)).toBe(await page.evaluate((typed) => new Date(typed).getTime(), friday))
  await page.getByRole('link', { name: 'Who has access' }).click()
  await rows(page).filter({ hasText: 'Everyone' }).getByText('everyone: reader on document:handbook').waitFor()
  await page.getByText('Everyone and 1 user, as of').waitFor()

  await go('tenants/acme')
  await page.getByRole('combobox', { name: 'User' }).fill('every')
  await page.getByRole('option', { name: 'Everyone' }).click()
  await page.getByRole('combobox', { name: 'Role', exact: true }).fill('visitor')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Give to everyone' }).click()
  const shared = page.getByRole('region', { name: 'Roles of everyone in acme' })
  await shared.getByRole('row').filter({ hasText: 'visitor' }).getByText('No end').waitFor()
  await shared.getByRole('link', { name: 'document:handbook' }).waitFor()
  await inspect(page, 'tenant-everyone')

  const answer = page.getByRole('region', { name: 'Answer' })
  for (const [user, action, resource, by] of [
    ['guest', 'read', 'document:handbook', 'reader'],
    ['ana', 'browse', 'document', 'visitor'],
  ] as const) {
    await go(`why?user=${user}&action=${action}&resource=${resource}&tenant=acme`)
    await answer.getByRole('heading', { name: 'Allowed' }).waitFor()
    await answer.getByRole('list', { name: 'Path 1 that allows it' }).getByText('as everyone has').waitFor()
    await answer
      .getByText(new RegExp(`(every(body|one).*role ${by}|role ${by}.*every(body|one))`))
      .first()
      .waitFor()
  }
  await inspect(page, 'why-everyone', { sizes: ['narrow'] })

  await go('access-review')
  const ofAll = rows(page).filter({ hasText: 'Everyone' })
  await ofAll.filter({ hasText: 'visitor' }).getByText('in acme').waitFor()
  expect(await ofAll.count()).toBe(2)
  await inspect(page, 'access-review-everyone')
  await page.getByRole('link', { name: 'By role' }).click()
  await rows(page).filter({ hasText: 'visitor' }).getByText('Everyone', { exact: true }).waitFor()
  await go('overview')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

  await go('time-limited')
  await rows(page).getByText('Everyone').waitFor()
  await page
    .getByRole('region', { name: 'Loses access' })
    .getByText('read document in acme: everyone, as document#reader')
    .waitFor()
  await go('history')
  await page.getByText('Gave everyone the role visitor in tenant acme').waitFor()
  await rows(page).filter({ hasText: 'Gave everyone the role reader on document:handbook' }).getByRole('link').click()
  await page.getByText('Everyone: reader on document:handbook').waitFor()
  await page.getByRole('heading', { name: 'Everyone gains access (1 permission)' }).waitFor()
  await page.getByText('Show each permission').click()
  await page.getByRole('link', { name: 'Everyone: read document:handbook in acme' }).waitFor()
  await inspect(page, 'revision-everyone', { sizes: ['narrow'] })

  await go('instances/document:handbook?tab=roles')
  await page.getByRole('button', { name: 'Remove role reader from everyone' }).click()
  await page.getByText('Role reader removed from everyone').waitFor()
  await rows(page).filter({ hasText: 'Everyone' }).waitFor({ state: 'detached' })
  expect(await listShared()).toEqual([['visitor', undefined]])
})
