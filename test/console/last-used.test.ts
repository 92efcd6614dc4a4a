// What was not used for a time, as a story: the matrix has stripes on permissions that no one used, Users lists the roles
// that were not, the page of a user says when; and all of them say what cannot be known.
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('last-used')
const { p, e } = console.path
const DAY_MS = 86_400_000

/** Decisions of 40 days ago and of now, as an application records them. Returns the instant of the newest. */
async function record(): Promise<number> {
  const { id: environment } = dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: { p, e } } }))
  const sender = await console.makeKey('write')
  const now = Date.now()
  const of = {
    instance: 'b'.repeat(32),
    environment,
    request_id: null,
    revision: 2,
    api_key: sender.id,
    tenant: 'acme',
  }
  const how = { decision: true, latency_us: 40, sent: null, action: 'read', resource_key: null, reason: 'rbac' }
  const lines = [
    {
      ...of,
      ...how,
      seq: 1,
      time: new Date(now - 40 * DAY_MS).toISOString(),
      user: 'ben@acme.example',
      resource_type: 'report',
    },
    { ...of, ...how, seq: 2, time: new Date(now).toISOString(), user: 'cleo@acme.example', resource_type: 'invoice' },
  ]
  const stored = await fetch(`${consoleServer!.url}/v2/pdps/${p}/${e}/audit_logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.secret}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(await stored.json()).toMatchObject({ stored: 2 })
  return now
}

// skipped where no Chromium is installed: what counts as used is tested in test/http/management
it.skipIf(consoleServer === undefined)('shows what was not used, and what is not known', async () => {
  const page = await console.visit('policy?unused=30d')
  const go = (to: string) => goTo(page, `/${p}/${e}/${to}`)
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
  await page.getByText('It isn’t known what was used').waitFor()
  await cell('viewer has report:read: direct').waitFor()
  await go('users?unused=30d')
  await page.getByText('It isn’t known what was used').waitFor()

  await new Promise((resolve) => setTimeout(resolve, 1_100)) // roles are older than the decisions by a second
  const at = await record()
  await page.reload()
  await page.getByText('Decisions are known since').waitFor()
  await page.getByText('No roles unused for 30 days').waitFor() // none is so old
  await go('policy?unused=30d')
  await cell('viewer has report:read: direct, unused for 30 days').waitFor()
  await cell('viewer has invoice:read: direct').waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('list', { name: 'Legend' }).getByText('Unused for 30 days, by anyone').waitFor()
  await inspect(page, 'policy-unused')
  await page.getByLabel('Use', { exact: true }).selectOption('90d')
  await page.getByText("the matrix doesn't show what was unused then").waitFor()
  await cell('viewer has report:read: direct').waitFor()

  // the roles here are new: asked for as many seconds as are since the decisions, they are not
  await page.route('**/last_used/role_assignments*', (route) => {
    const seconds = Math.ceil((Date.now() - at) / 1_000)
    return route.continue({ url: route.request().url().replace('unused_for=30d', `unused_for=${seconds}s`) })
  })
  await go('users?unused=30d&tenant=acme')
  const table = page.getByRole('region', { name: 'Unused roles' })
  await table
    .getByRole('row', { name: /ben@acme.example.*viewer.*in acme/ })
    .locator('time')
    .nth(1)
    .waitFor()
  await table
    .getByRole('row', { name: /ana@acme.example/ })
    .getByText('No use known')
    .waitFor()
  expect(await table.getByText('cleo@acme.example').count()).toBe(0)
  await inspect(page, 'users-unused')
  await table.getByRole('link', { name: 'ben@acme.example' }).first().click()
  await page.getByRole('heading', { name: 'ben@acme.example', level: 1 }).waitFor()
  await page.getByText('· last used').waitFor()
  await page.getByText('Decisions are known since').waitFor()
  await page.getByRole('cell', { name: 'No use known' }).waitFor() // of owner on folder:q4
  await inspect(page, 'user-last-used')
})
