// A primary that was left behind by a promotion, and a replica that still talks to it: it acknowledges no write, it
// serves no linearizable read for longer than promised, and once it has seen the promoted server it never goes back.
import { setTimeout as pause } from 'node:timers/promises'
import { DATABASE_TRUST_MS } from '../../../src/model/limits.ts'
import { type Answer, Cluster, type Replica } from './cluster.ts'
import { prepare, type RunResult } from './run.ts'
import type { Violation } from './verify.ts'

/** The last answer that was trusted, on a slow machine. */
const SLOW_MS = 1_500
const WATCHED_MS = 9_000
const REFUSED_MS = 2_500

export async function isolate(): Promise<RunResult> {
  const begun = performance.now()
  const cluster = await Cluster.start()
  const found: Violation[] = []
  const lines: string[] = []
  const require = (isTrue: boolean, text: string): void => {
    if (!isTrue) found.push({ rule: 'left behind', text })
  }
  try {
    const { scopes } = await prepare(cluster)
    const users = `/v2/facts/${scopes[0]?.path}/users`
    const write = (replica: Replica, key: string) => replica.call('POST', users, { body: { key }, timeoutMs: 20_000 })
    const [left, other] = [cluster.replica(0), cluster.replica(1)]
    await cluster.addStandby({ synchronous: true })
    await cluster.healthy()
    require(isOk(await write(left, 'before')), 'a write with a synchronous standby is refused')

    // the primary is cut off, and the standby promoted: the others go there
    cluster.cutStandby()
    const cutAt = performance.now()
    const old = await cluster.promote()
    const rest = cluster.replicas.slice(1)
    cluster.redirect(rest)
    for (const { proxy } of rest) proxy.cut()
    const attempt = write(left, 'left')
    await other.until(async () => isOk(await write(other, `new_${Date.now()}`)))
    const promotedMs = performance.now() - cutAt
    require(isOk(await write(other, 'after')), 'the promoted server takes no write')

    let servedMs = 0
    while (performance.now() - cutAt < WATCHED_MS) {
      const sentAt = performance.now()
      if (isOk(await left.call('GET', users))) servedMs = sentAt - cutAt
      await pause(50)
    }
    require(servedMs <= DATABASE_TRUST_MS + SLOW_MS, `it served a read after ${servedMs.toFixed(0)} ms`)
    require(isOk(await left.call('GET', `${users}/before`, { local: true })), 'it refuses local reads')
    const attempted = await attempt
    require(!isOk(attempted), `it acknowledged a write: ${JSON.stringify(attempted)}`)
    lines.push(
      `another server was promoted, and acknowledged a write after ${promotedMs.toFixed(0)} ms`,
      `the last linearizable read that the replica of the old primary served began after ${servedMs.toFixed(0)} ms`,
      `its write was answered with ${attempted.kind === 'answered' ? attempted.status : attempted.kind}`,
    )

    // nothing but its timeline tells the old primary apart now: it acknowledges
    await old.set('synchronous_standby_names')
    await left.until(async () => isOk(await left.call('GET', users)))
    // one connection of the replica finds the promoted server: the others must not stay where they are
    cluster.redirect([left])
    await old.query(
      Object.assign(new URL(old.url), { pathname: '/postgres' }).href,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zerohop heartbeat'",
    )
    const movedAt = performance.now()
    await left.until(async () => isOk(await left.call('GET', `${users}/after`)))
    const movedMs = performance.now() - movedAt
    const backends = await old.query(old.url, "SELECT FROM pg_stat_activity WHERE application_name LIKE 'zerohop%'")
    require(backends.length === 0, `${backends.length} connections to the old primary are open`)
    lines.push(`it moved to the promoted server after ${movedMs.toFixed(0)} ms, and ended ${left.ended} times`)

    // and back: neither the process nor one that is started again believes the old primary
    for (const isNew of [false, true]) {
      left.proxy.setTarget(old.port)
      if (isNew) {
        await left.kill()
        left.start()
      }
      left.proxy.cut()
      const until = performance.now() + REFUSED_MS
      const answers: Answer[] = []
      while (performance.now() < until) {
        answers.push(await left.call('GET', users), await write(left, `back_${answers.length}`))
        await pause(50)
      }
      const who = isNew ? 'a new process' : 'the process'
      require(!answers.some(isOk), `${who} believes the old primary`)
      const words = 'another one was promoted to timeline 2'
      const output = [...left.output, left.log].join('')
      require(output.includes(words), `${who} does not say that ${words}: ${output.slice(-2_000)}`)
      cluster.redirect([left])
      left.proxy.cut()
      await left.until(async () => isOk(await left.call('GET', `${users}/after`)))
      lines.push(`${who} had ${answers.length} requests at the old primary again, and answered none`)
    }
    await old.stop()
    const summary = [
      ...lines,
      `violations: ${found.length}`,
      ...found.map(({ rule, text }) => `  ${rule}: ${text}`),
    ].join('\n')
    return { violations: found, summary, seconds: (performance.now() - begun) / 1_000 }
  } finally {
    await cluster.stop()
  }
}

const isOk = (answer: Answer): boolean => answer.kind === 'answered' && answer.status < 300
