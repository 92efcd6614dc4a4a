// Every dialog of the console in a browser: it opens on its first field, or on a button that does no harm, keeps the
// focus inside, passes axe, and gives the focus back to what opened it. A click outside does not lose what was typed.
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dataOf } from '../../src/client.ts'
import { consoleServer, goTo, inspect, listProblems, useConsole } from '../support/console.ts'
import { OFFERING_POLICY } from '../support/console-policy.ts'

const console = useConsole('dialogs', OFFERING_POLICY)

/** By page: the buttons that open a dialog there. */
const OPENERS: readonly (readonly [address: string, ...buttons: readonly (string | RegExp)[]])[] = [
  ['users', 'New user', 'Help'],
  ['users/ana@acme.example', 'Suspend', 'Delete'],
  ['tenants', 'New tenant'],
  ['tenants/acme', 'Delete'],
  ['tenants/acme?tab=roles', 'New role', 'Assign role clerk', 'Edit role clerk', 'Delete role clerk'],
  ['instances', 'New instance'],
  ['instances/folder:q4', 'Delete'],
  ['resources', 'New resource'],
  ['resources/invoice?tab=actions', 'New action', 'Edit action approve', 'Delete action approve'],
  ['resources/invoice?tab=attributes', 'New attribute', 'Edit attribute amount', 'Delete attribute amount'],
  ['resources/invoice?tab=roles', 'New role', 'Edit role reader', 'Delete role reader'],
  ['resources/invoice?tab=relations', 'New relation', 'Delete relation parent'],
  ['conditions', 'New condition set'],
  ['conditions/finance-staff', 'Delete', /^Remove access rule/],
  ['environments', 'New environment', /^Requirements of dialogs$/, /^Delete dialogs$/],
  ['keys', 'New key', /^Rotate /, /^Delete /],
  ['policy', 'New role'],
]
const FIELDS = ['INPUT', 'SELECT', 'TEXTAREA']

/** What has the focus, and whether the dialog has a field at all. */
const focusIn = (dialog: Locator) =>
  dialog.evaluate((element) => ({
    isInside: element.contains(document.activeElement),
    on: document.activeElement?.tagName ?? '',
    label: document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    hasField: element.querySelector('input:not(:disabled), select:not(:disabled), textarea:not(:disabled)') !== null,
  }))

async function opens(dialog: Locator): Promise<void> {
  await dialog.waitFor()
  await expect.poll(() => focusIn(dialog)).toMatchObject({ isInside: true })
  const { hasField, on, label } = await focusIn(dialog)
  if (hasField) expect(FIELDS).toContain(on)
  else expect([on, label]).toEqual(['BUTTON', expect.not.stringMatching(/^(Close|Delete|Rotate|Remove)/)])
}

async function closesTo(page: Page, dialog: Locator, opener: Locator): Promise<void> {
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true)
}

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('opens dialogs on a field, and returns', { timeout: 240_000 }, async () => {
  const acme = { path: { ...console.path, ref: 'acme' } }
  dataOf(await console.api.POST('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params: acme, body: { key: 'clerk' } }))
  const page = await console.visit('overview', { isOrganization: true })
  const dialog = page.getByRole('dialog')
  const { p, e } = console.path
  for (const [address, ...buttons] of OPENERS) {
    await goTo(page, `/${p}/${e}/${address}`)
    for (const name of buttons) {
      const opener = page.getByRole('button', { name, exact: true }).first()
      await opener.focus()
      await page.keyboard.press('Enter')
      if (name === 'Help') await dialog.waitFor()
      else await opens(dialog)
      expect(await listProblems(page, `${name} on ${address}`, { sizes: ['narrow'], isPlain: true })).toEqual([])
      await closesTo(page, dialog, opener)
    }
  }
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('gives the focus back from the palette and the navigation', async () => {
  const page = await console.visit('users')
  const opener = page.getByRole('button', { name: 'New user' })
  for (const _ of ['the first time', 'and again']) {
    await opener.focus()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog')
    await opens(palette)
    await closesTo(page, palette, opener)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  const menu = page.getByRole('button', { name: 'Open navigation' })
  await menu.click()
  const navigation = page.getByRole('dialog', { name: 'Navigation' })
  await navigation.waitFor()
  await closesTo(page, navigation, menu)
  await menu.click()
  await navigation.getByRole('button', { name: /^Go to/ }).click()
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await opens(palette)
  await closesTo(page, palette, menu)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('asks before it closes over what was typed', async () => {
  const page = await console.visit('users')
  await page.getByRole('link', { name: 'Tenants' }).click()
  const dialog = page.getByRole('dialog')
  const question = dialog.getByRole('alertdialog', { name: 'Discard your changes?' })
  await page.getByRole('button', { name: 'New tenant' }).click()
  const key = dialog.getByLabel('Key', { exact: true })
  await key.fill('umbrella')
  await page.mouse.click(5, 5)
  await question.waitFor()
  await inspect(page, 'discard', { sizes: ['narrow'] })
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => key.evaluate((field) => field === document.activeElement)).toBe(true)
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await leave()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    expect(await key.inputValue()).toBe('umbrella')
  }
  await page.goBack()
  await question.waitFor()
  expect([await key.inputValue(), new URL(page.url()).pathname]).toEqual([
    'umbrella',
    expect.stringMatching(/tenants$/),
  ])
  await question.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'New tenant' }).click()
  await key.fill('umbrella')
  await key.fill('')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('keeps a secret that is shown once until it was copied', async () => {
  const page = await console.visit('users')
  await page.getByRole('link', { name: /^Keys/ }).click()
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('till')
  await page.keyboard.press('Enter')
  const secret = dialog.getByRole('textbox', { name: 'Secret' })
  await secret.waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.goBack()
  expect(await secret.inputValue()).toMatch(/\S{20}/)
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await inspect(page, 'secret', { sizes: ['narrow'] })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('begins to sign in with the focus on the key', async () => {
  const page = await console.visit('users', { isSignedOut: true })
  const key = page.getByLabel('API key', { exact: true })
  await key.waitFor()
  await expect.poll(() => key.evaluate((field) => field === document.activeElement)).toBe(true)
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('asks before a page is left on which something is typed', async () => {
  const page = await console.visit('tenants/acme?tab=details')
  const name = page.getByRole('form', { name: 'Details' }).getByLabel('Name')
  await name.fill('Acme of tomorrow')
  const leave = page.getByRole('link', { name: 'Users', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  for (const stay of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Keep editing' }).click(),
  ]) {
    await leave.focus()
    await page.keyboard.press('Enter')
    await opens(dialog)
    await stay()
    await dialog.waitFor({ state: 'detached' })
    expect([await name.inputValue(), new URL(page.url()).pathname]).toEqual([
      'Acme of tomorrow',
      expect.stringMatching(/tenants\/acme$/),
    ])
  }
  await leave.click()
  await dialog.waitFor()
  await inspect(page, 'leave', { sizes: ['narrow'] })
  await dialog.getByRole('button', { name: 'Discard and leave' }).click()
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('form', { name: 'Details' }).waitFor()
  expect(await name.inputValue()).not.toBe('Acme of tomorrow')
})
