// 10,000 users, 300 roles, 500 tenants: pages stay small, count right, and find the last one; nothing asks for more
// than a page of the API.
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { PAGE_ROWS_MAX } from '../../src/model/limits.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const USERS = 10_000
const ROLES = 300
const TENANTS = 500
const TYPES = 40
/** Elements of a page, however much there is: a page of a list has 30 rows, the matrix what is seen of it. */
const ELEMENTS_MAX = 2_500

const digits = (at: number, of: number): string => String(at).padStart(String(of).length, '0')
const userAt = (at: number): string => `user-${digits(at, USERS)}@example.com`
const roleAt = (at: number): string => `role-${digits(at, ROLES)}`
const tenantAt = (at: number): string => `tenant-${digits(at, TENANTS)}`
const upTo = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at + 1))

const console = useConsole('large', {
  zerohop: 2,
  resources: upTo(TYPES, (at) => ({
    key: `type-${at}`,
    name: `Type ${at}`,
    actions: { read: {}, write: {}, share: {}, delete: {} },
  })),
  roles: upTo(ROLES, (at) => ({
    key: roleAt(at),
    name: `Role ${at}`,
    permissions: [`type-${(at % TYPES) + 1}:read`, `type-${(at % TYPES) + 1}:write`],
  })),
  tenants: upTo(TENANTS, (at) => ({ key: tenantAt(at), name: `Tenant ${at}` })),
  users: upTo(USERS, (at) => ({ key: userAt(at), email: userAt(at), first_name: 'User', last_name: String(at) })),
  role_assignments: upTo(USERS, (at) => ({
    user: userAt(at),
    role: roleAt((at % ROLES) + 1),
    tenant: tenantAt((at % TENANTS) + 1),
  })),
})
const LAST = { user: userAt(USERS), role: roleAt(ROLES), tenant: tenantAt(TENANTS) }

let tooMany: string[]
beforeEach(() => {
  tooMany = []
})

async function visit(address: string): Promise<Page> {
  const page = await console.visit(address)
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url())
    const rows = Math.max(...['per_page', 'limit'].map((name) => Number(searchParams.get(name) ?? 0)))
    if (rows > PAGE_ROWS_MAX) tooMany.push(request.url())
  })
  await page.reload()
  return page
}

/** How much there is in the page. */
async function expectSmall(page: Page): Promise<void> {
  expect(await page.locator('*').count()).toBeLessThan(ELEMENTS_MAX)
  expect(tooMany).toEqual([])
}

// skipped where no Chromium is installed: lists of the API are tested in test/http/management
it.skipIf(consoleServer === undefined)('Users and Tenants count all, and find the last one', async () => {
  const page = await visit('users')
  await page.getByText('of 10,000').waitFor()
  await expectSmall(page)
  await page.getByRole('searchbox', { name: 'Search users' }).fill(LAST.user.slice(0, -12))
  await page.getByText('1–1 of 1').waitFor()
  await page.getByRole('link', { name: LAST.user }).click()
  await page.getByRole('cell', { name: roleAt((USERS % ROLES) + 1), exact: true }).waitFor()
  await page.goto(page.url().replace(/users.*/, 'users?page=100'))
  await page.getByText('of 10,000').waitFor()
  await expectSmall(page)

  await page.getByRole('link', { name: 'Tenants', exact: true }).click()
  await page.getByText(/of 50[12]/).waitFor()
  await expectSmall(page)
  await page.getByRole('searchbox', { name: 'Search tenants' }).fill(LAST.tenant)
  await page.getByRole('link', { name: LAST.tenant }).click()
  await page.getByText('of 20').waitFor()
  await expectSmall(page)
})

// skipped where no Chromium is installed: rows and columns are tested in console/logic/matrix
it.skipIf(consoleServer === undefined)('the matrix draws what is seen, and reaches its last cell', async () => {
  const page = await visit('policy')
  const grid = page.getByRole('grid')
  await grid.waitFor()
  expect(await grid.getAttribute('aria-rowcount')).toBe(String(ROLES + 2))
  await expectSmall(page)
  await grid.focus()
  await page.keyboard.press('Control+End')
  await page
    .getByRole('gridcell', { name: new RegExp(`^${LAST.role} does not have type-`) })
    .last()
    .waitFor()
  await expectSmall(page)
  await inspect(page, 'large-policy', { isPlain: true })
  await page.goto(`${page.url()}?roles=${LAST.role}`)
  await page.getByRole('rowheader', { name: `Role ${ROLES}` }).waitFor()
  expect(await grid.getAttribute('aria-rowcount')).toBe('3')
})

// skipped where no Chromium is installed: the answers are tested in test/http/management/access-review
it.skipIf(consoleServer === undefined)('Access review pages through users, and counts roles', async () => {
  const page = await visit('access-review')
  await page.getByRole('region', { name: 'Access' }).getByText(userAt(1)).first().waitFor()
  await expectSmall(page)
  await page.getByRole('link', { name: 'By role' }).click()
  await page.getByRole('row', { name: new RegExp(`^${roleAt(2)}\\s+34`) }).waitFor()
  await expectSmall(page)
  await page.goto(page.url().replace(/\?.*/, `?user=${encodeURIComponent(LAST.user)}`))
  await page.getByRole('region', { name: 'Access' }).getByText(LAST.user).first().waitFor()
  await expectSmall(page)
})

// skipped where no Chromium is installed: suggestions are tested with less in console/shell and console/why
it.skipIf(consoleServer === undefined)('the palette and Why find the last user', async () => {
  const page = await visit('why')
  await page.getByRole('combobox', { name: 'User' }).fill(LAST.user.slice(0, -12))
  await page.getByRole('option', { name: LAST.user }).click()
  await page.getByRole('combobox', { name: 'Action' }).fill('read')
  await page.getByRole('combobox', { name: 'Resource' }).fill(`type-${(((USERS % ROLES) + 1) % TYPES) + 1}`)
  await page.getByRole('combobox', { name: 'Tenant' }).fill(tenantAt((USERS % TENANTS) + 1))
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
  await expectSmall(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill(LAST.user.slice(0, -12))
  await page.getByRole('option', { name: LAST.user }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: LAST.user, level: 1 }).waitFor()
  await expectSmall(page)
})
