// What a fleet costs that comes back at once: a thousand PDPs that need the image of one environment from one
// management API. How long until all have it, how often they are refused, and the processor time of the server for
// an image, refusals included, beside a bare server that sends the same bytes from memory to as many at once.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../sampling.mjs'
import { askSeconds, readSeconds, withServers } from './servers.mjs'

const TOKEN = 'the-token-of-the-operator-of-the-bench'
const USERS_PER_CALL = 1_000

export async function measureFleet(results, { effort, progress }) {
  const { clients, users, rounds } = {
    full: { clients: 1_000, users: 20_000, rounds: 5 },
    quick: { clients: 500, users: 20_000, rounds: 2 },
    tiny: { clients: 50, users: 0, rounds: 1 },
  }[effort]
  const all = clients.toLocaleString('en-US')
  progress(`fleet: ${all} PDPs need an image at once`)
  await withServers(async (servers) => {
    const api = await servers.api(undefined, { ZEROHOP_METRICS_TOKEN: TOKEN })
    for (let first = 0; first < users; first += USERS_PER_CALL) await createUsers(api, first)
    const url = `http://127.0.0.1:${api.api}${api.facts.replace('/v2/facts/', '/v2/feed/')}/image`
    const headers = { authorization: `Bearer ${api.key}` }
    const image = await (await fetch(url, { headers })).arrayBuffer()
    const { byteLength } = image
    const file = join(servers.folder(), 'image')
    writeFileSync(file, Buffer.from(image))
    const bare = await servers.module('./bare-server.mjs', [file])
    const { child: fleet } = await servers.module('./image-clients.mjs')
    const take = async (at, readSeconds) => {
      const before = await readSeconds()
      fleet.send({ url: at, key: api.key, clients })
      const [taken] = await once(fleet, 'message')
      if (taken.failure) throw new Error(taken.failure)
      if (taken.bytes !== byteLength) throw new Error(`${taken.bytes} bytes came instead of ${byteLength}`)
      return { ...taken, micros: (((await readSeconds()) - before) / clients) * 1e6 }
    }
    const ours = []
    const theirs = []
    for (let round = 0; round < rounds; round++) {
      theirs.push(await take(`http://127.0.0.1:${bare.port}/image`, () => askSeconds(bare.child)))
      ours.push(await take(url, () => readSeconds(api.api, TOKEN)))
    }
    const least = (of) => Math.min(...of.map(({ micros }) => micros)) // what else the machine does only adds to it
    const name = `${all} PDPs need an image of ${(byteLength / 1e6).toFixed(2)} MB at once`
    results.addFigure({
      name: `${name}: processor time of the API for each`,
      value: least(ours),
      unit: 'µs',
      peer: `the same bytes by bare node:http, ${least(theirs).toFixed(0)} µs`,
      ratio: least(ours) / least(theirs),
      most: 2,
    })
    const seconds = median(ours.map((each) => each.seconds))
    const refusals = median(ours.map((each) => each.refusals))
    results.addFigure({ name: `${name}: until all have it`, value: seconds, unit: 's' })
    results.addFigure({ name: `${name}: refusals`, value: refusals / clients, unit: 'times a PDP' })
  })
}

async function createUsers({ api, facts, key }, first) {
  const operations = Array.from({ length: USERS_PER_CALL }, (_, at) => ({ key: `user-${first + at}` }))
  const answer = await fetch(`http://127.0.0.1:${api}${facts}/bulk/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`users were answered with ${answer.status}: ${text.slice(0, 200)}`)
}
