// Access on request, as a story: a role is made requestable, a user who is denied asks for it in Why, an approver gives
// less than was asked for, Why says so, and the access is revoked. What is refused is said at its field.
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('requests')
const { p, e } = console.path
const BEN = 'ben@acme.example'
const ANA = 'ana@acme.example'
const WHY = `why?user=${encodeURIComponent(BEN)}&action=export&resource=report&tenant=acme`

/** Requests as the API has them. */
async function requested() {
  const query = { user: [BEN] }
  return dataOf(await console.api.GET('/v2/facts/{p}/{e}/access_requests', { params: { path: console.path, query } }))
    .data
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http
it.skipIf(consoleServer === undefined)('is asked for in Why, decided on its page, and revoked', async () => {
  const page = await console.visit('requests')
  const go = (to: string) => goTo(page, `/${p}/${e}/${to}`)
  await page.getByText('No pending requests').waitFor()
  await inspect(page, 'requests-empty', { sizes: ['narrow'] })

  await go('policy')
  await page.getByRole('rowheader', { name: 'auditor' }).click()
  const role = page.getByRole('dialog')
  await role.getByLabel('Can be requested').check()
  await role.getByRole('button', { name: 'Update draft' }).click()
  await role.getByText('Requested access always ends').waitFor()
  await role.getByLabel('Longest time').fill('4h')
  await role.getByRole('combobox', { name: 'Approvers' }).fill('admin')
  await page.keyboard.press('Enter')
  await role.getByRole('button', { name: 'Remove approver admin' }).scrollIntoViewIfNeeded()
  await inspect(page, 'role-requestable', { sizes: ['narrow'] })
  await role.getByRole('button', { name: 'Update draft' }).click()
  await page.getByRole('link', { name: 'Review 1 role' }).click()
  await page.getByText('members of the tenant, up to 4h, approved by admin, with a reason').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/^Saved as revision/).waitFor()

  await go(WHY)
  await page.getByText(`${BEN} can request a role that allows this`).waitFor()
  await inspect(page, 'why-requestable', { sizes: ['narrow'] })
  await page.getByRole('button', { name: 'Ask for access' }).click()
  const ask = page.getByRole('dialog', { name: 'Ask for access' })
  await ask.getByRole('button', { name: 'Request' }).click()
  await ask.getByText('This role needs a reason').waitFor()
  await ask.getByLabel('Reason').fill('closes the books of October')
  await ask.getByLabel('Ticket').fill('FIN-204')
  await ask.getByLabel('Duration').fill('5h')
  await ask.getByRole('button', { name: 'Request' }).click()
  await ask.getByText('at most').last().waitFor() // the server, at the field
  await inspect(page, 'ask-for-access')
  await ask.getByLabel('Duration').fill('4h')
  await ask.getByRole('button', { name: 'Request' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Requests 1 pending' }).waitFor()
  await page.getByRole('link', { name: 'Open the request' }).click()
  const details = page.getByRole('dialog', { name: 'Access request' })
  await details.getByText('closes the books of October').waitFor()
  await inspect(page, 'request-details', { sizes: ['narrow'] })
  await details.getByRole('button', { name: 'Approve' }).click()
  const approve = page.getByRole('dialog', { name: 'Approve request?' })
  await approve.getByRole('combobox', { name: 'As user' }).fill(BEN)
  await approve.getByRole('button', { name: 'Approve' }).click()
  await approve.getByText('because it is their own').waitFor()
  await approve.getByRole('combobox', { name: 'As user' }).fill(ANA)
  await approve.getByLabel('Duration').fill('1h')
  await inspect(page, 'approve-request')
  await approve.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(`Request of ${BEN} approved`).waitFor()
  const [given] = await requested()
  expect(given).toMatchObject({ state: 'approved', approved_by: ANA, ticket: 'FIN-204' })
  expect(Date.parse(given!.valid_until!) - Date.parse(given!.decided_at!)).toBe(3_600_000)
  await expect.poll(() => page.getByRole('link', { name: 'pending' }).count()).toBe(0)

  await go(WHY)
  await page.getByText(`Allowed as auditor, requested by ${BEN}`).waitFor()
  await page.getByText(`approved by ${ANA}`).first().waitFor()
  await inspect(page, 'why-requested', { sizes: ['wide'] })
  await go('requests?state=all')
  await page.getByRole('button', { name: `Revoke: auditor of ${BEN} in acme` }).waitFor()
  await inspect(page, 'requests-all')
  await page.getByRole('button', { name: `Revoke: auditor of ${BEN} in acme` }).click()
  const revoke = page.getByRole('dialog', { name: 'Revoke access?' })
  await revoke.getByRole('combobox', { name: 'As user' }).fill(BEN)
  await revoke.getByLabel('Reason').fill('done earlier')
  await revoke.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('region', { name: 'Requests' }).getByText('Revoked').waitFor()
  expect(await requested()).toMatchObject([{ state: 'revoked', decided_by: BEN, decision_reason: 'done earlier' }])
  await go('history')
  await page.getByText(`Revoked the request of ${BEN} for the role auditor in tenant acme`).waitFor()
  await page.getByText(`Approved the request of ${BEN} for the role auditor in tenant acme`).waitFor()
})
