// The page Overview in a browser: a new environment has first steps, one with a policy has its numbers.
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, inspect, useConsole } from '../support/console.ts'
import { losePdp } from '../support/pdps.ts'

const console = useConsole('overview')

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('is the first page, with what is there and what lacks', async () => {
  const { api, path } = console
  const nobody = { key: 'archivist', name: 'Archivist', permissions: ['report:read'] }
  dataOf(await api.POST('/v2/schema/{p}/{e}/roles', { params: { path }, body: nobody }))
  const page = await console.visit('', { isOrganization: true })
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  const stored = page.getByRole('list', { name: 'Contents' })
  await stored.waitFor()
  expect(await stored.getByRole('link').allInnerTexts()).toEqual([
    expect.stringMatching(/^3\s+Resources$/),
    expect.stringMatching(/^6\s+Roles$/),
    expect.stringMatching(/^5\s+Users$/),
    expect.stringMatching(/^\d\s+Tenants$/),
    expect.stringMatching(/^\d\s+Instances$/),
  ])
  await page.getByText(/Last 7 days: [1-9]\d* revisions?/).waitFor()
  await page.getByText('1 role is not assigned to anyone: archivist').waitFor()
  expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  await inspect(page, 'overview')

  dataOf(await api.POST('/v2/projects/{p}/envs', { params: { path }, body: { key: 'blank', name: 'Blank' } }))
  await page.goto('/console/default/blank')
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await inspect(page, 'overview-new', { sizes: ['wide'] })
  await page.getByRole('link', { name: /Add a resource and its actions/ }).click()
  await page.getByRole('heading', { name: 'Resources', level: 1 }).waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('warns of a PDP whose answers may be old', async () => {
  const { secret } = await console.makeKey('read')
  await losePdp(consoleServer!.url, secret, 'zebra')
  const page = await console.visit('', { access: 'read' })
  await page.getByText('1 PDP might be using an outdated policy: zebra').waitFor()
  await page.getByText('0 connected').waitFor()
  await page.getByRole('region', { name: 'PDPs' }).getByText('Not connected').waitFor()
  await inspect(page, 'overview-pdps', { sizes: ['wide'] })
})
