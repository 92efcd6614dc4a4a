// Console rows: what a person waits for, from the trace of Chromium itself. A page is shown when its data is there and
// the browser has had two frames to draw it. Frames are those that the compositor drew or dropped while it scrolled.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../sampling.mjs'
import { withServers } from './servers.mjs'

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path))
const VIEWPORT = { width: 1440, height: 900 }
const TRACED = ['blink.user_timing', 'devtools.timeline', 'disabled-by-default-devtools.timeline.frame']
const ROLES = 500
const TYPES = 100
const ACTIONS_OF_TYPE = 10
const USERS = 1_000
const SCROLLED = { distance: 12_000, speed: 3_000 }
const FRAMES_MIN = 59
const PATIENCE_MS = 60_000
/** After the first view: what waits for the browser to be idle. */
const IDLE_MS = 2_000

export async function measureConsole(results, { effort, progress }) {
  if (CHROMIUM === undefined) return results.note('console: left out, there is no Chromium')
  const rounds = { full: 7, quick: 3 }[effort]
  const { chromium } = await import('playwright-core')
  await withServers(async (servers) => {
    const server = await servers.serve()
    await apply(server)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      progress('console: cold loads and page changes')
      const visits = []
      for (let round = 0; round < rounds; round++) visits.push(await visit(browser, server))
      const cold = visits.map(({ cold }) => cold)
      results.addFigure({ name: 'console, cold load of Overview', value: median(cold), unit: 'ms', most: 1000 })
      for (const name of visits[0].changes.keys()) {
        const changes = visits.map(({ changes }) => changes.get(name))
        const add = (which, values) =>
          results.addFigure({
            name: `console, ${which} change to ${name}`,
            value: median(values),
            unit: 'ms',
            most: 150,
          })
        add(
          'first',
          changes.map(([first]) => first),
        )
        add(
          'later',
          changes.map(([, later]) => later),
        )
      }
      progress(`console: scrolling a matrix of ${ROLES} × ${TYPES * ACTIONS_OF_TYPE}`)
      for (const axis of ['y', 'x']) addFrames(results, axis, await scroll(browser, server, axis))
    } finally {
      await browser.close()
    }
  })
}

