// The management API with one more route: POST users as it is, but for the write. The same key check, schema, read of a
// user and answer; nothing reaches the writer. The difference is the cost of a durable write. Argument: the data
// folder. Its first message names the port.
import { managementApp } from '../../dist/src/http/apps/management-app.js'
import { userRead } from '../../dist/src/http/management/render/facts.js'
import { requestView } from '../../dist/src/http/management/route-context.js'
import { UserCreate } from '../../dist/src/management/schemas/users.js'
import { openManagement } from '../../dist/src/server.js'

const management = await openManagement({ data: process.argv[2] })
const app = managementApp({
  store: management.store,
  audit: management.audit,
  routes(guarded, context) {
    const options = { config: { operation: 'facts.write' }, schema: { body: UserCreate } }
    guarded.post('/v2/facts/:p/:e/users-unwritten', options, async (request, reply) => {
      const view = requestView(context, request)
      const known = view.require('user', 'ana')
      reply.header('x-revision', view.position.revision)
      return userRead(request.scope, view, { ...known, key: request.body.key })
    })
  },
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port })
process.on('disconnect', () => process.exit())
