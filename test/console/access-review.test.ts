// The page Access review in a browser: from a role that was counted to who has it, what was lost since, and the file.
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('access-review')
const { p, e } = console.path

// skipped where no Chromium is installed: the answers are tested in test/http/management/access-review.test.ts
it.skipIf(consoleServer === undefined)('shows who has a role, what was lost since, and saves it', async () => {
  const { revision: before } = dataOf(
    await console.api.GET('/v2/projects/{p}/envs/{e}/access', { params: { path: { p, e } } }),
  )
  const body = { user: 'ben@acme.example', role: 'viewer', tenant: 'acme' }
  const params = { path: { p, e } }
  const taken = await console.api.DELETE('/v2/facts/{p}/{e}/role_assignments', { params, body })
  expect(taken.response.ok).toBe(true)

  const page = await console.visit('access-review', { access: 'read' })
  const table = page.getByRole('region', { name: 'Access' })
  await page.getByRole('textbox', { name: /^Compared with/ }).fill(String(before))
  await page.keyboard.press('Enter')
  await table.getByText('removed').first().waitFor()
  await table.getByText('Conditional, when resource.amount less than 1000').first().waitFor()
  await page.getByText('1 user loses access').waitFor()
  await inspect(page, 'access-review')

  await page.getByRole('link', { name: 'By role' }).click()
  const roles = page.getByRole('region', { name: 'Roles' })
  await roles.getByRole('row', { name: 'viewer no one' }).waitFor()
  await roles.getByRole('link', { name: 'viewer' }).press('Enter')
  await page.getByRole('checkbox', { name: 'Only changes' }).check()
  await page.waitForURL(/changed=true/)
  await expect.poll(() => table.getByRole('row').count()).toBe(2)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`access-default-access-review-r${before + 1}.csv`)
  const [, ...lines] = (await text(await download.createReadStream())).trim().split('\r\n')
  expect(lines.map((line) => line.split(',').slice(3, 9).join(' '))).toEqual([
    `${before} removed ben@acme.example allowed read invoice`,
    `${before} removed ben@acme.example allowed read report`,
    `${before}   complete  `,
  ])

  await table.getByRole('link', { name: 'ben@acme.example' }).first().waitFor()
  await page.goto(`/console/${p}/${e}/access-review?at=99999`)
  await page.getByRole('alert').getByText(/99999/).waitFor()
})
