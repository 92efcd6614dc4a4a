// The environment that all programs follow, and the server that asks them: each says what it saw with the request for
// its next question, so that a program needs no more than `fetch`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { withoutRequest } from '../../dist/src/log/change.js'
import { BULK_ASSIGNMENTS_MAX, BULK_USERS_MAX, DELTA_IN_TURN_MAX } from '../../dist/src/model/limits.js'
import { managementServer, openManagement, readKeys } from '../../dist/src/server.js'

const ROLES = ['one', 'two', 'three']
const WRITER = withoutRequest('test:runtimes')

/** Users with three roles each in one tenant, whose end is one change of more objects than one turn applies. */
export async function openEnvironment(folder) {
  const data = join(folder, 'data')
  const management = await openManagement({ data })
  const server = managementServer(management)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const log = management.store.view(management.organization).require('environment', 'default/development').id
  const commit = async (name, input) => (await management.store.commit(log, name, input, WRITER)).revision
  for (const key of ROLES) await commit('createRole', { key, permissions: ['hello:say'] })
  await commit('createTenant', { key: 'left' })
  const users = Array.from({ length: Math.ceil(DELTA_IN_TURN_MAX / ROLES.length) + 100 }, (_, at) => ({
    key: `u${at}`,
  }))
  for (const operations of pagesOf(users, BULK_USERS_MAX)) await commit('createUsers', { operations })
  const all = users.flatMap(({ key: user }) => ROLES.map((role) => ({ user, role, tenant: 'left' })))
  for (const assignments of pagesOf(all, BULK_ASSIGNMENTS_MAX)) await commit('assignMany', { assignments })
  return {
    url,
    apiKey: readKeys(data).environments.development,
    commit,
    head: () => management.store.head(log).revision,
    close: async () => {
      await server.close()
      await management.store.close()
    },
  }
}

function* pagesOf(list, length) {
  for (let at = 0; at < list.length; at += length) yield list.slice(at, at + length)
}

/** Whom the programs ask for their next question. */
export class Driver {
  #waiting = new Map()
  #server = createServer((request, response) => void this.#hear(request, response))

  async listen() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${this.#server.address().port}`
  }

  /** What the program says next, with its events; `failed` rejects when it ended. */
  next(name, failed) {
    const { promise } = this.#of(name)
    return Promise.race([promise, failed])
  }

  ask(name, question, failed) {
    const { response } = this.#waiting.get(name)
    this.#waiting.delete(name)
    response.end(JSON.stringify(question))
    return question.end ? undefined : this.next(name, failed)
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #of(name) {
    if (!this.#waiting.has(name)) this.#waiting.set(name, Promise.withResolvers?.() ?? withResolvers())
    return this.#waiting.get(name)
  }

  async #hear(request, response) {
    const parts = []
    for await (const part of request) parts.push(part)
    const { name, reply, events } = JSON.parse(Buffer.concat(parts).toString())
    const waiting = this.#of(name)
    waiting.response = response
    waiting.resolve({ reply, events })
  }
}

function withResolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
