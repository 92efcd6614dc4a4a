// A role under a condition (D17), as a story: the matrix shows the cell, its condition and the way to the rule; Why says
// both halves, of a document that is archived and of one that is not.
import { expect, it } from 'vitest'
import { consoleServer, goTo, inspect, useConsole } from '../support/console.ts'

const console = useConsole('under-a-condition', {
  zerohop: 2,
  resources: [
    {
      key: 'document',
      actions: { read: {}, write: {} },
      attributes: { archived: { type: 'bool' } },
      roles: { editor: { permissions: ['read'] }, owner: { permissions: [], extends: ['editor'] } },
    },
  ],
  roles: [{ key: 'member', permissions: ['document:read'] }],
  condition_sets: [
    {
      key: 'not-archived',
      type: 'resourceset',
      resource: 'document',
      conditions: { 'resource.archived': { 'not-equals': true } },
    },
  ],
  set_rules: [{ user_set: 'document#editor', permission: 'document:write', resource_set: 'not-archived' }],
  tenants: [{ key: 'acme' }],
  users: [{ key: 'ana' }],
  resource_instances: [
    { resource: 'document', key: 'plan', tenant: 'acme', attributes: { archived: false } },
    { resource: 'document', key: 'old', tenant: 'acme', attributes: { archived: true } },
  ],
  role_assignments: [
    { user: 'ana', role: 'editor', resource_instance: 'document:plan' },
    { user: 'ana', role: 'owner', resource_instance: 'document:old' },
  ],
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('shows what a role has under a condition, and why', async () => {
  const page = await console.visit('policy')
  const go = (to: string) => goTo(page, `/${console.path.p}/${console.path.e}/${to}`)
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
  await cell('document#owner has document:write: conditional, on not-archived, from document#editor').waitFor()
  await cell('document#editor has document:read: direct').waitFor()
  await cell('member does not have document:write').waitFor()
  await cell('document#editor has document:write: conditional, on not-archived').click()
  const rules = page.getByRole('list', { name: 'Access rules of this cell' })
  await rules.getByText('If not-archived: resource.archived is not true').waitFor()
  expect(await page.getByRole('link', { name: /^Review/ }).count()).toBe(0) // it is not changed here
  await inspect(page, 'policy-conditional')
  await rules.getByRole('link', { name: 'not-archived' }).click()
  await page.getByRole('cell', { name: 'role document#editor', exact: true }).waitFor()

  const why = (document: string) => `why?user=ana&action=write&resource=document:${document}`
  await go(why('plan'))
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByRole('heading', { name: 'Allowed' }).waitFor()
  await answer
    .getByRole('listitem')
    .getByText(/document#editor/)
    .first()
    .waitFor()
  await answer
    .getByRole('listitem')
    .getByText(/not-archived/)
    .first()
    .waitFor()
  await inspect(page, 'why-conditional')
  await go(why('old'))
  await answer.getByRole('heading', { name: 'Denied' }).waitFor()
  await answer
    .getByRole('listitem')
    .getByText(/not-archived/)
    .first()
    .waitFor()
  await answer
    .getByText(/resource\.archived.*true/)
    .first()
    .waitFor()
  await inspect(page, 'why-not-conditional', { sizes: ['narrow'] })

  await go('policy')
  await page.getByRole('rowheader', { name: 'document#owner' }).click()
  await page.getByRole('article', { name: 'Role owner' }).waitFor()
})
