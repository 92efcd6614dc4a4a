// `zerohop/react` in a real page: headless Chromium shows what a user may do, asks the server what only it can tell,
// takes a changed policy when the page gets the focus, and goes on after failures. Skipped, with its reason printed,
// where no Chromium is installed.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey } from '../../src/model/objects.ts'
import { loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import { give, HELLO, putRole } from '../pdp/policies.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { ROOT } from '../tidy/source.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object) =>
  ({ op: 'put', kind, key, value }) as unknown as PolicyChange
/** Who may read notes also may pay small ones; n3 is stored in another tenant, so that keys are open (D2). */
const POLICY: readonly PolicyChange[] = [
  ...HELLO,
  put('resource', 'note', { actions: ['pay', 'read'], attributes: { amount: 'number' } }),
  put('condition_set', 'who', { type: 'userset', resource: null, conditions: {}, parent: null }),
  put('condition_set', 'small', {
    type: 'resourceset',
    resource: 'note',
    conditions: { 'resource.amount': { 'less-than': 100 } },
    parent: null,
  }),
  put('set_rule', 'r', { user_set: 'who', permission: 'note:pay', resource_set: 'small' }),
  put('resource_role', 'note/owner', {
    resource: 'note',
    role: 'owner',
    permissions: ['note:pay'],
    extends: [],
    granted_to: null,
  }),
  put('resource_instance', 'note:n1', { tenant: 'acme', attributes: {} }),
  put('resource_instance', 'note:n3', { tenant: 'default', attributes: {} }),
  put('role_assignment', assignmentKey('zoe', 'owner', 'acme', 'note:n1'), {
    user: 'zoe',
    role: 'owner',
    tenant: 'acme',
    resource_instance: 'note:n1',
  }),
]
const READERS = [putRole('reader', ['note:read']), give('zoe', 'reader', 'acme')]
const makePdp = (revision: number, changes: readonly PolicyChange[]) =>
  loadImage(Image.build(ENVIRONMENT, makePosition(revision), [...POLICY, ...changes]).save())

/** What the server of the application does and saw. */
const at = {
  pdp: makePdp(1, []),
  isDown: false,
  isSlow: false,
  statuses: [] as number[],
  asked: [] as string[],
  aborted: 0,
}
let script = ''
let server: Server
let chrome: Browser

async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { url } = request
  if (url === '/permissions') return answerPermissions(at.pdp, request, reply)
  if (url === '/check') {
    const { action, resource } = JSON.parse(await text(request))
    at.asked.push(`${action} ${resource.key}`)
    reply.end(JSON.stringify({ allow: at.pdp.check('zoe', action, { tenant: 'acme', ...resource }) }))
  } else if (url === '/app.js') reply.setHeader('content-type', 'text/javascript').end(script)
  else
    reply
      .setHeader('content-type', 'text/html')
      .end('<div id="root"></div><script type="module" src="/app.js"></script>')
}

function answerPermissions(pdp: Pdp, request: IncomingMessage, reply: ServerResponse): void {
  if (at.isSlow) {
    reply.once('close', () => at.aborted++)
    return
  }
  // as for a table without a tenant column: whether a key is that of an instance elsewhere is left to the server
  const options = { tenants: ['acme'], types: ['note'], tenantColumnIsAuthoritative: false }
  const snapshot = pdp.snapshot('zoe', options)
  const isSame = request.headers['if-none-match'] === `"${snapshot.etag}"`
  reply.statusCode = at.isDown ? 503 : isSame ? 304 : 200
  at.statuses.push(reply.statusCode)
  reply.setHeader('cache-control', 'private, no-store')
  reply.end(reply.statusCode === 200 ? JSON.stringify(snapshot) : undefined)
}

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'test/browser/notes-page.mjs')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  })
  script = outputFiles[0]!.text
  server = createServer((request, reply) => void answer(request, reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  chrome = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await chrome?.close()
  server?.closeAllConnections()
  server?.close()
})

async function shown(page: Page): Promise<Record<string, string>> {
  const rows = await page.locator('li').all()
  return Object.fromEntries(
    await Promise.all(rows.map(async (row) => [await row.getAttribute('id'), (await row.innerText()).trim()])),
  )
}

// skipped where no Chromium is installed: the keeper of a snapshot alone is test/browser/snapshot-keeper.test.ts
it.skipIf(CHROMIUM === undefined)('shows what the user may do, and stays up to date', async () => {
  const page = await chrome.newPage()
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.clock.install()
  const state = (expected: string) => expect.poll(() => page.locator('#state').innerText()).toBe(expected)
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await state('revision 1')
  // n1 by its key, n4 by its amount; about n2 and n3 only the server can tell: it knows where n3 is stored
  await expect.poll(() => shown(page)).toEqual({ n1: 'no pay', n2: 'no pay', n3: 'no no', n4: 'no no' })
  expect(at.asked.toSorted()).toEqual(['pay n2', 'pay n3'])

  // the next one comes a minute before the end, and nothing has changed
  await page.clock.runFor(4 * 60_000)
  await expect.poll(() => at.statuses).toEqual([200, 304])

  at.pdp = makePdp(2, READERS)
  await page.clock.runFor(11_000)
  expect(at.statuses.length).toBe(2)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await state('revision 2')
  expect(await shown(page)).toEqual({ n1: 'read pay', n2: 'read pay', n3: 'read no', n4: 'read no' })

  // the server is away until the snapshot ends, and longer: nothing is known, nothing breaks
  at.isDown = true
  await page.clock.runFor(5 * 60_000)
  await state('none, failed')
  expect(await shown(page)).toEqual({ n1: '? ?', n2: '? ?', n3: '? ?', n4: '? ?' })
  at.isDown = false
  await page.clock.runFor(11_000)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await state('revision 2')

  // a provider that goes away takes its request with it
  at.isSlow = true
  await page.getByRole('button').click()
  await page.getByRole('button').click()
  await state('none')
  await page.getByRole('button').click()
  await expect.poll(() => at.aborted).toBe(1)
  expect(troubles).toEqual([])
  await page.close()
})
