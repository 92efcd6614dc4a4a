// Signing in, and what happens to an open page when the session ends, the key may do less, or the server is away.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('session')
const WHY = '/console/default/session/why'

// skipped where no Chromium is installed: the routes of the session are tested in test/http/console
it.skipIf(consoleServer === undefined)('asks to sign in first, says when a key is wrong, and leads back', async () => {
  const page = await console.visit('why?user=ana', { isSignedOut: true })
  await page.getByRole('heading', { name: 'Sign in to Zerohop' }).waitFor()
  await inspect(page, 'sign-in')
  await page.getByLabel('API key').fill('zh_env_wrong')
  await page.keyboard.press('Enter')
  await page.getByText(/This key doesn't exist/).waitFor()
  await page.getByLabel('API key').fill(consoleServer!.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Why', level: 1 }).waitFor()
  expect(await page.getByRole('combobox', { name: 'User' }).inputValue()).toBe('ana')
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('zh_')

  await page.getByRole('button', { name: /Full access/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Zerohop' }).waitFor()
  await page.goto(WHY)
  await page.getByRole('heading', { name: 'Sign in to Zerohop' }).waitFor()
})

// skipped where no Chromium is installed: signing in at a provider is tested in test/http/console
it.skipIf(consoleServer === undefined)('says why an account could not be signed in', async () => {
  const page = await console.visit('/console/sign-in?error=USER_REFUSED', { isSignedOut: true })
  await page.getByRole('alert').getByText('have access to this console yet').waitFor()
  expect(await page.getByRole('link', { name: 'Sign in with your account' }).count()).toBe(0)
  await page.route('**/console/api/sign-in', (route) => route.fulfill({ json: { api_key: true, provider: true } }))
  await page.reload()
  const provider = page.getByRole('link', { name: 'Sign in with your account' })
  expect(await provider.getAttribute('href')).toBe('/console/api/session/provider')
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'takes the token of a link out of the address, also of one that is used up',
  async () => {
    const page = await console.visit('/console/sign-in#token=used-up', { isSignedOut: true })
    await page.getByText("This link can't be used").waitFor()
    expect(page.url()).not.toContain('token')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('goes on after the session has ended, with what was typed', async () => {
  const key = await console.makeKey('read')
  const page = await console.visit('why', { isSignedOut: true })
  await page.getByLabel('API key').fill(key.secret)
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'User' }).fill('ana@acme.example')
  await page.getByRole('combobox', { name: 'Action' }).fill('read')
  await page.getByRole('combobox', { name: 'Resource' }).fill('report')
  await page.getByRole('combobox', { name: 'Tenant' }).fill('acme')
  await console.api.DELETE('/v2/api-key/{key}', { params: { path: { key: key.id } } })
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await inspect(page, 'expired-session')
  await dialog.getByLabel('API key').fill(consoleServer!.key)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
  await dialog.waitFor({ state: 'hidden' })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'loads parts of a page that it did not reach when the server is back',
  async () => {
    const page = await console.visit('why')
    const user = page.getByRole('combobox', { name: 'User', exact: true })
    await user.fill('ana')
    await page.route('**', (route) => route.abort('connectionrefused'))
    const asked = page.waitForEvent('requestfailed', (request) => request.url().includes('/command-palette'))
    await page.getByRole('button', { name: /^Go to/ }).hover()
    await asked
    await page.keyboard.press('Control+k')
    await page.getByRole('status').getByText("Can't reach the server").waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.unroute('**')
    const results = page.getByRole('dialog').getByRole('listbox')
    await results.waitFor()
    // it has its styles, too
    expect(await results.evaluate((element) => getComputedStyle(element).overflowY)).toBe('auto')
    await page.keyboard.press('Escape')
    expect(await user.inputValue()).toBe('ana')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'loads a part that failed once, though the server answers again by then',
  async () => {
    const page = await console.visit('why')
    await page.getByRole('combobox', { name: 'User', exact: true }).waitFor()
    await page.route(/\/command-palette-/, (route) => route.abort('connectionreset'), { times: 1 })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('listbox').waitFor()
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('stays as it is when an update has taken a part of it away', async () => {
  const page = await console.visit('why')
  const user = page.getByRole('combobox', { name: 'User', exact: true })
  await user.fill('ana')
  await page.route(/\/account-menu-/, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('button', { name: /Full access/ }).click()
  await page.getByRole('alert').getByText('Reload the page').waitFor()
  await page.getByRole('button', { name: /Full access/ }).waitFor()
  expect(await user.inputValue()).toBe('ana')
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('goes on after another tab has signed in anew', async () => {
  const page = await console.visit('why?user=ana%40acme.example&action=read&resource=report&tenant=acme')
  await page.getByRole('heading', { name: 'Allowed' }).waitFor()
  const { status } = await signInElsewhere(page)
  expect(status).toBe(200)
  await page.getByRole('combobox', { name: 'Action' }).fill('delete')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
})

/** In the same browser: the cookie that the open page has, too, is then of another session. */
const signInElsewhere = (page: Page): Promise<{ status: number }> =>
  page.evaluate(async (api_key) => {
    const headers = { 'content-type': 'application/json' }
    return {
      status: (await fetch('/console/api/session', { method: 'POST', headers, body: JSON.stringify({ api_key }) }))
        .status,
    }
  }, consoleServer!.key)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'says that the server is away, and goes on by itself when it is back',
  async () => {
    const page = await console.visit('why?user=ana%40acme.example&action=read&resource=report&tenant=acme')
    await page.getByRole('heading', { name: 'Allowed' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('combobox', { name: 'Action' }).fill('export')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/Can't reach the server. Trying again/).waitFor()
    await page.context().setOffline(false)
    await page.getByText(/Can't reach the server. Trying again/).waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Allowed' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('export')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'shows a key of one environment that environment, and says so where an address has no page',
  async () => {
    const page = await console.visit('/console/', { access: 'read' })
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/default/session/overview')
    await page.getByRole('button', { name: /Read only/ }).waitFor()
    await page.getByRole('button', { name: /^Environment: / }).click()
    await page.getByRole('option', { name: 'Session' }).waitFor()
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Session'])
    await page.keyboard.press('Escape')

    await page.goto('/console/default/production/why')
    await page.getByRole('heading', { name: 'Environment not found' }).waitFor()
    await page.goto('/console/default/session/nowhere')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  },
)
