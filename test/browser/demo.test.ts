// The page of `zerohop integration --demo` in a real browser: headless Chromium signs in through the stand-in, syncs,
// waves (allowed) and says (refused), and the page shows each answer. Skipped, with its reason printed, where no
// Chromium is installed.
import { chromium } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, Server, url } from '../support/server.ts'

afterAll(endServers)

// skipped where no Chromium is installed: the same way without a browser is test/integration/demo.test.ts
it.skipIf(CHROMIUM === undefined)('signs in through the stand-in, syncs, waves, and is refused to say', async () => {
  const data = temporaryFolder('browser')
  const [api, pdp, port] = [await freePort(), await freePort(), await freePort()]
  await serveHere(data, { api, pdp }, true)
  const base = `http://localhost:${port}`
  const backend = new Server('integration', { INTEGRATION_PORT: String(port), API_URL: url(api), ZEROHOP_DATA: data }, [
    '--demo',
  ])
  await backend.until(async () => (await fetch(`${base}/`)).ok)

  const chrome = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })
  try {
    const page = await chrome.newPage()
    const troubles: string[] = []
    page.on('pageerror', (error) => troubles.push(error.message))
    await page.goto(base)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.locator('.stand-in').innerText()).toContain('STAND-IN')
    await page.getByLabel('User key').fill('ben')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const answer = (action: string) => page.locator(`li[data-action="${action}"]`).first().innerText()
    expect(await answer('sync')).toMatch(/^sync: 200 \{.*"key":"ben"/)
    expect(await page.locator('#who').innerText()).toBe('Signed in as ben.')
    await page.getByRole('button', { name: 'Wave' }).click()
    expect(await answer('wave')).toBe('wave: 200 Permitted! to wave hello')
    await page.getByRole('button', { name: 'Say' }).click()
    expect(await answer('say')).toBe('say: 403 Not permitted to say hello')
    expect(new URL(page.url()).search).toBe('')
    expect(troubles).toEqual([])
  } finally {
    await chrome.close()
  }
})
