// Child process of test/crash/access-requests.test.ts: requests are approved, prolonged, revoked and made, for many users at
// once. Says what was acknowledged, at once and on its own, so that nothing of it is lost when the process is killed.
import { writeSync } from 'node:fs'
import { openStore } from '../../dist/src/store/store.js'

const [data, environment] = process.argv.slice(2)
const writerThread = new URL('../../dist/src/management/host/writer-thread.js', import.meta.url)
const store = await openStore({ data, writerThread })
const by = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'crash' }
const commit = async (name, input) => (await store.commit(environment, name, input, by)).result

async function work(user) {
  for (let turn = 0; ; turn++) {
    const pending = [...store.view(environment).by('pending_requests_of_user', user)]
    const sent = { as: user, role: 'support', tenant: 'acme', duration: 600 + turn }
    const id = pending[0]?.key ?? (await commit('createAccessRequest', sent)).key
    const { state } = await commit('approveAccessRequest', { ref: id, fields: { as: 'lead' } })
    writeSync(1, `${id} ${state}\n`)
    if (turn % 3 !== 2) continue
    const { state: after } = await commit('revokeAccessRequest', { ref: id, fields: { as: user } })
    writeSync(1, `${id} ${after}\n`)
  }
}

await Promise.all(Array.from({ length: 12 }, (_, n) => work(`user-${n}`)))
