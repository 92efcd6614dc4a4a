// Suspending a user, as a story: what will be denied is said first; the user's page, the lists and Why say it while it
// lasts; it is changed, and ended.
import { expect, it } from 'vitest'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('suspended')
const ANA = 'ana@acme.example'
const WHY = `why?user=${encodeURIComponent(ANA)}&action=read&resource=invoice&tenant=acme`
const DAY_MS = 86_400_000

async function findSuspension() {
  const params = { path: { ...console.path, ref: ANA } }
  return (await console.api.GET('/v2/facts/{p}/{e}/users/{ref}', { params })).data?.suspension
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('suspends a user, says so wherever it counts, and resumes', async () => {
  const page = await console.visit(`users/${ANA}`)
  const go = (to: string) => goTo(page, `/${console.path.p}/${console.path.e}/${to}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await dialog.getByText('1 user loses access').waitFor()
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
  await dialog.getByText('Reason is required').waitFor()
  await dialog.getByLabel('Reason').fill('lost laptop')
  await dialog.getByRole('button', { name: 'For 7 days' }).click()
  await inspect(page, 'suspend')
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
  const notice = page.getByRole('region', { name: 'Suspension' })
  await notice.getByText(/^Suspended until .*(UTC|GMT|[A-Z]{3,4})/).waitFor() // the time zone is named
  await notice.getByText('lost laptop').waitFor()
  expect(await page.getByRole('button', { name: 'Suspend', exact: true }).count()).toBe(0)
  const until = (await findSuspension())?.valid_until ?? ''
  expect(await notice.locator('time').first().getAttribute('datetime')).toBe(new Date(until).toISOString())
  expect(Math.abs(Date.parse(until) - Date.now() - 7 * DAY_MS)).toBeLessThan(DAY_MS)
  await inspect(page, 'user-suspended')

  await page.getByRole('link', { name: 'Users' }).first().click()
  const row = page.locator('tbody tr').filter({ hasText: ANA })
  await row.getByText('lost laptop').waitFor()
  await inspect(page, 'users-suspended')
  await go(WHY)
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByRole('listitem').first().getByText(`${ANA} is suspended until`).waitFor()
  await answer.getByText(/^since .*(UTC|GMT|[A-Z]{3,4}): lost laptop$/).waitFor()
  await inspect(page, 'why-suspended')

  await go(`users/${ANA}`)
  await notice.getByRole('button', { name: 'Change' }).click()
  await dialog.getByRole('button', { name: 'No end' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await notice.getByText('Suspended', { exact: true }).waitFor()
  expect(await findSuspension()).toMatchObject({ reason: 'lost laptop' })
  expect((await findSuspension())?.valid_until).toBeUndefined()
  await notice.getByRole('button', { name: 'Resume' }).click()
  await dialog.getByRole('region', { name: 'Gains access' }).waitFor()
  await inspect(page, 'resume')
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(`${ANA} resumed`).waitFor()
  await notice.waitFor({ state: 'detached' })
  expect(await findSuspension()).toBeUndefined()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'says that a suspension is to come, and offers no reader to end it',
  async () => {
    const params = { path: { ...console.path, ref: 'ben@acme.example' } }
    const body = { reason: 'parental leave', valid_from: new Date(Date.now() + DAY_MS).toISOString() }
    await console.api.PUT('/v2/facts/{p}/{e}/users/{ref}/suspension', { params, body })
    const page = await console.visit('tenants/acme', { access: 'read' })
    await page.getByText('Suspension starts').waitFor()
    await page.getByRole('link', { name: 'ben@acme.example' }).click()
    const notice = page.getByRole('region', { name: 'Suspension' })
    await notice.getByText('parental leave').waitFor()
    expect(await notice.getByRole('button').count()).toBe(0)
    await inspect(page, 'suspension-scheduled')
    await page.getByRole('link', { name: 'Time-limited access' }).click()
    const table = page.getByRole('region', { name: 'Suspensions and relations that start or end' })
    const row = table.locator('tbody tr').filter({ hasText: 'Suspension of ben@acme.example starts' })
    await row
      .getByText(/UTC|GMT|[A-Z]{3,4}/)
      .first()
      .waitFor() // the time zone is named
    await row.getByText('Loses').waitFor()
    await row.getByText('read invoice in acme').waitFor()
    await page.getByRole('region', { name: 'Loses access' }).getByText('read invoice in acme: 1 user').waitFor()
    await inspect(page, 'time-limited-suspension')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('removes everything, and says what remains', async () => {
  const page = await console.visit('users/cleo@acme.example')
  const dialog = page.getByRole('dialog', { name: /^Remove everything from/ })
  const remains = dialog.getByRole('region', { name: 'What remains' })
  const opener = page.getByRole('button', { name: 'Remove everything' })
  await opener.click()
  await remains.getByText(/^Access rule finance-staff × small-invoices: invoice:approve/).waitFor()
  await remains.getByText('Member of acme').waitFor()
  await dialog.getByRole('region', { name: 'Loses access' }).waitFor()
  await inspect(page, 'remove-everything')
  await page.keyboard.press('Escape')
  const suspended = { path: { ...console.path, ref: 'cleo@acme.example' } }
  await console.api.PUT('/v2/facts/{p}/{e}/users/{ref}/suspension', { params: suspended, body: { reason: 'left' } })
  await page.reload()
  await page.getByRole('region', { name: 'Suspension' }).waitFor()
  await opener.click()
  await remains.getByText('cleo@acme.example is suspended').waitFor()
  await inspect(page, 'remove-everything-suspended', { sizes: ['narrow'] })
  await dialog.getByRole('button', { name: 'Remove 1 role' }).click()
  await page.getByText('1 role removed from cleo@acme.example').waitFor()
  await page.getByText('No roles', { exact: true }).waitFor()
})
