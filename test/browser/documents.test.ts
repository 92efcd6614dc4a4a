// The example application (examples/documents) as its users see it: lists by a filter, buttons by a snapshot, and what
// the page does not offer is refused by the server.
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { endServers, freePort, Server } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

let base = ''

beforeAll(async () => {
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  const server = new Server(String(port), {}, [], join(ROOT, 'examples/documents/server.mjs'))
  await server.until(async () => (await fetch(base)).ok)
})
afterAll(endServers)

async function ask(user: string, method: string, path: string, body?: object) {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { cookie: `user=${user}`, ...json }
  const answer = await fetch(`${base}/api${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  return { status: answer.status, body: await answer.json() }
}
const titles = async (user: string): Promise<string[]> =>
  (await ask(user, 'GET', '/documents')).body.map(({ title }: { title: string }) => title)

describe('the example application', () => {
  it('lists what each user may read, in the tenant of the user', async () => {
    expect(await titles('ana')).toEqual(['Accounts', 'Brochure'])
    expect(await titles('ben')).toEqual(['Brochure', 'Contract'])
    expect(await titles('cyd')).toEqual(['Accounts', 'Brochure', 'Contract'])
    expect(await titles('eve')).toEqual(['Dossier'])
    expect((await ask('mallory', 'GET', '/documents')).status).toBe(401)
  })

  it('answers a document that may not be read like one that does not exist', async () => {
    expect((await ask('ana', 'GET', '/documents/d1')).body).toMatchObject({ id: 'd1', title: 'Accounts' })
    const hidden = await ask('ana', 'GET', '/documents/d3')
    expect(hidden).toEqual(await ask('ana', 'GET', '/documents/nothing'))
    expect(hidden.status).toBe(404)
    expect((await ask('eve', 'GET', '/documents/d1')).status).toBe(404)
  })

  it('refuses what the page does not offer', async () => {
    expect((await ask('cyd', 'PATCH', '/documents/d1', { title: 'Mine' })).status).toBe(403)
    expect((await ask('ana', 'POST', '/documents', { title: 'Plan', folder: 'sales' })).status).toBe(403)
    // ana may edit where the document lies, not where it would lie
    expect((await ask('ana', 'PATCH', '/documents/d1', { folder: 'sales' })).status).toBe(403)
    // ben may edit his own document, but moving it to the others' folder takes a right there
    expect((await ask('ben', 'PATCH', '/documents/d3', { folder: 'reports' })).status).toBe(403)
    expect((await ask('ana', 'PATCH', '/documents/d1', { owner: 'ana' })).body.owner).toBe('cyd')
    expect((await fetch(`${base}/%61pi/documents`)).status).toBe(401)
  })

  // skipped where no Chromium is installed: the requests of the page are tested above
  it.skipIf(CHROMIUM === undefined)('shows the buttons that fit each row', async () => {
    const chrome = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })
    try {
      const page = await chrome.newPage()
      const troubles: string[] = []
      page.on('pageerror', (error) => troubles.push(error.message))
      await page.goto(base)
      await signIn(page, 'ben')
      await page.getByRole('button', { name: 'Edit Contract' }).click()
      await page.getByRole('button', { name: 'Edit Contract!' }).waitFor()
      expect(await buttons(page)).toEqual(['Edit Contract!'])

      await signIn(page, 'ana')
      await page.getByLabel('Title').fill('Budget')
      await page.getByRole('button', { name: 'Add to reports' }).click()
      await page.getByRole('button', { name: 'Edit Budget' }).waitFor()
      expect(await buttons(page)).toEqual(['Edit Accounts', 'Edit Budget', 'Add to reports'])
      expect(troubles).toEqual([])
    } finally {
      await chrome.close()
    }
  })
})

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name: `Documents of ${name}` }).waitFor()
}

/** The buttons that belong to documents. */
async function buttons(page: Page): Promise<string[]> {
  return page.getByRole('button', { name: /^(Edit|Add)/ }).allInnerTexts()
}
