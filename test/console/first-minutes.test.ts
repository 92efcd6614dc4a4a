// The first five minutes of somebody new, from an empty folder: a link of `zerohop console-link`, the matrix, a role, who
// gains by it, and why. Then the server ends and begins again, below a page that is open.
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consoleServer, inspect, watch } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { freePort, readKeys, Server, url } from '../support/server.ts'

const complaints: string[] = []
const env: Record<string, string> = {}
let server: Server
let browser: Browser
let page: Page

beforeAll(async () => {
  if (consoleServer === undefined) return
  const [api, pdp] = [await freePort(), await freePort()]
  Object.assign(env, { ZEROHOP_DATA: temporaryFolder('first'), ZEROHOP_API_PORT: `${api}`, PDP_PORT: `${pdp}` })
  server = new Server('serve', env)
  browser = await chromium.connect(consoleServer.browser)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' })
  page = await context.newPage()
  watch(page, complaints, url(api))
})

afterAll(async () => {
  await browser?.close()
  await server?.end('SIGKILL')
  expect(complaints).toEqual([])
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('leads from an empty folder to a role that answers', async () => {
  await server.until(async () => /^console +http:\S+$/m.exec(server.output)?.[0])
  const { out: link } = await runHere(['console-link', '--data', env.ZEROHOP_DATA!])
  await page.goto(link.trim())
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Policy', exact: true }).click()
  await page.getByRole('grid').waitFor()
  expect(page.url()).not.toContain('token')

  await page.getByRole('button', { name: 'New role' }).click()
  await page.getByLabel('Name').fill('Helper')
  await page.keyboard.press('Enter')
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
  await cell('helper does not have hello:wave').click()
  await cell('helper has hello:wave: direct, not saved').waitFor()
  await cell('viewer does not have hello:say').click()
  await page.getByRole('link', { name: 'Review 2 roles' }).click()
  const gains = page.getByRole('region', { name: 'Gains access' })
  await gains.getByText(/say hello in \S+: 1 user, as viewer/).waitFor()
  await gains.getByText('Show each permission').click()
  await gains.getByText(/ben say hello/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/^Saved as revision/).waitFor()

  await page.getByRole('link', { name: 'Why', exact: true }).click()
  await page.getByRole('combobox', { name: 'User' }).fill('ben')
  await page.getByRole('combobox', { name: 'Action' }).fill('say')
  await page.getByRole('combobox', { name: 'Resource' }).fill('hello')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: /^Allow/ }).waitFor()
  await inspect(page, 'first-why', { sizes: ['wide'] })

  // an application asks, which is recorded by default
  const [, , project, environment = ''] = new URL(page.url()).pathname.split('/')
  const key = readKeys(env.ZEROHOP_DATA!).environments[environment as 'development' | 'production']
  const question = { user: { key: 'ben' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify(question)
  const answer = await fetch(`${url(Number(env.PDP_PORT))}/allowed`, { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ allow: true })
  const counts = `${new URL(page.url()).origin}/console/api/v2/pdps/${project}/${environment}/audit_logs/counts`
  await eventually(async () => (await (await page.request.get(counts)).json()).data.length, 1)
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.getByText('Last 24 hours: 1 allowed, 0 denied').waitFor()
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('says that the server is away, and goes on when it is back', async () => {
  await server.end('SIGKILL')
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  // the page says it, too, when its request fails before that of the notice
  const away = page.getByRole('status').getByText("Can't reach the server")
  await away.waitFor()
  server = new Server('serve', env)
  await away.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'ben', exact: true }).waitFor()
})
