// The page Environments in a browser: one is made, compared, copied with its plan, and deleted; a plan that others have
// overtaken; who may only read.
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('staging')
const { p, e } = console.path
const TARGET = 'shadow'

async function makeInTarget(key: string): Promise<void> {
  const params = { path: { p, e: TARGET } }
  const body = { key, name: key, permissions: key === 'viewer' ? [] : ['invoice:read'] }
  dataOf(await console.api.POST('/v2/schema/{p}/{e}/roles', { params, body }))
}

/** A tenant in both environments, with a role of its own in the first. */
async function makeTenantRole(): Promise<void> {
  const { api } = console
  const action = { ...console.path, resource: 'invoice', ref: 'read' }
  dataOf(
    await api.PATCH('/v2/schema/{p}/{e}/resources/{resource}/actions/{ref}', {
      params: { path: action },
      body: { grantable: true },
    }),
  )
  for (const environment of [e, TARGET]) {
    const params = { path: { p, e: environment } }
    dataOf(await api.POST('/v2/facts/{p}/{e}/tenants', { params, body: { key: 'umbrella', name: 'Umbrella' } }))
  }
  dataOf(
    await api.POST('/v2/facts/{p}/{e}/tenants/{ref}/roles', {
      params: { path: { ...console.path, ref: 'umbrella' } },
      body: { key: 'auditor', name: 'Auditor', permissions: ['invoice:read'] },
    }),
  )
}

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)(
  'makes an environment, copies to it, compares the two, and deletes it',
  async () => {
    const page = await console.visit('environments', { isOrganization: true })
    await page.getByRole('button', { name: 'New environment' }).click()
    await page.getByRole('textbox', { name: 'Key' }).fill(TARGET)
    await page.getByRole('textbox', { name: 'Name' }).fill('Shadow')
    await page.getByRole('button', { name: 'Create environment' }).click()
    await page.getByRole('link', { name: TARGET, exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search environments' }).fill('a')
    await page.waitForURL(/search=a/)
    await inspect(page, 'environments')

    // the plan first, then just that
    await page.getByRole('link', { name: `Copy ${e} to ${TARGET}` }).click()
    await page.getByRole('heading', { name: 'What would change' }).waitFor()
    await page.getByRole('list', { name: 'What would change' }).getByText('invoice').first().waitFor()
    await inspect(page, 'copy')
    await makeInTarget('viewer') // by somebody else, meanwhile
    await page.getByRole('button', { name: `Copy to ${TARGET}` }).click()
    await page
      .getByRole('alert')
      .getByText(/viewer/)
      .waitFor()
    // nothing is overwritten unless somebody says so
    await page.getByRole('button', { name: 'Plan again' }).click()
    await page
      .getByRole('alert')
      .getByText(/already exists/)
      .waitFor()
    const overwrite = page.getByRole('checkbox', { name: /^Overwrite/ })
    expect(await overwrite.isChecked()).toBe(false)
    await overwrite.check()
    await makeTenantRole()
    await page.getByRole('checkbox', { name: /roles that tenants created/ }).check()
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByRole('list', { name: 'Roles of tenants' }).getByText('auditor@umbrella').waitFor()
    await page.getByRole('button', { name: `Copy to ${TARGET}`, disabled: false }).click()
    await page.waitForURL(new RegExp(`/${TARGET}/history`))

    // both have the same policy now, until one changes
    await page.goto(`/console/${p}/${e}/environments/compare`)
    const field = page.getByLabel(`Compare ${e} with`, { exact: true })
    await field.fill(TARGET)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'No differences' }).waitFor()
    await makeInTarget('only-there')
    dataOf(
      await console.api.DELETE('/v2/schema/{p}/{e}/roles/{ref}/permissions', {
        params: { path: { p, e: TARGET, ref: 'viewer' } },
        body: { permissions: ['report:read'] },
      }),
    )
    await page.reload()
    const differences = page.getByRole('list', { name: 'Differences' })
    await differences.getByText('only-there').waitFor()
    expect(await differences.innerText()).toMatch(new RegExp(`Only in ${TARGET}[^]*role[^]*only-there`))
    await page.getByText('4 users lose access').waitFor()
    await inspect(page, 'compare')

    await page.getByRole('link', { name: 'Environments', exact: true }).first().click()
    await page.getByRole('button', { name: `Delete ${TARGET}` }).click()
    await page.getByText(/This also deletes \d+ roles, 3 resource types/).waitFor()
    await page.getByRole('textbox', { name: /to confirm/ }).press('Enter')
    await page.getByText(`Enter the key ${TARGET}`).waitFor()
    await inspect(page, 'environments-delete')
    await page.getByRole('textbox', { name: /to confirm/ }).fill(TARGET)
    await page.getByRole('button', { name: 'Delete environment', exact: true }).click()
    await page.getByRole('link', { name: TARGET, exact: true }).waitFor({ state: 'detached' })

    // what is gone is said, with the name that was asked for
    await page.goto(`/console/${p}/${e}/environments/compare?with=${TARGET}`)
    await page.getByRole('alert').getByText(new RegExp(TARGET)).waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'compares with the past, and offers nothing else to a key that reads',
  async () => {
    const page = await console.visit(`environments/compare?with=${e}&at=1`, { access: 'read' })
    await page.getByRole('heading', { name: `${e} as of 1 has no policy` }).waitFor()
    const params = { path: { p, e, ref: 'viewer' } }
    const read = await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: console.path } })
    const before = read.response.headers.get('x-revision') ?? ''
    const body = { description: 'reads' }
    dataOf(await console.api.PATCH('/v2/schema/{p}/{e}/roles/{ref}', { params, body }))
    await page.getByRole('textbox', { name: 'As of' }).fill(before)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('list', { name: 'Differences' }).getByText('reads').waitFor()
    await page.getByRole('link', { name: 'Environments', exact: true }).first().click()
    await page.getByRole('link', { name: e, exact: true }).waitFor()
    for (const name of ['New environment', `Delete ${e}`])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  },
)

