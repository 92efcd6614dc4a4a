// The pages of conditions in a browser: a set is made, built with fields and as JSON, its matches are seen before it is
// saved with who gains access; a rule is added and removed; JSON that the builder cannot show; invalid JSON.
import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('conditions')
const json = (page: Page) => page.getByRole('textbox', { name: 'Conditions as JSON' })
const builder = (page: Page) => page.getByRole('group', { name: 'Builder' })
const match = (page: Page, user: string) => page.getByRole('row').filter({ hasText: user })

/** What the builder shows of each kind. */
const NESTED = {
  allOf: [
    { 'user.department': { in: ['sales', 'support'] } },
    { anyOf: [{ 'user.level': { between: [2, 5] } }, { not: { 'user.key': { equals: { ref: 'resource.key' } } } }] },
    { 'user.cards': { any_match: { match: { kind: { equals: 'gold' } } } } },
  ],
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)('builds a set, shows whom it matches, and saves it with who gains', async () => {
  const page = await console.visit('conditions')
  await page.getByRole('link', { name: 'small-invoices' }).waitFor()
  await page.getByRole('button', { name: 'New condition set' }).click()
  await page.getByLabel('Key', { exact: true }).fill('sellers')
  await page.getByRole('button', { name: 'Create condition set' }).click()
  await page.getByText('No access rules use this set').waitFor()
  await match(page, 'ana@acme.example').getByText('Matches').waitFor() // without conditions everybody does

  await builder(page).getByRole('button', { name: 'Condition' }).click()
  await page.getByRole('combobox', { name: 'Attribute' }).fill('user.department')
  await page.getByRole('textbox', { name: 'Value' }).fill('sales')
  expect(await page.getByLabel('Operator').getByRole('option').allTextContents()).toEqual(
    expect.arrayContaining(['is', 'is not', 'is one of', 'starts with']),
  )
  expect(JSON.parse(await json(page).inputValue())).toEqual({ allOf: [{ 'user.department': { equals: 'sales' } }] })
  await page.getByText('5 of 5 users match, 1 as edited').waitFor()
  await page.getByLabel('Only changes').check()
  await match(page, 'ben@acme.example').waitFor({ state: 'detached' })
  await json(page).fill('{"user.department": {"equals": "sales"}, ')
  await page.getByText(/This is not JSON\. Line 1, column \d+/).waitFor()
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('sales') // what it showed last
  const cards = { 'user.cards': { any_match: { match: { kind: { equals: 'gold' } } } } }
  await json(page).fill(JSON.stringify({ anyOf: [{ 'user.department': { equals: 'support' } }, cards] }))
  await page.getByText('Can only be edited as JSON: it tests values inside').waitFor()
  await json(page).fill('{"user.level": {"above": 3}}')
  await page.getByText('user.level › above: unknown operator `above`').waitFor()
  await json(page).fill('{"user.department": {"in": ["sales", "support"]}}')
  await page.getByText('3 would no longer match and 0 would newly match').waitFor()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByText('No one would gain or lose access').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Condition set sellers saved').waitFor()
  await page.getByText('2 of 5 users match').waitFor()
  expect(await page.getByText('Someone else').count()).toBe(0)

  await page.getByRole('combobox', { name: 'Can do' }).fill('invoice:approve')
  await page.getByRole('combobox', { name: 'Resource set or resource' }).fill('small-invoices')
  await page.getByRole('button', { name: 'Add rule…' }).click()
  await page.getByRole('dialog').getByRole('region', { name: 'Gains access' }).waitFor()
  await inspect(page, 'conditions-review')
  await page.getByRole('button', { name: 'Add access rule' }).click()
  await page.getByRole('link', { name: 'small-invoices' }).waitFor()
  const held: Route[] = []
  await page.route('**/condition-matches', (route) => void held.push(route))
  await json(page).fill(JSON.stringify(NESTED))
  await page.getByText('Can only be edited as JSON').waitFor()
  await page.locator('[aria-busy="true"]').waitFor()
  await inspect(page, 'conditions-waiting') // the last answer is as legible as any other
  await Promise.all(held.map((route) => route.continue()))
  await page.unroute('**/condition-matches')
  await page.getByText('2 would no longer match and 0 would newly match').waitFor()
  await inspect(page, 'conditions')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('set rule', { exact: true }).waitFor() // is also deleted
  await page.getByRole('button', { name: 'Delete condition set' }).click()
  await page.getByText('Condition set sellers deleted').waitFor()
  await page.getByRole('link', { name: 'Access rules' }).click()
  await page.getByRole('button', { name: /^Remove access rule finance-staff/ }).waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'offers a key that reads nothing but reading, and says what failed',
  async () => {
    const page = await console.visit('conditions/small-invoices', { access: 'read' })
    await page.getByText('1 of 2 instances matches').waitFor()
    expect(await page.getByRole('button', { name: /Save|Delete|Add|Remove/ }).count()).toBe(0)
    await page.route('**/condition-matches', (route) => route.fulfill({ status: 500, json: { message: 'broken' } }))
    await page.reload()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('completes attributes, and shows at the field what is not one', async () => {
  const page = await console.visit('conditions/finance-staff')
  await page.getByRole('button', { name: 'Condition', exact: true }).click()
  const review = page.getByRole('button', { name: 'Review and save' })
  const attribute = page.getByRole('combobox', { name: 'Attribute', exact: true }).last()
  await page.getByText('Name the attribute').waitFor()
  expect(await review.isDisabled()).toBe(true)
  await attribute.fill('department')
  await page.keyboard.press('Tab')
  await expect.poll(() => attribute.inputValue()).toBe('user.department')
  await expect.poll(() => review.isDisabled()).toBe(false)
  await attribute.fill('usr.department')
  await page.keyboard.press('Tab')
  await page.getByText(/Attributes begin with user\./).waitFor()
  expect(await review.isDisabled()).toBe(true)
  await json(page).fill('{"department": {"equals": "sales"}}')
  await page.getByText('did you mean user.department?').waitFor()
  expect(await review.isDisabled()).toBe(true)
  await json(page).fill('{"user.department": {"equals": "sales"}}')
  await expect.poll(() => review.isDisabled()).toBe(false)
})
