// The tasks that people open the console for, in at most five steps from its first page: a step is a click, a key, or a
// field that is filled. Each ends with what was wanted on the page.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('tasks')
const { p, e } = console.path
const STEPS_MAX = 5

/** The first page of the environment, and how many steps were taken from there. */
async function begin() {
  const page = await console.visit('overview')
  await page.getByRole('list', { name: 'Contents' }).waitFor()
  let steps = 0
  const step = async (act: (page: Page) => Promise<unknown>) => {
    steps++
    await act(page)
  }
  return { page, step, count: () => steps }
}

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('finds the rule behind a decision in five steps', async () => {
  const body = { user: 'cleo@acme.example', action: 'approve', resource: { type: 'invoice', key: '18' } }
  const headers = { authorization: `Bearer ${consoleServer!.key}`, 'content-type': 'application/json' }
  const { id: environment } = dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: { p, e } } }))
  const sender = await console.makeKey('write')
  const line = {
    ...{ instance: 'a'.repeat(32), seq: 1, time: new Date().toISOString(), environment, request_id: null, revision: 2 },
    ...{ api_key: sender.id, user: body.user, tenant: 'acme', action: 'approve', resource_type: 'invoice' },
    ...{ resource_key: '18', decision: true, reason: 'abac', latency_us: 40, sent: null },
  }
  const stored = await fetch(`${consoleServer!.url}/v2/pdps/${p}/${e}/audit_logs`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${sender.secret}`, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  })
  expect(stored.ok).toBe(true)
  const { page, step, count } = await begin()
  await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Decisions' }).first().click())
  await step((at) =>
    at
      .getByRole('link', { name: /cleo@acme\.example approve invoice:18/ })
      .first()
      .click(),
  )
  const path = page.getByRole('list', { name: 'Path 1 that allows it' })
  await path.getByText('which can').waitFor()
  expect((await path.getByRole('link').allInnerTexts()).map((text) => text.trim())).toEqual([
    'cleo@acme.example',
    'user set finance-staff',
    'approve invoice',
    'resource set small-invoices',
    'invoice:18',
  ])
  await inspect(page, 'why-path')
  // with the keyboard: every noun is a link
  await step(() => path.getByRole('link', { name: 'user set finance-staff' }).press('Enter'))
  await page.getByRole('heading', { name: 'finance-staff', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'small-invoices' }).first().waitFor()
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('lists who may export in one tenant in five steps', async () => {
  const { page, step, count } = await begin()
  await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Access review' }).first().click())
  await step((at) => at.getByRole('combobox', { name: 'Action' }).fill('export'))
  await step((at) => at.keyboard.press('Enter'))
  await step((at) => at.getByRole('combobox', { name: 'Tenant' }).fill('acme'))
  await step((at) => at.keyboard.press('Enter'))
  await page.waitForURL(/tenant=acme/)
  const table = page.getByRole('region', { name: 'Access' })
  await expect
    .poll(async () => [...new Set(await table.getByRole('link', { name: /@/ }).allInnerTexts())].sort())
    .toEqual(['ana@acme.example', 'cleo@acme.example'])
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('removes everything of one person in five steps', async () => {
  const { page, step, count } = await begin()
  await step((at) => at.keyboard.press('Control+k'))
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await step((at) => at.keyboard.type('eli@globex'))
  await page.getByRole('option', { name: /eli@globex\.example/ }).waitFor()
  await step((at) => at.keyboard.press('Enter'))
  await page.getByRole('heading', { name: 'eli@globex.example', level: 1 }).waitFor()
  await step((at) => at.getByRole('button', { name: 'Delete' }).click())
  await step((at) => at.getByRole('button', { name: 'Delete user' }).click())
  await page.getByText('User eli@globex.example deleted').waitFor()
  const path = { p, e, ref: 'eli@globex.example' }
  const { response } = await console.api.GET('/v2/facts/{p}/{e}/users/{ref}', { params: { path } })
  expect(response.status).toBe(404)
  const query = { user: ['eli@globex.example'] }
  expect(
    dataOf(await console.api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path: { p, e }, query } })),
  ).toEqual([])
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})
