// A management API that has nothing but a feed (docs/feed.md): it serves an image file and, when told, deltas after it.
// This gives a PDP a million facts without a million writes. Arguments: the image file.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { encodeFrame } from '../../dist/src/log/codec.js'
import { assignmentMaker, undo, WORKLOADS } from '../workloads.mjs'
import { ENVIRONMENT, FIRST, makeChain, makeDelta } from '../zerohop-image.mjs'

const HEARTBEAT_MS = 1_000

const bytes = readFileSync(process.argv[2])
const followers = new Set()
let revision = FIRST.revision

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/v2/api-key/scope') {
    const scope = { organization_id: 'a'.repeat(32), project_id: 'd'.repeat(32), environment_id: ENVIRONMENT }
    const body = JSON.stringify(scope)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
  } else if (pathname.endsWith('/image')) {
    const head = { 'content-type': 'application/octet-stream', 'content-length': bytes.length }
    response.writeHead(200, { ...head, 'x-revision': FIRST.revision, 'x-chain': FIRST.chain }).end(bytes)
  } else if (pathname.endsWith('/deltas')) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    response.write(encodeFrame({ type: 'heartbeat', revision }))
    followers.add(response)
    response.on('close', () => followers.delete(response))
  } else {
    response.writeHead(404, { 'content-length': 0 }).end()
  }
})
setInterval(() => send(encodeFrame({ type: 'heartbeat', revision })), HEARTBEAT_MS)
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())

/** `{ deltas, changes, world }`: that many deltas of so many changes, puts and their deletes in turn. */
process.on('message', ({ deltas, changes, world }) => {
  const next = assignmentMaker(WORKLOADS[world], 11)
  let puts = []
  for (let sent = 0; sent < deltas; sent++) {
    const isPut = sent % 2 === 0
    if (isPut) puts = distinct(next, changes)
    send(encodeFrame({ type: 'delta', delta: makeDelta(revision, isPut ? puts : undo(puts)) }))
    revision++
  }
  send(encodeFrame({ type: 'heartbeat', revision }))
  process.send({ revision, chain: makeChain(revision) })
})

function send(frame) {
  for (const follower of followers) follower.write(frame)
}

function distinct(next, count) {
  const puts = new Map()
  while (puts.size < count) {
    const put = next()
    puts.set(put.key, put)
  }
  return [...puts.values()]
}
