// The reference at /docs in a real browser: it asks nobody but the server that it comes from, finds operations, and
// sends a request with the key that is typed in. Skipped, with its reason printed, where no Chromium is installed.
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { CHROMIUM } from '../support/chromium.ts'

let api: Harness
let chrome: Browser
beforeAll(async () => {
  if (CHROMIUM === undefined) return
  api = await openHarness()
  chrome = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await chrome?.close()
  await api?.close()
})

// skipped where no Chromium is installed: what the page may load is said by its policy too,
// test/http/management/openapi.test.ts
it.skipIf(CHROMIUM === undefined)('loads and sends nothing elsewhere, searches, and tries a request', async () => {
  const base = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const page = await chrome.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(line.text()) // what the policy refuses is said here
  })
  await page.goto(`${base}/docs`)
  expect(await page.locator('h1').first().innerText()).toContain('Zerohop management API')

  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('combobox').or(page.getByPlaceholder('Search')).last().fill('List organizations')
  await page.getByRole('option').first().click()
  await page.getByPlaceholder('Token').first().fill(api.made.organization.secret)
  await page
    .getByRole('button', { name: /Test Request/ })
    .filter({ hasText: '(get /v2/orgs)' })
    .click()
  const [sent] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === '/v2/orgs'),
    page.getByRole('dialog').getByRole('button', { name: /Send/ }).first().click(),
  ])
  expect(sent.status()).toBe(200)
  expect(await sent.json()).toMatchObject([{ id: expect.any(String), key: expect.any(String) }])

  const paths = asked.filter((url) => !url.startsWith('data:')).map((url) => new URL(url))
  expect(paths.filter(({ origin }) => origin !== base).map(String)).toEqual([])
  expect(new Set(paths.map(({ pathname }) => pathname))).toEqual(
    new Set(['/docs', '/docs/scalar.js', '/v2/openapi.json', '/v2/orgs']),
  )
  expect(complaints).toEqual([])
})
