// kill -9 of a server while it applies a large plan, at any moment: afterwards the environment is as before or as the
// policy says, and a plan says which. More moments: ZEROHOP_TEST_SCALE=20. Needs the build.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { numbers } from '../property/numbers.ts'
import { parameters, scaled } from '../property/seed.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, type Server, startApi, url } from '../support/server.ts'

const KILLS = scaled(5)
const ROLES = 1_000
/** Parts of the time that an apply takes which nobody interrupts: it is killed in between. */
const [EARLIEST, LATEST] = [0.2, 1.2]

afterAll(endServers)

/** Each has every role; of two in turn, roles differ, and each has some that the other one has not. */
function makePolicy(turn: number): object {
  const actions = Object.fromEntries([0, 1, 2, 3].map((number) => [`a${number}`, {}]))
  const roles = Array.from({ length: ROLES }, (_, number) => ({
    key: number % 4 === 0 ? `only-${turn}-${number}` : `role-${number}`,
    description: `turn ${turn}`,
    permissions: [`doc:a${turn}`, ...(number % 2 === 0 ? ['doc:a2'] : ['doc:a3'])],
  }))
  return { zerohop: 2, resources: [{ key: 'doc', actions }], roles }
}

it(
  `leaves all or nothing of an apply, killed at ${KILLS} moments`,
  async () => {
    const data = temporaryFolder('killed-apply')
    const port = await freePort()
    let server: Server = await startApi(data, port)
    const key = readKeys(data).environments.production
    const ask = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`${url(port)}/v2/projects/default/envs/production/${path}`, { headers, ...sent })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${text}`)
      return JSON.parse(text)
    }
    /** The environment as text: what was made again is at another place. */
    const stored = async (): Promise<string> => {
      const { roles, ...policy } = await ask('export')
      return JSON.stringify([policy, ...roles.map((role: object) => JSON.stringify(role)).sort()])
    }
    const request = (turn: number) => ({ policy: makePolicy(turn % 2), prune: true })
    const planned = async (turn: number): Promise<number> => {
      const { changes, more } = await ask('plan', request(turn))
      return changes.length + more
    }

    // what is there before, what an apply does to it, and how long that takes
    await ask('apply', request(0))
    const states = [await stored()]
    const start = performance.now()
    await ask('apply', request(1))
    const wholeMs = performance.now() - start
    states.push(await stored())
    const different = await planned(0)
    expect(different).toBeGreaterThan(ROLES)

    const { seed } = parameters(1)
    const next = numbers(seed)
    const found = { before: 0, after: 0 }
    for (let kill = 0, now = 1; kill < KILLS; kill++) {
      const wanted = 1 - now
      const applying = ask('apply', request(wanted)).then(
        () => true,
        () => false,
      )
      await pause(wholeMs * (EARLIEST + ((LATEST - EARLIEST) * next(1_000)) / 1_000))
      await server.end('SIGKILL')
      const isAnswered = await applying
      server = await startApi(data, port)
      const is = await stored()
      const isDone = is === states[wanted]
      expect(isDone || is === states[now]).toBe(true)
      if (isAnswered) expect(isDone).toBe(true)
      expect(await planned(wanted)).toBe(isDone ? 0 : different)
      found[isDone ? 'after' : 'before']++
      if (isDone) now = wanted
    }
    process.stdout.write(`killed while it applied: ${found.before} times nothing was done, ${found.after} times all\n`)

    // and it goes on
    for (const turn of [0, 1]) {
      await ask('apply', request(turn))
      expect(await planned(turn)).toBe(0)
    }
  },
  60_000 * (KILLS + 2),
)
