// The page Decisions in a browser: recorded decisions are filtered, and one opens in Why as of then; nothing recorded
// yet.
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('decisions')
const { p, e } = console.path
/** The stream tells what is new since its first look at the log. */
const LOOK_MS = 700
const AT = Date.parse('2026-11-20T08:00:00Z')

let series = 0

interface Asked {
  readonly user: string
  readonly action: string
  readonly key: string | null
  readonly decision: boolean
  readonly reason?: string
}

/** Stores records as a PDP sends them, a minute apart. */
async function record(asked: readonly Asked[]): Promise<void> {
  series++
  const { id: environment } = dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: { p, e } } }))
  const sender = await console.makeKey('write')
  const lines = asked.map(({ user, action, key, decision, reason = decision ? 'rbac' : 'no_permission' }, at) => ({
    ...{
      instance: String(series).repeat(32),
      seq: at + 1,
      time: new Date(AT + ((series - 1) * 100 + at) * 60_000).toISOString(),
      environment,
    },
    ...{ request_id: null, revision: 2, api_key: sender.id, user, tenant: 'acme', action, resource_type: 'invoice' },
    ...{ resource_key: key, decision, reason, latency_us: 40, sent: null },
  }))
  const stored = await fetch(`${consoleServer!.url}/v2/pdps/${p}/${e}/audit_logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.secret}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(await stored.json()).toMatchObject({ stored: lines.length })
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('finds the decision that someone asks about, and why it was made', async () => {
  const page = await console.visit('decisions')
  await page.getByRole('heading', { name: 'No decisions yet' }).waitFor()
  await inspect(page, 'decisions-empty')

  const long = `invoice-${'of-a-customer-with-a-long-name-'.repeat(6)}`
  await record([
    { user: 'ben@acme.example', action: 'approve', key: '18', decision: false },
    { user: 'cleo@acme.example', action: 'approve', key: '18', decision: true },
    { user: 'ben@acme.example', action: 'read', key: long, decision: true },
    ...Array.from({ length: 60 }, () => ({ user: 'ana@acme.example', action: 'read', key: null, decision: true })),
  ])
  await page.getByRole('button', { name: 'Refresh' }).click()
  const table = page.getByRole('region', { name: 'Recorded decisions' })
  await table.waitFor()
  expect(await page.getByRole('navigation', { name: 'Pagination' }).innerText()).toContain('of 63')
  await page.getByRole('combobox', { name: 'User' }).fill('ben@acme.example')
  await page.keyboard.press('Enter')
  await expect.poll(() => table.getByRole('link').count()).toBe(2)
  await table
    .getByRole('cell', { name: 'no role of the user in this tenant has the permission', exact: true })
    .waitFor()
  await table.getByRole('cell', { name: 'a role of the user in this tenant has the permission', exact: true }).waitFor()
  await inspect(page, 'decisions')
  await page.getByLabel('Answer', { exact: true }).selectOption('deny')
  await expect.poll(() => table.getByRole('link').count()).toBe(1)
  await table.getByRole('link', { name: 'ben@acme.example approve invoice:18' }).press('Enter')
  await page.getByRole('region', { name: 'Answer' }).getByRole('heading', { name: 'Denied' }).waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
    user: 'ben@acme.example',
    action: 'approve',
    resource: 'invoice:18',
    tenant: 'acme',
    context: JSON.stringify({ now: AT }),
  })
  await page.goBack()
  await table.waitFor()

  await page.getByRole('button', { name: 'Live' }).click()
  await page.getByText('Waiting for decisions').waitFor()
  await page.waitForTimeout(LOOK_MS)
  await record([
    { user: 'ben@acme.example', action: 'export', key: '7', decision: false, reason: 'deny' },
    { user: 'ben@acme.example', action: 'export', key: '8', decision: true },
  ])
  await table.getByRole('link', { name: 'ben@acme.example export invoice:7' }).waitFor()
  expect(await table.getByRole('link').count()).toBe(2)
  // where no reason was recorded the column says so
  await table.getByRole('cell', { name: 'not recorded' }).waitFor()
  await inspect(page, 'decisions-live')
  await page.getByRole('combobox', { name: 'User' }).fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No decisions match these filters' }).waitFor()
})
