// The page of keys in a browser: a key is made and its secret shown once, with a line that starts a PDP by it; it is
// rotated and deleted after saying what that does; a key that only reads may look. And the PDPs of the environment.
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client.ts'
import { connect } from '../../src/index.ts'
import { VERSION } from '../../src/model/version.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'
import { losePdp } from '../support/pdps.ts'

const console = useConsole('keys')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const row = (page: Page, name: string) => page.locator('tbody tr').filter({ hasText: name })
const secretIn = (page: Page) => page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue()

/** The status of a request with this key. */
async function requestStatus(secret: string): Promise<number> {
  const client = createClient({ url: consoleServer!.url, apiKey: secret })
  const params = { path: console.path }
  return (await client.GET('/v2/schema/{p}/{e}/roles', { params })).response.status
}

// skipped where no Chromium is installed: the routes are tested in test/management/api-keys
it.skipIf(consoleServer === undefined)('makes a key, shows its secret once, rotates it and deletes it', async () => {
  const page = await console.visit('keys')
  await page.getByText('signed in').waitFor()
  await press(page, 'New key')
  await press(page, 'Create key')
  await page.getByText('Name is required').waitFor()
  await page.getByLabel('Name').fill('shop back end')
  expect(await page.getByLabel('Scope').locator('option').allTextContents()).toEqual([
    expect.stringContaining('SCIM in this environment'),
    expect.stringContaining('One tenant of this environment'),
    expect.stringContaining('This environment'), // no further than the own key
  ])
  await press(page, 'Create key')
  const secret = await secretIn(page)
  expect(await requestStatus(secret)).toBe(200)
  const docker = await page.getByRole('dialog').getByRole('textbox', { name: 'Docker' }).inputValue()
  expect(docker).toContain(`-e PDP_API_KEY -e PDP_CONTROL_PLANE=${consoleServer!.url} `)
  await press(page, 'I have copied it')
  await row(page, 'shop back end').waitFor()
  expect(await page.content()).not.toContain(secret)
  const line = await page.getByRole('textbox', { name: 'Docker' }).inputValue()
  expect(line).toContain('-e PDP_API_KEY -e')
  await inspect(page, 'keys')

  await press(page, 'Rotate shop back end')
  await page.getByText('Nothing is interrupted now').waitFor()
  await page.getByLabel('The current secret stays valid').selectOption('0')
  await page.getByText('PDPs that use it stop answering').waitFor()
  await press(page, 'Rotate key')
  const rotated = await secretIn(page)
  expect([await requestStatus(secret), await requestStatus(rotated)]).toEqual([401, 200])
  await press(page, 'I have copied it')
  await press(page, 'Delete shop back end')
  await press(page, 'Delete key')
  await row(page, 'shop back end').waitFor({ state: 'detached' })
  expect(await requestStatus(rotated)).toBe(401)
  await press(page, 'Delete keys admin')
  await page.getByText('You are signed in with this key').waitFor()
})

// skipped where no Chromium is installed: the routes are tested in test/http/management/tenant-keys
it.skipIf(consoleServer === undefined)('makes a key for one tenant', async () => {
  const page = await console.visit('keys')
  await press(page, 'New key')
  await page.getByLabel('Name').fill('admins of a customer')
  await page.getByLabel('Scope').selectOption('tenant')
  await press(page, 'Create key')
  await page.getByText('Tenant is required').waitFor()
  await page.getByLabel('Tenant', { exact: true }).fill('default')
  await inspect(page, 'key-of-tenant')
  await press(page, 'Create key')
  const secret = await secretIn(page)
  expect(await page.getByRole('textbox', { name: 'Docker' }).count()).toBe(1) // no line of its own: no PDP takes it
  await press(page, 'I have copied it')
  await row(page, 'admins of a customer')
    .getByText(/Tenant default of Environment|Tenant default of/)
    .waitFor()
  expect(await requestStatus(secret)).toBe(404)
})

// skipped where no Chromium is installed: the routes are tested in test/http/management/key-ends
it.skipIf(consoleServer === undefined)('shows when keys end, keeps an old secret for a day, and ends it', async () => {
  const page = await console.visit('keys')
  await press(page, 'New key')
  await page.getByLabel('Name').fill('night job')
  await page.getByLabel('Ends').selectOption('30')
  await press(page, 'Create key')
  const secret = await secretIn(page)
  await press(page, 'I have copied it')
  const job = row(page, 'night job')
  await job.locator('time').first().waitFor()
  expect(await job.getByText(/expired|ends soon/).count()).toBe(0)

  await press(page, 'Rotate night job')
  await press(page, 'Rotate key')
  const rotated = await secretIn(page)
  expect([await requestStatus(secret), await requestStatus(rotated)]).toEqual([200, 200])
  await press(page, 'I have copied it')
  await job.getByText('old secret:').waitFor()
  await press(page, 'Rotate night job')
  expect(await page.getByLabel('The current secret stays valid').locator('option').count()).toBe(1)
  await press(page, 'Cancel')
  await inspect(page, 'keys-old-secret')
  await press(page, 'End old secret of night job')
  await press(page, 'End old secret')
  await job.getByText('old secret:').waitFor({ state: 'detached' })
  expect([await requestStatus(secret), await requestStatus(rotated)]).toEqual([401, 200])

  const now = Date.now() + 25 * 86_400_000
  await page.clock.setFixedTime(now)
  await page.reload()
  await job.getByText('ends soon').waitFor()
  await page.clock.setFixedTime(now + 10 * 86_400_000)
  await page.reload()
  await job.getByText('expired').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('lets a key that reads look, and says when keys cannot be read', async () => {
  const page = await console.visit('keys', { access: 'read' })
  await row(page, 'keys read').getByText('signed in').waitFor()
  expect(await page.getByRole('button', { name: /New|Rotate|Delete/ }).count()).toBe(0)
  await page.route('**/v2/api-key?*', (route) => route.fulfill({ status: 500, json: { message: 'broken' } }))
  await page.reload()
  await page.getByRole('alert').getByText('Broken.').waitFor()
})

// skipped where no Chromium is installed: the list is tested in test/management/pdps
it.skipIf(consoleServer === undefined)('lists the PDPs, and marks one that is not connected', async () => {
  const { url } = consoleServer!
  const { secret } = await console.makeKey('read')
  const page = await console.visit('keys', { access: 'read' })
  const pdps = page.getByRole('region', { name: 'PDPs of this environment' })
  await pdps.getByText('No PDPs are connected.').waitFor()
  const pdp = await connect({ url, apiKey: secret, name: 'till <b>1</b>' })
  onTestFinished(() => pdp.close())
  await losePdp(url, secret, 'zebra')
  await page.reload()
  const till = pdps.locator('tbody tr').filter({ hasText: 'till <b>1</b>' })
  await till.waitFor()
  expect(await till.locator('td').allInnerTexts()).toEqual([
    'till <b>1</b>',
    VERSION,
    expect.stringMatching(/^\d+/),
    '0',
    expect.any(String),
    'Connected',
  ])
  const zebra = pdps.locator('tbody tr').first()
  expect(await zebra.locator('td').allInnerTexts()).toEqual(expect.arrayContaining(['zebra', 'Not connected']))
  await inspect(page, 'keys-pdps')
})
