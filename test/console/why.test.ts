// The page Why in a browser: a question by hand and by link, what is sent with it, another revision, and input that is
// not a question.
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'

const console = useConsole('why')
const ASK = 'why?user=ben%40acme.example&action=approve&resource=invoice%3A18'

// skipped where no Chromium is installed: what is asked of the server is tested in test/http/management
it.skipIf(consoleServer === undefined)(
  'asks what was typed, with the keyboard alone, and has a link to it',
  async () => {
    const page = await console.visit('why')
    await page.getByRole('combobox', { name: 'User' }).click()
    await page.keyboard.type('cle')
    await page.getByRole('option', { name: /cleo@acme.example/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('approve')
    await page.keyboard.press('Tab')
    await page.keyboard.type('invoice:1')
    await page.getByRole('option', { name: /invoice:18/ }).waitFor()
    await page.keyboard.type('8')
    await page.keyboard.press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByRole('heading', { name: 'Allowed' }).waitFor()
    expect(await answer.innerText()).toContain('user set finance-staff')
    expect(new URL(page.url()).searchParams.get('resource')).toBe('invoice:18')

    await page.getByText('Attributes, context, time').click()
    await page.getByLabel('Attributes of the resource').fill('{"amount": 4000}')
    await page.getByRole('button', { name: 'Ask' }).click()
    await answer.getByRole('heading', { name: 'Denied' }).waitFor()
    const link = page.url()
    await page.goBack()
    await answer.getByRole('heading', { name: 'Allowed' }).waitFor()
    await page.goto(link)
    await answer.getByRole('heading', { name: 'Denied' }).waitFor()
    expect(await page.getByLabel('Attributes of the resource').inputValue()).toContain('4000')
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('shows what is missing as a tree, and is usable at any size', async () => {
  const page = await console.visit(ASK)
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
  const items = page.getByRole('region', { name: 'Answer' }).getByRole('listitem')
  expect(await items.filter({ hasText: 'Missing: ben@acme.example is not in user set finance-staff' }).count()).toBe(2)
  await inspect(page, 'why')
  await page.getByRole('button', { name: 'Help' }).click()
  await page
    .getByRole('dialog', { name: 'Why' })
    .getByText(/why a user can do something/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show JSON' }).click()
  expect(JSON.parse(await page.getByLabel('The answer as JSON').inputValue())).toMatchObject({ allow: false })
})

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'answers as of another revision, and says which ones are not there',
  async () => {
    const { p, e } = console.path
    const path = { p, e, ref: 'cleo@acme.example' }
    const asked = 'why?user=cleo%40acme.example&action=approve&resource=invoice%3A18'
    const before = await console.api.PATCH('/v2/facts/{p}/{e}/users/{ref}', {
      params: { path },
      body: { attributes: { department: 'sales' } },
    })
    const revision = Number(before.response.headers.get('x-revision'))
    const page = await console.visit(asked)
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    await page.getByText('Attributes, context, time').click()
    await page.getByLabel('As of').fill(String(revision - 1))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allowed' }).waitFor()
    await page.getByLabel('As of').fill('999999')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/999999/)
      .waitFor()
    await console.api.PATCH('/v2/facts/{p}/{e}/users/{ref}', {
      params: { path },
      body: { attributes: { department: 'finance' } },
    })
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('shows at each field what is wrong, and keeps what was typed', async () => {
  const page = await console.visit('why')
  await page.getByRole('button', { name: 'Ask' }).click()
  for (const text of ['Which user?', 'What do they want to do?']) await page.getByText(text).waitFor()
  await page.getByText('Attributes, context, time').click()
  await page.getByLabel('Context').fill('{"ip": }')
  await page.getByLabel('As of').fill('yesterday')
  await page.getByText("This is not JSON: Unexpected token '}'").waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/A revision such as 118/).waitFor()
  expect(await page.getByLabel('Context').inputValue()).toBe('{"ip": }')
  expect(new URL(page.url()).search).toBe('')
})
