// Many followers of an environment, without a PDP behind them: each reads the feed of one of the addresses, in turn.
// Says when all have begun, and then of each revision when it arrived at each of them, in ns of the monotonic clock.
// The argument: { addresses, apiKey, feeds, after, chain } as JSON.
import { Agent, get } from 'node:http'
import { FrameDecoder } from '../../dist/src/log/codec.js'

const { addresses, apiKey, feeds, after, chain } = JSON.parse(process.argv[2])
const headers = { authorization: `Bearer ${apiKey}` }
const agent = new Agent({ keepAlive: false })

const scope = await (await fetch(`${addresses[0]}/v2/api-key/scope`, { headers })).json()
const path = `/v2/feed/${scope.project_id}/${scope.environment_id}/deltas?after=${after}&chain=${chain}`

let begun = 0
/** arrivals of the newest revision */
let arrivals = []

for (let at = 0; at < feeds; at++) {
  get(`${addresses[at % addresses.length]}${path}`, { headers, agent }, (response) => {
    if (response.statusCode !== 200) throw new Error(`the feed answers ${response.statusCode}`)
    const decoder = new FrameDecoder()
    let isFirst = true
    response.on('data', (chunk) => {
      const now = process.hrtime.bigint()
      for (const frame of decoder.push(chunk)) {
        if (isFirst && ++begun === feeds) process.send('all')
        isFirst = false
        if (frame.type === 'delta') arrive(now)
        else if (frame.type === 'end') throw new Error(`the feed ended: ${frame.code}`)
      }
    })
  })
}

/** The next write is sent when all feeds have this one. */
function arrive(now) {
  arrivals.push(String(now))
  if (arrivals.length < feeds) return
  process.send(arrivals)
  arrivals = []
}
