// The page Policy file in a browser: exported, changed outside, refused with the line, planned, overtaken by somebody
// else, and applied; who may only read.
import { json } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('policy-file')
const { p, e } = console.path

interface Policy {
  readonly roles: readonly { readonly key: string; readonly permissions: readonly string[] }[]
}

const choose = (page: Page, ...files: readonly (readonly [string, string])[]) =>
  page
    .getByLabel('Policy files')
    .setInputFiles(files.map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })))

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management/plan.test.ts
it.skipIf(consoleServer === undefined)(
  'exports the policy, and applies what was changed in it as planned',
  async () => {
    const page = await console.visit('policy-file')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('policy-file.json')
    const policy = (await json(await download.createReadStream())) as Policy
    const exported = await console.api.GET('/v2/projects/{p}/envs/{e}/export', { params: { path: { p, e } } })
    expect(policy).toEqual(dataOf(exported))

    // what is wrong is said where it stands, and the mended file takes the place of the first one
    const sets =
      'zerohop: 2\nset_rules:\n  - { user_set: finance-staff, permission: invoice:aprove, resource_set: small-invoices }\n'
    await choose(page, ['policy.json', JSON.stringify({ ...policy, set_rules: [] })], ['rules.yaml', sets])
    await page.getByText('rules.yaml:3:').first().waitFor()
    await page.locator('mark', { hasText: 'invoice:aprove' }).waitFor()
    await inspect(page, 'policy-file-errors')
    await page.getByRole('button', { name: 'Remove rules.yaml' }).click()
    await page.getByRole('heading', { name: 'Nothing would change' }).waitFor()

    // a role less and a permission more
    const roles = policy.roles
      .filter(({ key }: { key: string }) => key !== 'auditor')
      .map((role: { readonly key: string; readonly permissions: readonly string[] }) =>
        role.key === 'viewer' ? { ...role, permissions: [...role.permissions, 'report:export'] } : role,
      )
      .filter(({ key }) => key !== 'auditor')
      .map((role) => (role.key === 'viewer' ? { ...role, permissions: [...role.permissions, 'report:export'] } : role))
    await choose(page, ['policy.json', JSON.stringify({ ...policy, roles }, null, 2)])
    await page.getByLabel('Also delete objects removed from the files').check()
    await page.getByText(/1 user loses access/).waitFor()
    const apply = page.getByRole('button', { name: 'Apply', exact: true })
    expect(await apply.isDisabled()).toBe(true)
    await page.getByLabel(/Also delete: 1 role assignment/).check()
    await page.getByRole('heading', { name: 'Policy file' }).scrollIntoViewIfNeeded()
    await inspect(page, 'policy-file')

    // somebody else is faster: nothing is done, and the plan is made again
    const params = { path: { p, e, ref: 'viewer' } }
    const body = { description: 'changed meanwhile' }
    dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body }))
    await apply.click()
    await page
      .getByRole('alert')
      .getByText(/viewer/)
      .waitFor()
    await page.getByRole('button', { name: 'Plan again' }).click()
    await page.getByRole('list', { name: 'What would change' }).getByText('changed meanwhile').waitFor()
    await apply.click()
    await page.waitForURL(/\/history\/\d+$/)
    await page.getByRole('status').getByText('Files applied').waitFor()
    const now = dataOf(await console.api.GET('/v2/schema/{p}/{e}/roles/{ref}', { params }))
    expect(now).toMatchObject({ permissions: ['invoice:read', 'report:read', 'report:export'], description: null })
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('plans for a key that reads, and says which revision is not there', async () => {
  const page = await console.visit('policy-file', { access: 'read' })
  await page.getByLabel('As of').fill('99999')
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByText(/99999/).waitFor()
  await choose(page, ['role.yaml', 'zerohop: 2\nroles:\n  - { key: guest }\n'])
  await page.getByRole('list', { name: 'What would change' }).getByText('guest').first().waitFor()
  await page.getByText('You have read-only access.').waitFor()
  // what is only renamed is said to be renamed
  const moved = 'zerohop: 2\nmoved:\n  - { kind: action, from: report/read, to: report/view }\n'
  await choose(page, ['moved.yaml', moved])
  await page.getByText('Renamed: action report/read to report/view.').waitFor()
  await page.getByText(/users? keeps? access under a new name/).waitFor()
  expect(await page.getByText(/(gain|lose)s? access \(/).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove moved.yaml' }).click()
  // the files are still there when one comes back
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('list', { name: 'What would change' }).getByText('guest').first().waitFor()
  expect(await page.getByRole('button', { name: 'Apply', exact: true }).count()).toBe(0)
})
