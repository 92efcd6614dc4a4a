// A server gets SIGTERM while facts are written that wait for the PDP of the process, for another one, or for none:
// each write that is on disk was answered, each that was answered is on disk, and the process ends with 0. Needs the
// build.
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, type Server, startApi, startPdp, startServe, url } from '../support/server.ts'

const WAITS: readonly Readonly<Record<string, string>>[] = [
  { 'x-wait-timeout': '0' },
  { 'x-wait-timeout': '5' },
  { 'x-wait-timeout': '5', 'x-timeout-policy': 'fail' },
  {},
]
/** Answers after which the signal comes. */
const ANSWERED = 40

afterEach(endServers)

describe('SIGTERM while facts are written', () => {
  it.each([
    ['both are one process', 'serve'],
    ['the PDP ends', 'pdp'],
    ['the management API ends', 'api'],
  ] as const)('%s', async (_, ends) => {
    const data = temporaryFolder('stopped-writes')
    const ports = { api: await freePort(), pdp: await freePort() }
    const servers: Partial<Record<typeof ends, Server>> = {}
    if (ends === 'serve') servers.serve = await startServe(data, ports)
    else servers.api = await startApi(data, ports.api)
    const key = readKeys(data).environments.development
    if (ends !== 'serve') servers.pdp = await startPdp(temporaryFolder('stopped-writes'), ports.pdp, key, ports.api)
    const doors = [`${url(ports.api)}/v2/facts/default/development`, `${url(ports.pdp)}/facts`]

    const answered = new Set<string>()
    const unusual: string[] = []
    let isOver = false
    let enough = () => {}
    const many = new Promise<void>((resolve) => {
      enough = resolve
    })
    const write = async (base: string, wait: Readonly<Record<string, string>>, name: string): Promise<void> => {
      for (let at = 0; !isOver; at++) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...wait }
        const body = JSON.stringify({ key: `${name}-${at}` })
        const answer = await fetch(`${base}/users`, { method: 'POST', headers, body }).catch(() => undefined)
        if (answer === undefined) return // it does not listen any more
        const text = await answer.text()
        // 424: it is stored, and this PDP did not take it in that time
        if (answer.ok || answer.status === 424) answered.add(`${name}-${at}`)
        else if (answer.status !== 503) unusual.push(`${answer.status}: ${text}`)
        if (answer.status === 503) return
        if (answered.size >= ANSWERED) enough()
      }
    }
    const writers = doors.flatMap((base, door) =>
      WAITS.flatMap((wait, at) => [0, 1].map((one) => write(base, wait, `w${door}-${at}-${one}`))),
    )
    await many
    const ended = servers[ends]!
    expect(await ended.end('SIGTERM')).toBe(0)
    isOver = true
    await Promise.all(writers)
    expect(unusual).toEqual([])
    for (const server of Object.values(servers)) {
      expect(server.output).not.toMatch(/unhandled|uncaught|unexpected error/i)
      await server.end('SIGTERM')
    }

    const port = await freePort()
    await startApi(data, port)
    const stored = await usersAt(port, key)
    expect([...answered].filter((user) => !stored.has(user))).toEqual([])
    expect([...stored].filter((user) => !answered.has(user))).toEqual([])
  })
})

/** Keys of the users that the writers made. */
async function usersAt(port: number, key: string): Promise<Set<string>> {
  const keys = new Set<string>()
  for (let page = 1; ; page++) {
    const path = `/v2/facts/default/development/users?per_page=100&page=${page}`
    const answer = await fetch(url(port) + path, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as { data: readonly { key: string }[] }
    for (const { key: user } of data) if (user.startsWith('w')) keys.add(user)
    if (data.length < 100) return keys
  }
}
