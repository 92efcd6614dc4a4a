// Many PDPs that need an image at the same moment, without what follows an image: each asks over a new connection, and
// one that is refused comes back as a PDP would. For each message `{ url, key, clients }` it answers how long
// it took until all had the image, how often they were refused, and how many bytes one was.
import { Agent, get } from 'node:http'

process.on('message', (job) => {
  run(job).then(
    (result) => process.send(result),
    (error) => process.send({ failure: error.message }),
  )
})
process.send({ port: null })
process.on('disconnect', () => process.exit())

async function run({ url, key, clients }) {
  const agent = new Agent({ keepAlive: false })
  const begun = performance.now()
  let refusals = 0
  const takeImage = async () => {
    for (;;) {
      const { status, bytes, retrySeconds } = await ask(url, key, agent)
      if (status === 200) return bytes
      if (status !== 503 || !(retrySeconds > 0)) throw new Error(`an image was answered with ${status}`)
      refusals++
      await new Promise((resolve) => setTimeout(resolve, retrySeconds * 1_000 * (1 + Math.random() / 2)))
    }
  }
  const taken = await Promise.all(Array.from({ length: clients }, takeImage))
  if (new Set(taken).size !== 1 || taken[0] === 0) throw new Error('not all have the same image')
  return { seconds: (performance.now() - begun) / 1_000, refusals, bytes: taken[0] }
}

function ask(url, key, agent) {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let bytes = 0
      response.on('data', (chunk) => {
        bytes += chunk.length
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, bytes, retrySeconds: Number(response.headers['retry-after']) }),
      )
      response.on('error', reject)
    }).on('error', reject)
  })
}
