// The console in a browser, for tests: an environment of the file's own with a policy, and pages that are signed in. A
// page fails its test when the policy of the page refuses something, when the browser complains, or when anything is
// asked of another origin. `inspect` looks at a page in both sizes and colours, and takes its picture when asked to.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { createClient, dataOf, type ManagementClient } from '../../src/client.ts'
import { findViolations } from './axe.ts'
import { CONSOLE_POLICY } from './console-policy.ts'
import { IS_WHOLE } from './sample.ts'

/** undefined where no Chromium is installed: tests of pages are skipped there. */
export const consoleServer = inject('console')

/** For one step of a page, on a machine that does much else: with ten processes for each processor one took 20 s. */
const PATIENCE_MS = 60_000
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const
type Size = keyof typeof SIZES
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Where pictures of the pages go; without it none are taken. */
const PICTURES = process.env.ZEROHOP_CONSOLE_PICTURES

export type Access = 'read' | 'write' | 'admin'

export interface VisitOptions {
  /** what the key of the session may do in the environment; `admin` when absent */
  readonly access?: Access
  /** with a key of the organization, which reaches every environment */
  readonly isOrganization?: boolean
  /** nobody is signed in */
  readonly isSignedOut?: boolean
}

export interface TestConsole {
  /** a client with the key of the organization */
  readonly api: ManagementClient
  /** of this file alone */
  readonly path: { readonly p: string; readonly e: string }
  /** Opens `/console/{project}/{environment}/{page}`, or an address that begins with `/`. */
  visit(page: string, options?: VisitOptions): Promise<Page>
  /** A key of the environment, and its id. */
  makeKey(access: Access): Promise<{ readonly id: string; readonly secret: string }>
}

/**
 * The console for the tests of one file, with an environment called `name` that has the policy; to be called at the top
 * of the file. Its members may be used in tests and hooks.
 */
export function useConsole(name: string, policy: object = CONSOLE_POLICY): TestConsole {
  const path = { p: 'default', e: name }
  const complaints: string[] = []
  const used: BrowserContext[] = []
  const free: BrowserContext[] = []
  const keys = new Map<Access, Promise<{ id: string; secret: string }>>()
  let browser: Browser | undefined
  const [url, apiKey] = [consoleServer?.url ?? 'http://127.0.0.1', consoleServer?.key ?? '']
  // the large environment is planned and applied in one request
  const api = createClient({ url, apiKey, timeoutMs: 180_000 })

  beforeAll(async () => {
    if (consoleServer === undefined) return
    const make = api.POST('/v2/projects/{p}/envs', { params: { path }, body: { key: name, name: title(name) } })
    const [made] = await Promise.all([make, connect()])
    dataOf(made)
    dataOf(await api.POST('/v2/projects/{p}/envs/{e}/apply', { params: { path }, body: { policy: policy as never } }))
  })
  afterEach(async () => {
    const contexts = used.splice(0)
    await Promise.all(contexts.map(empty))
    free.push(...contexts)
    expect(complaints.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
  })
  const connect = async () => {
    browser = await chromium.connect(consoleServer!.browser)
  }

  const makeKey = async (access: Access) => {
    const environment = dataOf(await api.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
    const { organization_id, project_id, id } = environment
    const body = { organization_id, project_id, environment_id: id, access_level: access, name: `${name} ${access}` }
    const key = dataOf(await api.POST('/v2/api-key', { body: { ...body, object_type: 'env' } }))
    return { id: key.id, secret: key.secret ?? '' }
  }
  const ensureKey = (access: Access) => {
    const key = keys.get(access) ?? makeKey(access)
    keys.set(access, key)
    return key
  }

  return {
    api,
    path,
    makeKey,
    async visit(page, { access = 'admin', isOrganization = false, isSignedOut = false } = {}) {
      const context = free.pop() ?? (await openContext(browser!))
      used.push(context)
      const secret = isOrganization ? consoleServer!.key : (await ensureKey(access)).secret
      if (!isSignedOut) await signIn(context, secret)
      const opened = await context.newPage()
      watch(opened, complaints, consoleServer!.url)
      await opened.goto(page.startsWith('/') ? page : `/console/${path.p}/${path.e}/${page}`)
      return opened
    },
  }
}

async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: SIZES.wide,
    colorScheme: 'light',
    baseURL: consoleServer!.url,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

interface Routed {
  readonly __TSR_ROUTER__: { readonly history: { push(address: string): void } }
}

/**
 * Goes to an address below /console as the links of a page do, without loading the page again: a page that is loaded
 * costs a second, and half of another one until axe is in it.
 */
export const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => (globalThis as unknown as Routed).__TSR_ROUTER__.history.push(to), `/console${address}`)

/** As it was when it was opened, but for the files that it has read: those take a third of the time of a page. */
async function empty(context: BrowserContext): Promise<void> {
  await context.setOffline(false)
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  for (const page of context.pages()) {
    await page.evaluate(clearStorage).catch(() => undefined)
    await page.close()
  }
  await context.clearCookies()
}

const clearStorage = () => {
  localStorage.clear()
  sessionStorage.clear()
}

async function signIn(context: BrowserContext, secret: string): Promise<void> {
  const response = await context.request.post('/console/api/session', { data: { api_key: secret } })
  expect(response.status()).toBe(200)
}

/** Chromium says so when an answer has such a status, whatever the page does about it. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of|net::ERR_(INTERNET_DISCONNECTED|CONNECTION_(REFUSED|RESET)|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE))/

/** Collects what must not happen on a page: errors, what its policy refuses, and requests to another origin. */
export function watch(page: Page, complaints: string[], allowed: string): void {
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type()) && !EXPECTED.test(line.text())) complaints.push(line.text())
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== allowed && protocol !== 'data:') complaints.push(`left the origin: ${request.url()}`)
  })
}

