// The example application (examples/documents) as its users see it: lists by a filter, buttons by a snapshot, and what
// the page does not offer is refused by the server.
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findViolations } from '../support/axe.ts'
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
async function manage(user: string, method: string, path: string, body?: object) {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { cookie: `user=${user}`, 'x-requested-with': 'zerohop', ...json }
  const answer = await fetch(`${base}/authz${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
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

  it('lets administrators of a tenant manage its members, and others not', async () => {
    expect((await manage('ana', 'GET', '/members')).body.total_count).toBe(3)
    for (const user of ['ben', 'cyd', 'eve']) expect((await manage(user, 'GET', '/members')).status).toBe(403)
    expect((await manage('mallory', 'GET', '/members')).status).toBe(401)
    expect((await manage('ana', 'DELETE', '/members/eve')).status).toBe(404)
    expect((await manage('ana', 'PUT', '/members/eve/roles/admin', {})).status).toBe(404)
    expect((await fetch(`${base}/authz/members`, { headers: { cookie: 'user=ana' } })).status).toBe(403)
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
      await manageMembers(page)
      expect(troubles).toEqual([])
    } finally {
      await chrome.close()
    }
  })
})

/** The page Members, as ana uses it: every change is shown, said, and is there for the next request. */
async function manageMembers(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Members' }).click()
  const status = page.getByRole('status')
  await page.getByRole('list', { name: 'Roles of ben' }).getByText('member').waitFor()
  expect(await page.getByText('3 members').count()).toBe(1)
  await expectAccessible(page)

  await page.getByLabel('Role for ben').selectOption('auditor')
  await page.getByRole('button', { name: 'Give the role to ben' }).click()
  await status.getByText('ben has the role auditor.').waitFor()
  await page.getByRole('button', { name: 'Take auditor from ben' }).waitFor()
  await page.getByRole('button', { name: 'Take member from ben' }).click()
  await status.getByText('ben no longer has the role member.').waitFor()
  const rolesOfBen = page.getByRole('list', { name: 'Roles of ben' }).getByRole('listitem')
  expect(await rolesOfBen.allInnerTexts()).toEqual([expect.stringMatching(/^auditor\b/)])

  await page.getByRole('searchbox').fill('cyd')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('1 member', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove cyd' }).click()
  await page.getByRole('button', { name: 'Keep cyd' }).click()
  await page.getByRole('button', { name: 'Remove cyd' }).click()
  await page.getByRole('button', { name: 'Remove cyd and all roles' }).click()
  await status.getByText('cyd is removed.').waitFor()
  await page.getByText('0 members').waitFor()

  await page.getByLabel('Email', { exact: true }).fill('dan@acme.example')
  await page.getByLabel('Role', { exact: true }).selectOption('auditor')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await status.getByText('dan@acme.example is invited.').waitFor()
  await page.getByLabel('Email', { exact: true }).fill('dan@acme.example')
  await page.getByLabel('Role', { exact: true }).selectOption('auditor')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await status.getByText('already').waitFor()
  await makeRole(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel the invite of dan@acme.example' }).click()
  await page.getByText('No one is invited.').waitFor()
  await answerRequest(page)
}

/** The administrator makes a role of what the application offers, no more than she has, and gives it. */
async function makeRole(page: Page): Promise<void> {
  const status = page.getByRole('status')
  await page.getByText('There are no own roles.').waitFor()
  await page.getByLabel('Name of the role').fill('Front desk')
  await page.getByLabel('read document').check()
  await page.getByRole('button', { name: 'Make role' }).click()
  await status.getByText('cannot give it').waitFor()
  await page.getByLabel('read document').uncheck()
  await page.getByLabel('see members').check()
  await page.getByRole('button', { name: 'Make role' }).click()
  await status.getByText('The role Front desk is made.').waitFor()
  await page.getByRole('list', { name: 'Own roles' }).getByText('members:see').waitFor()

  await page.getByRole('searchbox').fill('')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByLabel('Role for ben').selectOption('front-desk@acme')
  await page.getByRole('button', { name: 'Give the role to ben' }).click()
  await status.getByText('ben has the role front-desk@acme.').waitFor()
}

/** A member asks for a role, which the administrator gives for a time; with her role the member sees who the others are. */
async function answerRequest(page: Page): Promise<void> {
  const status = page.getByRole('status')
  await page.getByRole('button', { name: 'Take auditor from ben' }).click()
  await status.getByText('ben no longer has the role auditor.').waitFor()
  await vi.waitFor(async () => expect((await manage('ben', 'GET', '/members')).status).toBe(200), 10_000)
  await visitMembers(page, 'ben')
  await page.getByRole('list', { name: 'Roles of ana' }).getByText('admin').waitFor()
  expect(await page.getByRole('button', { name: /^(Give|Invite|Remove|Make|Delete|Approve)/ }).count()).toBe(0)
  await page.getByLabel('Why').fill('the yearly report')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await status.getByText('You asked for the role Auditor.').waitFor()
  await page.getByRole('button', { name: 'Cancel the request of ben for auditor' }).waitFor()
  await expectAccessible(page)

  await visitMembers(page, 'ana')
  await page.getByText('the yearly report').waitFor()
  await page.getByRole('button', { name: 'Approve the request of ben for auditor' }).click()
  await status.getByText('The request of ben for auditor is approved.').waitFor()
  await page.getByRole('list', { name: 'Roles of ben' }).getByText('auditor until').waitFor()
  await vi.waitFor(async () => expect(await titles('ben')).toContain('Accounts'), 10_000)
  await page.getByRole('button', { name: 'Delete Front desk' }).click()
  await page.getByRole('button', { name: 'Delete Front desk and take it from all members' }).click()
  await status.getByText('The role Front desk is deleted.').waitFor()

  // who sees no members is offered nothing of it, and told why
  await vi.waitFor(async () => expect((await manage('ben', 'GET', '/members')).status).toBe(403), 10_000)
  await visitMembers(page, 'ben')
  await page.getByRole('alert').first().getByText('You may not see this.').waitFor()
  await page.getByRole('button', { name: 'Revoke the request of ben for auditor' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Give|Invite|Remove|Make)/ }).count()).toBe(0)
  await expectAccessible(page)
}

async function visitMembers(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Documents' }).click()
  await signIn(page, name)
  await page.getByRole('link', { name: 'Members' }).click()
}

async function expectAccessible(page: Page): Promise<void> {
  expect((await findViolations(page)).map(({ rule, html }) => `${rule}: ${html}`)).toEqual([])
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name: `Documents of ${name}` }).waitFor()
}

/** The buttons that belong to documents. */
async function buttons(page: Page): Promise<string[]> {
  return page.getByRole('button', { name: /^(Edit|Add)/ }).allInnerTexts()
}
