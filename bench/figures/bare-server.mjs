// The server that others are held against: node:http, the body parsed, a constant answer. Told a file, it answers with
// its bytes, from memory. Its port is its first message; it answers each message with its processor time in seconds.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const ANSWER = '{"allow":true,"result":true,"query":null,"debug":null}'
const HEAD = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) }
const [file] = process.argv.slice(2)
const bytes = file === undefined ? undefined : readFileSync(file)

const server = createServer((request, response) => {
  if (bytes !== undefined) return response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    response.writeHead(body.action === undefined ? 422 : 200, HEAD)
    response.end(ANSWER)
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ seconds: (user + system) / 1e6 })
})
process.on('disconnect', () => process.exit())