// skipped where no Chromium is installed: what is refused is tested in test/http/management
it.skipIf(consoleServer === undefined)(
  'requires a reason and approval, and asks before it no longer does',
  async () => {
    const bare = { p, e: 'bare' }
    dataOf(
      await console.api.POST('/v2/projects/{p}/envs', { params: { path: { p } }, body: { key: 'bare', name: 'Bare' } }),
    )
    const page = await console.visit('environments', { isOrganization: true })
    const dialog = page.getByRole('dialog')
    const row = page.getByRole('row', { name: /bare/ })
    const open = () => page.getByRole('button', { name: 'Requirements of bare' }).click()
    await open()
    await dialog.getByLabel('Require a reason').check()
    await dialog.getByLabel('Require approval').check()
    await inspect(page, 'environment-requirements')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('approval required').waitFor()
    await row.getByText('reason required').waitFor()
    await inspect(page, 'environments-required')
    await open()
    await dialog.getByLabel('Require approval').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Everyone with write access can change the policy alone.').waitFor()
    await inspect(page, 'environment-requires-less', { sizes: ['narrow'] })
    await dialog.getByRole('button', { name: 'Require less' }).click()
    // this write needs a reason, too
    await page.getByRole('dialog').getByLabel('Reason').fill('Only two of us')
    await page.keyboard.press('Enter')
    await row.getByText('approval required').waitFor({ state: 'detached' })
    expect(dataOf(await console.api.GET('/v2/projects/{p}/envs/{e}', { params: { path: bare } }))).toMatchObject({
      require_reason: true,
    })

    // an environment without a policy can be copied to
    await page.getByRole('link', { name: 'Compare with bare' }).click()
    await page.getByRole('heading', { name: 'bare has no policy' }).waitFor()
    await page.getByRole('link', { name: `Copy ${e} to bare…` }).click()
    await page.getByRole('heading', { name: 'What would change' }).waitFor()

    const other = await console.visit('environments')
    await other.getByRole('link', { name: e, exact: true }).waitFor()
    expect(await other.getByRole('button', { name: /^Requirements/ }).count()).toBe(0)
  },
)
