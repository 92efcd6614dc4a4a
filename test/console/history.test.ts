// The page History in a browser: a revision is found, opened and reverted; what stands in the way of that; who may not.
import { expect, it } from 'vitest'
import { dataOf, reasonHeaders } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('history')
const { p, e } = console.path

/** Takes the role of a user away, and returns the revision. */
async function unassign(user: string, role: string, tenant: string): Promise<number> {
  const { response } = await console.api.DELETE('/v2/facts/{p}/{e}/role_assignments', {
    params: { path: { p, e } },
    body: { user, role, tenant },
  })
  expect(response.ok).toBe(true)
  return Number(response.headers.get('x-revision'))
}

async function describeRole(ref: string, description: string): Promise<number> {
  const params = { path: { p, e, ref } }
  const { response } = await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body: { description } })
  return Number(response.headers.get('x-revision'))
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('finds who took a role away, shows who lost what, and reverts it', async () => {
  const revision = await unassign('ben@acme.example', 'viewer', 'acme')
  const page = await console.visit('history')
  const table = page.getByRole('region', { name: 'Revisions' })
  await table.getByText('Removed the role viewer in tenant acme from ben@acme.example').waitFor()
  await inspect(page, 'history')
  await page.getByRole('searchbox', { name: 'Change', exact: true }).fill('removed a role from')
  await page.waitForURL(/what=removed/)
  await expect.poll(() => table.getByRole('link').count()).toBe(1)
  await table.getByRole('link', { name: String(revision) }).press('Enter')
  await page.getByRole('heading', { name: `Revision ${revision}` }).waitFor()
  await page.getByText(/^Removed the role viewer in tenant acme from ben@acme.example, by /).waitFor()
  await page.getByText('1 user loses access').waitFor()
  await page.getByText('Show each permission').click()
  await inspect(page, 'revision')

  await page.getByRole('link', { name: 'Revert…' }).click()
  await page.getByText('1 user gains access').waitFor()
  await inspect(page, 'revert')
  await page.getByRole('button', { name: 'Revert', exact: true }).click()
  await page.waitForURL(new RegExp(`/history/${revision + 1}$`))
  await page.getByRole('status').getByText(`Revision ${revision} was reverted.`).waitFor()
  await page.getByRole('link', { name: 'All revisions' }).click()
  await table.getByText(new RegExp(`revert.*${revision}`, 'i')).waitFor()
  expect(dataOf(await console.api.GET('/v2/facts/{p}/{e}/users/{ref}', userBen)).roles).toMatchObject([
    { role: 'viewer', tenant: 'acme' },
  ])
})
const userBen = { params: { path: { p, e, ref: 'ben@acme.example' } } }

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'says what is in the way of a revert, and leaves it out when told to',
  async () => {
    const roles = [
      { key: 'editor', name: 'Editor', description: 'one' },
      { key: 'auditor', name: 'Auditor', description: 'one' },
    ]
    const applied = await console.api.POST('/v2/projects/{p}/envs/{e}/apply', {
      params: { path: { p, e } },
      body: { policy: { zerohop: 2, roles } },
    })
    const revision = dataOf(applied).revision
    const later = await describeRole('editor', 'two')
    const page = await console.visit(`history/${revision}/revert`)
    await page.getByText(`at revision ${later}`).waitFor()
    expect(await page.getByRole('button', { name: 'Revert', exact: true }).isDisabled()).toBe(true)
    await inspect(page, 'revert-conflict')
    await page.getByRole('button', { name: 'Skip conflicting objects' }).click()
    await page.getByRole('button', { name: 'Revert', exact: true, disabled: false }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'role editor' }).isChecked()).toBe(false)
    expect(await page.getByRole('list', { name: 'What would change' }).innerText()).toContain('auditor')

    // somebody else is faster: nothing is done, and the plan is made again
    await describeRole('auditor', 'three')
    await page.getByRole('button', { name: 'Revert', exact: true }).click()
    await page.getByRole('button', { name: 'Plan again' }).click()
    await page.getByRole('button', { name: 'Revert', exact: true, disabled: true }).waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'offers no revert to who may only read, and says what is not there',
  async () => {
    const page = await console.visit('history/1', { access: 'read' })
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    expect(await page.getByRole('link', { name: 'Revert…' }).count()).toBe(0)
    await page.goto(`/console/${p}/${e}/history/99999`)
    await page.getByRole('alert').getByText(/99999/).waitFor()
    await inspect(page, 'revision-unknown')
    await page.goto(`/console/${p}/${e}/history?what=nothing-like-it`)
    await page.getByRole('button', { name: 'Clear filters' }).first().waitFor()
    await inspect(page, 'history-nothing')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'asks for a reason where the environment requires one, and shows it',
  async () => {
    const revision = await describeRole('viewer', 'a new description')
    const path = { p, e }
    await console.api.PATCH('/v2/projects/{p}/envs/{e}', {
      params: { path },
      body: { require_reason: true },
      headers: reasonHeaders({ reason: 'from now on' }),
    })
    const page = await console.visit(`history/${revision}/revert`)
    await page.getByRole('button', { name: 'Revert', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Why this change?' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Zürich – 100 %')
    await dialog.getByRole('textbox', { name: 'Ticket' }).fill('OPS-1741')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(new RegExp(`/history/${revision + 1}$`))
    await page.getByText('Reason: Zürich – 100 %. Ticket: OPS-1741').waitFor()
    await page.getByRole('link', { name: 'All revisions' }).click()
    await page.getByRole('searchbox', { name: 'Change', exact: true }).fill('ops-1741')
    await page.getByText('OPS-1741: Zürich – 100 %').waitFor()

    const again = await console.visit(`history/${revision + 1}/revert`)
    await again.getByRole('textbox', { name: 'Reason' }).fill('as it was')
    await again.getByRole('button', { name: 'Revert', exact: true }).click()
    await again.waitForURL(new RegExp(`/history/${revision + 2}$`))
    await again.getByText('Reason: as it was').waitFor()
  },
)
