// An application that follows a feed and watches its own event loop: the longest time in which nothing else could run.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { connect } from '../../dist/src/index.js'

const [, , port] = process.argv
const pdp = await connect({ url: `http://127.0.0.1:${port}`, apiKey: 'bench' })
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.send({ port: Number(port) })

/** `{ revision }`: answers when it is applied, with the longest block since the last question, in milliseconds. */
process.on('message', async ({ revision }) => {
  await pdp.atLeast(revision, { timeoutMs: 60_000 })
  // A compaction or a swap may follow what was asked for.
  await new Promise((resolve) => setTimeout(resolve, 800))
  process.send({ longestMs: delay.max / 1e6 - 1 })
  delay.reset()
})
process.on('disconnect', () => process.exit())
