// The tasks that people open the console for, in at most five steps from its first page: a step is a click, a key, or a
// field that is filled. Each ends with what was wanted on the page.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole, type VisitOptions } from '../support/console.ts'

const console = useConsole('tasks')
const { p, e } = console.path
const STEPS_MAX = 5

/** The first page of the environment, and how many steps were taken from there. */
async function begin(options: VisitOptions = {}) {
  const page = await console.visit('overview', options)
  await page.getByRole('list', { name: 'Contents' }).waitFor()
  let steps = 0
  const step = async (act: (page: Page) => Promise<unknown>) => {
    steps++
    await act(page)
  }
  return { page, step, count: () => steps }
}

const DAY_MS = 86_400_000
let recorded: Promise<void> | undefined
/** One decision of 40 days ago and one of now, once. */
const recordDecisions = (): Promise<void> => (recorded ??= sendDecisions())

async function sendDecisions(): Promise<void> {
  const { id: environment } = dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: { p, e } } }))
  const sender = await console.makeKey('write')
  const of = {
    instance: 'a'.repeat(32),
    environment,
    request_id: null,
    revision: 2,
    api_key: sender.id,
    tenant: 'acme',
  }
  const how = { decision: true, latency_us: 40, sent: null }
  const lines = [
    {
      ...{ ...of, ...how, seq: 1, time: new Date(Date.now() - 40 * DAY_MS).toISOString(), user: 'ben@acme.example' },
      ...{ action: 'read', resource_type: 'report', resource_key: null, reason: 'rbac' },
    },
    {
      ...{ ...of, ...how, seq: 2, time: new Date().toISOString(), user: 'cleo@acme.example' },
      ...{ action: 'approve', resource_type: 'invoice', resource_key: '18', reason: 'abac' },
    },
  ]
  const stored = await fetch(`${consoleServer!.url}/v2/pdps/${p}/${e}/audit_logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.secret}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(await stored.json()).toMatchObject({ stored: 2 })
}

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('finds the rule behind a decision in five steps', async () => {
  await recordDecisions()
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
  // and why: by which role, on the same line
  expect(await table.getByRole('row', { name: /cleo@acme\.example/ }).innerText()).toMatch(/accountant/)
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

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('lists what a user could do at another time in five steps', async () => {
  const params = { path: { p, e } }
  const body = { user: 'ben@acme.example', role: 'admin', tenant: 'acme' }
  dataOf(await console.api.POST('/v2/facts/{p}/{e}/role_assignments', { params, body }))
  const then = new Date().toISOString()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await console.api.DELETE('/v2/facts/{p}/{e}/role_assignments', { params, body })).response.ok).toBe(true)
  const { page, step, count } = await begin()
  const deletes = page.getByRole('region', { name: 'Access' }).getByRole('link', { name: 'invoice:delete' })
  await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Access review' }).first().click())
  await step((at) => at.getByRole('combobox', { name: 'User' }).fill('ben@acme.example'))
  await step((at) => at.keyboard.press('Enter'))
  await page.waitForURL(/user=ben/)
  await page.getByRole('link', { name: 'report:read' }).first().waitFor()
  await expect.poll(() => deletes.count()).toBe(0) // and not now
  await step((at) => at.getByRole('textbox', { name: /^As of/ }).fill(then))
  await step((at) => at.keyboard.press('Enter'))
  await deletes.first().waitFor()
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('gives access until Friday in five steps', async () => {
  const { page, step, count } = await begin()
  /** 18:00 of the next Friday, as a field has the time of the reader */
  const friday = await page.evaluate(() => {
    const date = new Date()
    date.setDate(date.getDate() + ((12 - date.getDay()) % 7 || 7))
    date.setHours(18, 0, 0, 0)
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  })
  await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Users' }).first().click())
  await step((at) => at.getByRole('link', { name: 'dev@globex.example' }).first().click())
  await step((at) => at.getByRole('combobox', { name: 'Role', exact: true }).fill('auditor'))
  // in the only tenant of the user
  await step((at) => at.getByLabel(/^Ends \(\w+/).fill(friday))
  await step((at) => at.keyboard.press('Enter'))
  await page.getByText('Role auditor assigned to dev@globex.example').waitFor()
  const query = { user: ['dev@globex.example'], role: ['auditor'] }
  const [held] = dataOf(
    await console.api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path: { p, e }, query } }),
  ) as readonly { readonly tenant: string; readonly valid_until?: string }[]
  expect(held).toMatchObject({ tenant: 'globex' })
  expect(Date.parse(held?.valid_until ?? '')).toBe(await page.evaluate((text) => new Date(text).getTime(), friday))
  expect(new Date(friday).getDay()).toBe(5)
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'compares with another environment and promotes to it in five steps',
  async () => {
    const live = 'tasks-live'
    const made = await console.api.POST('/v2/projects/{p}/envs', {
      params: { path: { p } },
      body: { key: live, name: live },
    })
    expect(made.response.ok).toBe(true)
    const own = { key: 'only-there', name: 'Only there' }
    dataOf(await console.api.POST('/v2/schema/{p}/{e}/roles', { params: { path: { p, e: live } }, body: own }))
    const { page, step, count } = await begin({ isOrganization: true })
    await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Environments' }).first().click())
    await step((at) => at.getByRole('link', { name: `Compare with ${live}` }).click())
    await page.getByRole('list', { name: 'Differences' }).getByText('invoice', { exact: true }).waitFor()
    await step((at) => at.getByRole('link', { name: `Copy ${e} to ${live}` }).click())
    await page.getByRole('list', { name: 'What would change' }).getByText('invoice').first().waitFor()
    await step((at) => at.getByRole('button', { name: `Copy to ${live}`, disabled: false }).click())
    await page.waitForURL(new RegExp(`/${live}/history`))
    const copied = await console.api.GET('/v2/schema/{p}/{e}/roles/{ref}', {
      params: { path: { p, e: live, ref: 'auditor' } },
    })
    expect(dataOf(copied).key).toBe('auditor')
    expect(count()).toBeLessThanOrEqual(STEPS_MAX)
    const gone = await console.api.DELETE('/v2/projects/{p}/envs/{e}', { params: { path: { p, e: live } } })
    expect(gone.response.ok).toBe(true)
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('lists what was unused for 30 days in five steps', async () => {
  await recordDecisions()
  const { page, step, count } = await begin()
  const table = page.getByRole('region', { name: 'Access' })
  const row = (user: string) => table.getByRole('row', { name: user })
  await step((at) => at.getByRole('navigation').getByRole('link', { name: 'Access review' }).first().click())
  await row('cleo@acme.example').getByRole('link', { name: 'invoice:approve' }).first().waitFor()
  await step((at) => at.getByLabel('Use', { exact: true }).selectOption('30d'))
  await page.getByText('Decisions are known since').waitFor()
  // read 40 days ago, and approved today
  await row('ben@acme.example').locator('time').first().waitFor()
  await expect.poll(() => row('cleo@acme.example').getByRole('link', { name: 'invoice:approve' }).count()).toBe(0)
  await row('cleo@acme.example').getByText('No use known').first().waitFor()
  await inspect(page, 'access-review-unused')
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('manages one tenant, and no other, in five steps', async () => {
  const params = { path: { p, e, ref: 'auditor' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body: { assignable_by_tenants: true } }))
  const { organization_id, id } = dataOf(
    await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: { p, e } } }),
  )
  const body = {
    organization_id,
    environment_id: id,
    object_type: 'tenant',
    tenant_id: 'acme',
    name: 'admins',
  } as const
  const { secret } = dataOf(await console.api.POST('/v2/api-key', { body }))
  const page = await console.visit('/console/', { isSignedOut: true })
  let steps = 0
  const step = async (act: Promise<unknown>) => {
    steps++
    await act
  }
  await step(page.getByLabel('API key').fill(secret ?? ''))
  await step(page.keyboard.press('Enter'))
  const members = page.getByRole('region', { name: 'Members' })
  await members.getByText('ben@acme.example').first().waitFor()
  expect(await members.getByText('globex').count()).toBe(0)
  await step(page.getByLabel('User').fill('ben@acme.example'))
  await step(page.getByLabel('Role of the member').selectOption('auditor'))
  await step(page.getByRole('button', { name: 'Assign role' }).click())
  await page.getByRole('button', { name: 'Remove auditor from ben@acme.example' }).waitFor()
  const query = { user: ['ben@acme.example'], role: ['auditor'] }
  const held = await console.api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path: { p, e }, query } })
  expect(dataOf(held)).toMatchObject([{ tenant: 'acme' }])
  expect(steps).toBeLessThanOrEqual(STEPS_MAX)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('approves a request in five steps', async () => {
  const at = { path: { p, e } }
  const body = { requestable: { approvers: ['admin'], max_duration: 7_200 } }
  const params = { path: { p, e, ref: 'accountant' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body }))
  const wanted = { as: 'ben@acme.example', role: 'accountant', tenant: 'acme', duration: 3_600, reason: 'month end' }
  dataOf(await console.api.POST('/v2/facts/{p}/{e}/access_requests', { params: at, body: wanted }))
  const { page, step, count } = await begin()
  await step((to) => to.getByRole('navigation').getByRole('link', { name: 'Requests 1 pending' }).click())
  await page.getByText('month end').waitFor()
  await step((to) => to.getByRole('button', { name: 'Approve: accountant of ben@acme.example in acme' }).click())
  await step((to) => to.getByRole('combobox', { name: 'As user' }).fill('ana@acme.example'))
  await step((to) => to.getByRole('dialog').getByRole('button', { name: 'Approve' }).click())
  await page.getByText('No pending requests').waitFor()
  const query = { user: ['ben@acme.example'], role: ['accountant'] }
  const held = await console.api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { ...at, query } })
  expect(dataOf(held)).toMatchObject([{ tenant: 'acme', reason: 'month end' }])
  expect(count()).toBeLessThanOrEqual(STEPS_MAX)
})
