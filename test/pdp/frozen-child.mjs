// An application with a PDP of the library, which answers each request with a check, or with its revision:
// test/pdp/frozen.test.ts freezes it.
import { createServer } from 'node:http'
import { connect } from '../../dist/src/index.js'

const [url, apiKey, limit] = process.argv.slice(2)
const pdp = await connect({ url, apiKey, maxStalenessMs: Number(limit) })
const server = createServer(({ url: path }, response) => {
  try {
    response.end(String(path === '/revision' ? pdp.revision : pdp.check('ana', 'say', 'hello')))
  } catch (error) {
    response.end(error.code)
  }
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
