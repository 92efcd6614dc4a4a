// The page Policy in a browser: editing with the keyboard, the draft over a reload, review, saving, reverting; somebody
// else who edits the same role; a key that may only read; a server that fails.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient, dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('policy')

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true })

/** The review is complete. */
async function canSave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor()
}

async function roleNow(ref: string) {
  return dataOf(await console.api.GET('/v2/schema/{p}/{e}/roles/{ref}', { params: { path: { ...console.path, ref } } }))
}

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'edits with the keyboard alone, keeps the draft over a reload, reviews, saves, reverts',
  async () => {
    const page = await console.visit('policy')
    await page.getByRole('grid').focus()
    // at the name of the first role, viewer; down to editor, and right to invoice:approve
    await press(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Space')
    await cell(page, 'editor has invoice:approve: direct, not saved').waitFor()
    await cell(page, 'accountant has invoice:approve: inherited from editor').waitFor()
    await press(page, 'Control+z')
    await cell(page, 'editor does not have invoice:approve').waitFor()
    await press(page, 'Control+Shift+z', 'End', 'Space', 'Control+Home', 'ArrowRight')
    await cell(page, 'editor has report:export: direct, not saved').waitFor()

    await page.getByRole('button', { name: 'New role' }).click()
    await page.getByLabel('Name').fill('Billing clerk')
    await page.getByRole('combobox', { name: 'Extends' }).fill('audit')
    await page.getByRole('option', { name: /^auditor/ }).click()
    await page.getByLabel('Default duration').fill('8d')
    await page.getByLabel('Maximum duration').fill('7d')
    await page.getByRole('button', { name: 'Add to draft' }).click()
    await page.getByText('Longer than the maximum').waitFor()
    await inspect(page, 'policy-role', { sizes: ['narrow'] })
    await page.getByLabel('Default duration').fill('8h')
    await page.getByRole('button', { name: 'Add to draft' }).click()
    await cell(page, 'billing-clerk has report:export: inherited from auditor').waitFor()

    await page.reload()
    await cell(page, 'editor has invoice:approve: direct, not saved').waitFor()
    await inspect(page, 'policy')
    await page.getByRole('link', { name: 'Review 2 roles' }).click()
    const gains = page.getByRole('region', { name: 'Gains access' })
    await gains.getByText('approve invoice').first().waitFor()
    expect(await gains.innerText()).toContain('approve invoice in acme: 1 user, as accountant')
    await inspect(page, 'policy-review')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/^Saved as revision/).waitFor()
    expect((await roleNow('editor')).permissions.sort()).toEqual(['invoice:approve', 'invoice:create', 'report:export'])
    const clerk = { extends: ['auditor'], default_duration: 8 * 3_600, max_duration: 7 * 86_400 }
    expect(await roleNow('billing-clerk')).toMatchObject(clerk)

    await page.getByRole('link', { name: 'Revert' }).click()
    await page.getByRole('region', { name: 'Loses access' }).getByText('approve invoice').first().waitFor()
    await page.getByRole('button', { name: 'Revert' }).click()
    await page.waitForURL(/history\/\d+$/)
    expect((await roleNow('editor')).permissions).toEqual(['invoice:create'])
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('tells the second of two people, and loses nothing of either', async () => {
  const [ana, ben] = [await console.visit('policy?roles=viewer'), await console.visit('policy?roles=viewer')]
  await cell(ana, 'viewer does not have invoice:create').click()
  await cell(ben, 'viewer does not have invoice:delete').click()
  for (const page of [ana, ben]) await page.getByRole('link', { name: 'Review 1 role' }).click()
  for (const page of [ana, ben]) await canSave(page)
  await ana.getByRole('button', { name: 'Save', exact: true }).click()
  await ana.getByText(/^Saved as revision/).waitFor()

  await ben.getByRole('button', { name: 'Save', exact: true }).click()
  const alert = ben.getByRole('alert', { name: 'Changed by others' })
  await alert.getByText(/by policy admin in revision \d+/).waitFor()
  expect((await alert.getByRole('listitem').allInnerTexts()).join()).toMatch(/invoice:create.*invoice:delete/s)
  expect((await roleNow('viewer')).permissions).not.toContain('invoice:delete')
  await inspect(ben, 'policy-conflict')
  await alert.getByRole('button', { name: 'Apply my edits on top' }).click()
  await ben.getByRole('button', { name: 'Save', exact: true }).click()
  await ben.getByText(/^Saved as revision/).waitFor()
  const { permissions } = await roleNow('viewer')
  expect(permissions.sort()).toEqual(['invoice:create', 'invoice:delete', 'invoice:read', 'report:read'])

  // the review shows what others saved just before, even where the matrix did not show it
  await cell(ben, 'viewer does not have folder:read').click()
  const params = { path: { ...console.path, ref: 'viewer' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body: { name: 'Onlooker' } }))
  await ben.getByRole('link', { name: 'Review 1 role' }).click()
  await alert.getByText('Name: Viewer → Onlooker').waitFor()
  await alert.getByRole('button', { name: 'Discard my edits to viewer' }).click()
  await ben.getByRole('button', { name: 'Keep editing' }).click()
  await alert.getByText('Name: Viewer → Onlooker').waitFor()
  await alert.getByRole('button', { name: 'Discard my edits to viewer' }).click()
  await ben.getByRole('button', { name: 'Discard', exact: true }).click()
  await ben.getByText('Nothing to review').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('offers a key that may only read nothing to write', async () => {
  const page = await console.visit('policy?roles=audit', { access: 'read' })
  await cell(page, 'auditor does not have folder:share').click()
  await cell(page, 'auditor does not have folder:share').waitFor()
  expect(await page.getByRole('button', { name: 'New role' }).count()).toBe(0)
  await page.getByRole('rowheader', { name: 'Auditor' }).click()
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).count()).toBe(0)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('says what failed, and goes on when it works again', async () => {
  const page = await console.visit('policy?roles=nobody')
  await page.getByText('No matching roles').waitFor()
  await page.route('**/v2/schema/**/roles?*', (route) => route.fulfill({ status: 500, json: { title: 'broken' } }))
  await page.reload()
  await page.getByRole('alert').getByText('The server failed').waitFor()
  await page.unroute('**/v2/schema/**/roles?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('grid').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('takes its own revision for no change of others after a reload', async () => {
  const page = await console.visit('policy?roles=auditor')
  await cell(page, 'auditor does not have folder:share').click()
  await page.getByRole('link', { name: 'Review 1 role' }).click()
  await canSave(page)
  // the server saves, and the answer is lost
  await page.route('**/apply', async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(async () => (await roleNow('auditor')).permissions).toContain('folder:share')
  await page.reload()
  await page.getByText('Nothing to review').waitFor()
  expect(await page.getByRole('alert', { name: 'Changed by others' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Back to policy' }).click()
  await cell(page, 'auditor has folder:share: direct').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('asks before it discards the draft', async () => {
  const page = await console.visit('policy?roles=auditor')
  await cell(page, 'auditor does not have folder:read').click()
  await page.getByRole('link', { name: 'Review 1 role' }).click()
  const discard = page.getByRole('button', { name: 'Discard draft' })
  await discard.click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard changes of auditor' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await discard.click()
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByText('Nothing to review').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('proposes the draft where someone else has to approve', async () => {
  const params = { path: console.path }
  const before = (await roleNow('editor')).permissions
  await console.api.PATCH('/v2/projects/{p}/envs/{e}', { params, body: { require_approval: true } })
  const page = await console.visit('policy')
  await page.getByRole('grid').focus()
  await press(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Space')
  await page.getByRole('link', { name: 'Review 1 role' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('auditors approve')
  await page.getByRole('button', { name: 'Propose', exact: true, disabled: false }).click()
  await page.getByText('Proposed. Someone else applies or rejects it.').waitFor()
  const { data } = dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}/proposals', { params }))
  expect(data).toMatchObject([{ state: 'proposed', reason: 'auditors approve', summary: '1 changed' }])
  expect((await roleNow('editor')).permissions).toEqual(before)

  // the one who proposed it cannot apply it
  await page.getByRole('link', { name: 'Proposals' }).click()
  await page.getByRole('button', { name: 'Your proposal' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Someone else applies or rejects it.').waitFor()
  await dialog.getByRole('list', { name: 'What changes' }).waitFor()
  expect(await dialog.getByRole('button', { name: /Apply|Reject/ }).count()).toBe(0)
  await inspect(page, 'proposal-own')
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  const other = await console.visit('policy', { access: 'write' })
  await other.getByRole('link', { name: 'Proposals' }).click()
  await other.getByText('Reason: auditors approve').waitFor()
  await inspect(other, 'proposals')
  await other.getByRole('button', { name: 'Review proposal' }).click()
  await other.getByRole('dialog').getByRole('list', { name: 'What changes' }).waitFor()
  await other.getByRole('dialog').getByRole('button', { name: 'Apply', disabled: false }).click()
  await other.getByText('Proposal applied').waitFor()
  expect((await roleNow('editor')).permissions).toHaveLength(before.length + 1)

  // another one no longer fits, is proposed again, and withdrawn
  const client = createClient({ url: consoleServer!.url, apiKey: consoleServer!.key })
  const changes = [{ op: 'update' as const, kind: 'role' as const, key: 'viewer', value: { description: 'Reads' } }]
  dataOf(await client.POST('/v2/projects/{p}/envs/{e}/proposals', { params, body: { changes } }))
  await console.api.PATCH('/v2/projects/{p}/envs/{e}', { params, body: { require_approval: false } })
  const viewer = { path: { ...console.path, ref: 'viewer' } }
  dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params: viewer, body: { name: 'Reader' } }))
  await page.goto(page.url()) // a key and who made it are one
  await page.getByText('Outdated: something that it changes').waitFor()
  await page.getByRole('button', { name: 'Your proposal' }).click()
  await dialog.getByRole('list', { name: 'What changes' }).waitFor()
  await inspect(page, 'proposal-outdated')
  await dialog.getByRole('button', { name: 'Propose again', disabled: false }).click()
  await page.getByText('Proposed again.').waitFor()
  await expect.poll(() => page.getByText('Outdated: something that it changes').count()).toBe(0)
  await page.getByRole('button', { name: 'Your proposal' }).click()
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('Proposal withdrawn').waitFor()
  await page.getByRole('region', { name: 'Open proposals' }).waitFor({ state: 'detached' })
})
