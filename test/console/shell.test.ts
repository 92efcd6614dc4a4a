// The frame of every page: the command palette, the navigation on a narrow screen, other environments, colours.
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('shell')

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('goes to pages and users with the keyboard alone', async () => {
  const page = await console.visit('why')
  await page.getByRole('heading', { name: 'Why', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to' })
  const input = palette.getByRole('combobox')
  await page.getByRole('option', { name: 'Why' }).waitFor()
  await page.keyboard.type('cle')
  const cleo = palette.getByRole('option', { name: /cleo@acme\.example.*Cleo Marsh/ })
  await cleo.waitFor()
  await expect.poll(() => input.getAttribute('aria-activedescendant')).toBe(await cleo.getAttribute('id'))
  await inspect(page, 'palette')
  await page.keyboard.press('Enter')
  await palette.waitFor({ state: 'hidden' })
  await page.waitForURL(/\/users\/cleo/)
  await page.getByRole('heading', { name: 'cleo@acme.example', level: 1 }).waitFor()

  await page.keyboard.press('Control+k')
  await input.fill('nobody is called that')
  await palette.getByText('No results').waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'hidden' })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'opens what was typed by Enter, even before the server has found it',
  async () => {
    const page = await console.visit('overview')
    await page.getByRole('list', { name: 'Contents' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    const input = palette.getByRole('combobox')
    await input.waitFor()
    await page.keyboard.type('@')
    await palette.getByRole('option', { name: /ana@acme\.example/ }).waitFor()
    // what the server finds for the whole name arrives only after Enter was pressed
    let letPass = () => {}
    const isPressed = new Promise<void>((resolve) => {
      letPass = resolve
    })
    await page.route(/search=cleo/, async (route) => {
      await isPressed
      await route.continue()
    })
    await input.fill('cleo@')
    await expect.poll(() => input.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('Enter')
    expect(await palette.isVisible()).toBe(true)
    letPass()
    await palette.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'cleo@acme.example', level: 1 }).waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('has its navigation behind a button on a narrow screen', async () => {
  const page = await console.visit('why', { isOrganization: true })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Open navigation' }).click()
  const menu = page.getByRole('dialog', { name: 'Navigation' })
  await menu.getByRole('link', { name: 'Why' }).waitFor()
  await inspect(page, 'navigation', { sizes: ['narrow'] })
  await menu.getByRole('button', { name: /^Environment: / }).click()
  await page.getByRole('option', { name: 'Production' }).click()
  await menu.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: 'Why', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/default/production/why')
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('keeps the colours that were chosen', async () => {
  const page = await console.visit('why')
  await page.getByRole('button', { name: /Full access/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.reload()
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await page.getByRole('button', { name: /Full access/ }).click()
  expect(await page.getByRole('menuitemradio', { name: 'Dark' }).getAttribute('aria-checked')).toBe('true')
})
