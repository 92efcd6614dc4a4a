// What stands where on a page: nothing covers a title, nothing jumps, nothing scrolls without need, and long rows stay
// readable on a narrow screen.
import { expect, it } from 'vitest'
import { consoleServer, inspect, useConsole } from '../support/console.ts'
import { CONSOLE_POLICY } from '../support/console-policy.ts'

const ACTIONS = Array.from({ length: 40 }, (_, at) => `do-${at + 10}`)
const MANY = {
  ...CONSOLE_POLICY,
  resources: [
    ...CONSOLE_POLICY.resources,
    { key: 'machine', name: 'Machine', actions: Object.fromEntries(ACTIONS.map((action) => [action, {}])) },
  ],
  roles: [...CONSOLE_POLICY.roles, { key: 'operator', permissions: ACTIONS.map((action) => `machine:${action}`) }],
  role_assignments: [
    ...CONSOLE_POLICY.role_assignments,
    { user: 'eli@globex.example', role: 'operator', tenant: 'acme' },
  ],
}
const console = useConsole('layout', MANY)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'shows the first actions of a long row of the access review, then all',
  async () => {
    const page = await console.visit('access-review?role=operator')
    const table = page.getByRole('region', { name: 'Access' })
    const actions = table.getByRole('link', { name: /^machine:/ })
    await actions.first().waitFor()
    expect(await actions.count()).toBe(6)
    const top = (role: 'link', name: string | RegExp) => table.getByRole(role, { name }).first().boundingBox()
    const [user, first] = [await top('link', /^eli@/), await top('link', 'machine:do-10')]
    expect(Math.abs((user?.y ?? 0) - (first?.y ?? 99))).toBeLessThan(8)
    await inspect(page, 'access-review-many')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0)
    await table.getByRole('button', { name: '+34 more' }).click()
    await expect.poll(() => actions.count()).toBe(40)
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)(
  'has tabs that do not scroll upwards, and a notice that covers nothing',
  async () => {
    const page = await console.visit('users/ana@acme.example')
    const tabs = page.getByRole('navigation', { name: 'About ana@acme.example' })
    await tabs.waitFor()
    expect(
      await tabs.evaluate((bar) => [bar.scrollHeight - bar.clientHeight, getComputedStyle(bar).overflowY]),
    ).toEqual([0, 'hidden'])
    await page.route('**/console/api/**', (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Permissions' }).click()
    const notice = page.getByRole('status').filter({ hasText: 'server' })
    await notice.waitFor()
    const [above, title] = [await notice.boundingBox(), await page.getByRole('heading', { level: 1 }).boundingBox()]
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(title?.y ?? 0)
  },
)

// skipped where no Chromium is installed
it.skipIf(consoleServer === undefined)('shows all parts of Overview at once', async () => {
  const page = await console.visit('users')
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  // the slowest of its answers comes last of all
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/access/counts*', async (route) => {
    await held
    await route.continue()
  })
  const decisions = page.waitForResponse(/audit_logs\/counts/)
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await decisions
  expect(await page.getByRole('list', { name: 'Contents' }).count()).toBe(0)
  release?.()
  await page.getByRole('list', { name: 'Contents' }).waitFor()
})
