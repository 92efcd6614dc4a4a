// An application with everything in its own process (zerohop/embedded) deletes a tenant in which many users hold a
// role, and watches its own event loop meanwhile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { open } from '../../dist/src/embedded.js'
import { serveJob } from '../child.mjs'

const AT_ONCE = 200

serveJob(async ({ assignments }, loaded) => {
  const data = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
  try {
    const zerohop = await open({ data })
    loaded()
    const question = ['user-0', 'see', { type: 'thing', tenant: 'crowded' }]
    await fill(zerohop, assignments)
    if (!zerohop.pdp.check(...question)) throw new Error('the user may not do what the role allows')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const start = performance.now()
    await zerohop.tenants.delete('crowded')
    const deleteMs = performance.now() - start
    if (zerohop.pdp.check(...question)) throw new Error('the user may still do it in a deleted tenant')
    await new Promise((resolve) => setTimeout(resolve, 500))
    const longestMs = Math.max(0, delay.max / 1e6 - 1)
    await zerohop.close()
    return { longestMs, deleteMs }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
})

async function fill({ resources, roles, tenants, users, assignments }, count) {
  await resources.create({ key: 'thing', actions: { see: {} } })
  await roles.create({ key: 'seer', permissions: ['thing:see'] })
  await tenants.create({ key: 'crowded' })
  for (let from = 0; from < count; from += AT_ONCE) {
    const keys = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => `user-${from + at}`)
    await Promise.all(keys.map((key) => users.create({ key })))
    await Promise.all(keys.map((user) => assignments.assign({ user, role: 'seer', tenant: 'crowded' })))
  }
}
