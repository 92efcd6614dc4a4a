// The server that POST /allowed is held against: node:http, the body parsed, a constant answer. Its port is its first
// message; it answers each message with its processor time in seconds.
import { createServer } from 'node:http'

const ANSWER = '{"allow":true,"result":true,"query":null,"debug":null}'
const HEAD = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) }

const server = createServer((request, response) => {
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