async function apply({ api, environment, key }) {
  const actions = Object.fromEntries(Array.from({ length: ACTIONS_OF_TYPE }, (_, at) => [`action-${at}`, {}]))
  const resources = Array.from({ length: TYPES }, (_, at) => ({ key: `type-${at}`, name: `Type ${at}`, actions }))
  const roles = Array.from({ length: ROLES }, (_, at) => ({
    key: `role-${at}`,
    name: `Role ${at}`,
    permissions: Array.from(
      { length: 20 },
      (_, by) => `type-${(at * 7 + by * 3) % TYPES}:action-${by % ACTIONS_OF_TYPE}`,
    ),
    extends: at % 10 === 9 ? [`role-${at - 1}`] : [],
  }))
  const users = Array.from({ length: USERS }, (_, at) => ({ key: `user-${at}@example.com` }))
  const role_assignments = users.map(({ key: user }, at) => ({ user, role: `role-${at % ROLES}`, tenant: 'acme' }))
  const tenants = [{ key: 'acme', name: 'Acme' }]
  const policy = { zerohop: 2, resources, roles, tenants, users, role_assignments }
  const response = await fetch(`http://127.0.0.1:${api}${environment}/apply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ policy }),
  })
  if (!response.ok) throw new Error(`the policy was not applied: ${await response.text()}`)
}

/** A page with an empty cache, signed in; `begin` and `end` are around what is traced. */
async function open(browser, { api, data }) {
  const origin = `http://127.0.0.1:${api}`
  const context = await browser.newContext({ viewport: VIEWPORT, baseURL: origin })
  context.setDefaultTimeout(PATIENCE_MS)
  const { environments } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
  const signedIn = await context.request.post('/console/api/session', { data: { api_key: environments.development } })
  if (!signedIn.ok()) throw new Error(`not signed in: ${await signedIn.text()}`)
  await context.addInitScript(watchClicks)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const begin = () => devtools.send('Tracing.start', { traceConfig: { includedCategories: TRACED } })
  const end = async () => {
    const events = []
    devtools.on('Tracing.dataCollected', ({ value }) => events.push(...value))
    const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
    await devtools.send('Tracing.end')
    await complete
    return events
  }
  return { context, page, devtools, begin, end }
}

/** In the page: the trace says when one clicked. */
function watchClicks() {
  addEventListener('click', () => performance.mark('clicked'), { capture: true })
}

/** Waits in the page until it has its data and was drawn. */
function shown(page, title) {
  return page.evaluate(async (expected) => {
    const isShown = () =>
      document.querySelector('h1')?.textContent === expected &&
      document.querySelector('main [role="status"][aria-label]') === null
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    while (!isShown()) await frame()
    await frame()
    await frame()
    performance.mark('shown')
  }, title)
}

/** Milliseconds of a cold load, and by page of the first change to it and of a later one. */
async function visit(browser, server) {
  const { context, page, begin, end } = await open(browser, server)
  await begin()
  await page.goto('/console/')
  await shown(page, 'Overview')
  const { args } = lastMark(await end(), 'shown')
  const cold = args.data.startTime // since the begin of the navigation
  await page.waitForTimeout(IDLE_MS)
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  const names = (await links.allInnerTexts()).map((name) => name.trim())
  const changes = new Map(names.filter((name) => name !== 'Overview').map((name) => [name, []]))
  for (let time = 0; time < 2; time++) {
    for (const [name, took] of changes) {
      await begin()
      await links.filter({ hasText: name }).first().click()
      await shown(page, name)
      const events = await end()
      took.push((lastMark(events, 'shown').ts - lastMark(events, 'clicked').ts) / 1000)
    }
  }
  await context.close()
  return { cold, changes }
}

const lastMark = (events, mark) => events.findLast(({ name, cat }) => name === mark && cat.includes('user_timing'))

/** Frames while the matrix scrolls along one axis. */
async function scroll(browser, server, axis) {
  const { context, page, devtools, begin, end } = await open(browser, server)
  await page.goto('/console/')
  await shown(page, 'Overview')
  await page.getByRole('link', { name: 'Policy', exact: true }).click()
  const grid = page.getByRole('grid')
  await grid.waitFor()
  const { x, y, width, height } = await grid.boundingBox()
  await page.waitForTimeout(IDLE_MS)
  await begin()
  await devtools.send('Input.synthesizeScrollGesture', {
    x: x + width / 2,
    y: y + Math.min(height, VIEWPORT.height - y) / 2,
    [`${axis}Distance`]: -SCROLLED.distance,
    speed: SCROLLED.speed,
    gestureSourceType: 'mouse',
  })
  const events = await end()
  await context.close()
  return summarizeFrames(events)
}

/** What the threads of the page say about its frames. */
function summarizeFrames(events) {
  const main = findMainThread(events)
  const own = events.filter(({ pid }) => pid === main.pid)
  const drawn = own.filter(({ name }) => name === 'DrawFrame').sort((one, other) => one.ts - other.ts)
  const count = (wanted) => own.filter(({ name }) => name === wanted).length
  const script = outermost(own.filter(({ name, ph, tid }) => ph === 'X' && SCRIPT.has(name) && tid === main.tid))
  return {
    drawn: drawn.length,
    // with a partial update the page moved, and cells that it had not drawn in time came with a later frame
    dropped: own.filter(({ name, args }) => name === 'DroppedFrame' && !args.hasPartialUpdate).length,
    updated: count('ActivateLayerTree'),
    seconds: (drawn.at(-1).ts - drawn[0].ts) / 1e6,
    scriptMs: script / 1000,
  }
}

/** The main thread of the page: the one that ran most of its script. */
function findMainThread(events) {
  const times = new Map()
  for (const { name, pid, tid, dur = 0 } of events) {
    if (!SCRIPT.has(name)) continue
    const key = `${pid} ${tid}`
    const known = times.get(key) ?? { pid, tid, total: 0 }
    times.set(key, { ...known, total: known.total + dur })
  }
  return [...times.values()].sort((one, other) => other.total - one.total)[0]
}

const SCRIPT = new Set(['FunctionCall', 'EvaluateScript', 'TimerFire', 'FireAnimationFrame', 'RunMicrotasks'])

/** Microseconds that the processor spent in events, without those that are in another one. */
function outermost(events) {
  let total = 0
  let until = 0
  for (const { ts, dur, tdur = dur } of events.sort((one, other) => one.ts - other.ts)) {
    if (ts < until) continue
    total += tdur
    until = ts + dur
  }
  return total
}

function addFrames(results, axis, { drawn, dropped, updated, seconds, scriptMs }) {
  const name = `console, matrix scrolled ${axis === 'y' ? 'down' : 'to the right'}`
  results.addFigure({ name: `${name}, frames a second`, value: drawn / seconds, unit: '/s', least: FRAMES_MIN })
  results.addFigure({ name: `${name}, dropped of ${drawn + dropped} frames`, value: dropped, unit: 'frames' })
  results.addFigure({ name: `${name}, frames with cells drawn anew`, value: updated / seconds, unit: '/s' })
  results.addFigure({ name: `${name}, script for each frame, processor time`, value: scriptMs / drawn, unit: 'ms' })
}
