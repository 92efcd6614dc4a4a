// Access for a time, as a story: a role until tomorrow, seen on the user, in the list of what ends and by Why; made
// longer, ended at once, and seen again as what has ended.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('for-a-time')
const DAY_MS = 86_400_000
const DEV = 'dev@globex.example'
const rows = (page: Page) => page.locator('tbody tr')
const WHY = `why?user=${encodeURIComponent(DEV)}&action=export&resource=report&tenant=globex`

/** The assignment as the API has it. */
async function held() {
  const query = { user: [DEV], role: ['auditor'], state: ['in_force', 'ended'] }
  const found = dataOf(
    await console.api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path: console.path, query } }),
  ) as readonly { readonly valid_until?: string; readonly reason?: string; readonly ticket?: string }[]
  return found[0]
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('gives a role until tomorrow, and says so wherever it counts', async () => {
  const page = await console.visit(`users/${DEV}`)
  const go = (to: string) => goTo(page, `/${console.path.p}/${console.path.e}/${to}`)
  // what the field has: the time of the reader, to the minute
  const tomorrow = await page.evaluate((ms) => {
    const date = new Date(Date.now() + ms)
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }, DAY_MS)
  await page.getByRole('combobox', { name: 'Role', exact: true }).fill('auditor')
  await page.getByRole('combobox', { name: 'Tenant' }).fill('globex')
  await page.getByRole('button', { name: 'Set a start or reason' }).click()
  await page.getByLabel(/^Ends \(\w+/).fill(tomorrow)
  await page.getByLabel('Ticket').fill('OPS-1741')
  await inspect(page, 'assign-for-a-time')
  await page.getByRole('button', { name: 'Assign role' }).click()
  const row = rows(page).filter({ hasText: 'auditor' })
  await row.getByText(/UTC|GMT|[A-Z]{3,4}/).waitFor() // the time zone is named
  const end = Date.parse((await held())?.valid_until ?? '')
  expect(end).toBe(await page.evaluate((typed) => new Date(typed).getTime(), tomorrow))
  expect(await row.locator('time').last().getAttribute('datetime')).toBe(new Date(end).toISOString())

  await page.getByRole('navigation').getByRole('link', { name: 'Time-limited access' }).click()
  await rows(page).filter({ hasText: 'OPS-1741' }).waitFor()
  expect(await rows(page).count()).toBe(1)
  const losers = page.getByRole('region', { name: 'Loses access' })
  await losers.getByText('export report in globex: 1 user, as auditor').waitFor()
  await inspect(page, 'time-limited')
  await page.getByRole('button', { name: `Change times of role auditor of ${DEV} in globex` }).click()
  await page.getByRole('button', { name: '7 days more' }).click()
  await page.getByLabel('Reason').fill('audits the year')
  await inspect(page, 'change-times')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`Role auditor of ${DEV} changed`).waitFor()
  // in 8 days: within 30 somebody loses access by it, within 7 nobody does
  await losers.waitFor()
  await page.getByLabel('Ends', { exact: true }).selectOption('7')
  await page.getByText('No one gains or loses access by itself').waitFor()
  await page.getByLabel('Ends', { exact: true }).selectOption('30')
  await losers.waitFor()
  const longer = await held()
  expect(longer).toMatchObject({ ticket: 'OPS-1741', reason: 'audits the year' })
  expect(Date.parse(longer?.valid_until ?? '') - end).toBe(7 * DAY_MS)

  await go('tenants/globex')
  const tag = rows(page)
    .filter({ hasText: DEV })
    .getByText(/^auditor until .*(UTC|GMT|[A-Z]{3,4})/)
  await tag.waitFor()
  expect(await tag.locator('time').getAttribute('datetime')).toBe(new Date(end + 7 * DAY_MS).toISOString())
  await inspect(page, 'members-for-a-time')
  await go(WHY)
  await page.getByText('in force until').first().waitFor()
  await go('time-limited')
  await page.getByRole('button', { name: `End now: role auditor of ${DEV} in globex` }).click()
  await page.getByText('No roles end in the next 30 days').waitFor()
  await page.getByLabel('State').selectOption('ended')
  await rows(page).filter({ hasText: 'Ended' }).waitFor()
  await go(WHY)
  await page.getByText('was in force until').first().waitFor()
})