/** `npm test` looks at each size in one of both colours, `npm run test:all` in both. */
const SCHEMES = { wide: 'light', narrow: 'dark' } as const
/** The rules of axe that another colour scheme can break where the first one has kept all. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

interface Look {
  readonly sizes?: readonly Size[]
  /** in both colours, also in `npm test` */
  readonly isWhole?: boolean
  /** no picture is taken, even when others are */
  readonly isPlain?: boolean
}

/**
 * Looks at a page as it is: in 1,440 and 390 pixels, light and dark, no rule of WCAG 2.2 AA is violated that axe knows,
 * and nothing is wider than the screen. With ZEROHOP_CONSOLE_PICTURES it also takes its picture, called `name`.
 */
export async function inspect(page: Page, name: string, look: Look = {}): Promise<void> {
  expect(await listProblems(page, name, look)).toEqual([])
}

/** What `inspect` would fail with, a line each. */
export async function listProblems(page: Page, name: string, look: Look = {}): Promise<readonly string[]> {
  const { sizes = ['wide', 'narrow'], isWhole = IS_WHOLE, isPlain = false } = look
  const before = page.viewportSize() ?? SIZES.wide
  const problems: string[] = []
  for (const size of sizes) {
    await page.setViewportSize(SIZES[size])
    for (const [at, scheme] of (isWhole ? (['light', 'dark'] as const) : [SCHEMES[size]]).entries()) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      const html = page.locator(`html[data-mantine-color-scheme="${scheme}"]`)
      await html.waitFor()
      const overflow = await html.evaluate((root) => root.scrollWidth - root.clientWidth)
      const found = overflow === 0 ? [] : [`${overflow} pixels wider than the screen`]
      found.push(...(await listViolations(page, at === 0)))
      problems.push(...found.map((problem) => `${name}, ${size}, ${scheme}: ${problem}`))
      if (PICTURES !== undefined && !isPlain) await takePicture(page, `${name}-${size}-${scheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null })
  await page.setViewportSize(before)
  return problems
}

/** @param isFirst whether no other colour scheme was looked at in this size */
async function listViolations(page: Page, isFirst: boolean): Promise<readonly string[]> {
  const found = await findViolations(
    page,
    isFirst ? { type: 'tag', values: RULES } : { type: 'rule', values: OF_COLOURS },
  )
  return found.map(({ rule, target }) => `${rule}: ${target}`)
}

async function takePicture(page: Page, name: string): Promise<void> {
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' }) // it shows the newest answer
  mkdirSync(PICTURES!, { recursive: true })
  await page.screenshot({ path: join(PICTURES!, `${name}.png`) })
}

const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
