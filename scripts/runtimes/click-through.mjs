// The Next application of examples/next as its users see it, in Chromium: lists by a filter, buttons by the snapshot that
// a server component gave to a client component, and actions that are checked on the server.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { managementServer, openManagement, readKeys } from '../../dist/src/server.js'
import { openWithPolicy } from '../../examples/documents/policy.mjs'

const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/**
 * @param folder of the built application; its data are made in it
 * @param start starts it with these variables
 * @returns what came of it: `as written`, or why it was skipped. @throws when a page shows something else
 */
export async function clickThrough(folder, start) {
  const executablePath = PLACES.find((path) => existsSync(path))
  if (executablePath === undefined) return `skipped: no Chromium at ${PLACES.join(', ')}`
  const data = join(folder, 'documents-data')
  await (await openWithPolicy(data)).close()
  const management = await openManagement({ data })
  const server = managementServer(management)
  const api = await server.listen({ host: '127.0.0.1', port: 0 })
  const running = start({ ZEROHOP_API: api, ZEROHOP_KEY: readKeys(data).environments.development })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    await click(await browser.newPage(), await running.address())
    return 'as written'
  } finally {
    await browser.close()
    running.end()
    await server.close()
    await management.store.close()
  }
}

async function click(page, url) {
  const errors = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(url)
  const button = (name) => page.getByRole('button', { name, exact: true })
  const as = async (user) => {
    await button(user).click()
    await page.getByRole('heading', { name: `Documents of ${user}` }).waitFor()
  }
  await as('ana') // a member, and editor of the folder `reports`
  await button('Edit Budget').waitFor()
  await same(page, ['Handbook', 'Budget Edit Budget'])
  await button('Edit Budget').click()
  await button('Edit Budget!').waitFor()
  await as('ben') // a member, who wrote one document
  await button('Edit Plan').waitFor()
  await same(page, ['Handbook', 'Plan Edit Plan'])
  await as('cyd') // reads everything, edits nothing
  await same(page, ['Handbook', 'Budget!', 'Prices', 'Plan'])
  await as('eve') // of another tenant
  await button('Edit Secret').waitFor()
  await same(page, ['Secret Edit Secret'])
  if (errors.length > 0) throw new Error(`errors in the page: ${errors.join('; ')}`)
}

async function same(page, expected) {
  const shown = (await page.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  if (JSON.stringify(shown) !== JSON.stringify(expected))
    throw new Error(`the page lists ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`)
}
