// A child process of the damage test: opens a folder as `serve` does and prints, one JSON text a line, what each
// environment decides and all that can be read. Damage may end it.
import { createHash } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openManagement, pooledPdpServer } from '../../dist/src/server.js'
import { KINDS } from '../../dist/src/store/kinds.js'
import { questions } from './world.mjs'

const REFUSED = 'refused'
const ATTEMPTS = 40
const say = (name, value) => writeSync(1, `${JSON.stringify([name, value])}\n`)
const data = process.argv[2]
const { environments } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
const management = await openManagement({ data, noExample: true })
const { store } = management

for (const log of store.logs()) {
  for (const kind of KINDS)
    say(
      `${log} ${kind}`,
      read(() => [...store.view(log).list(kind)]),
    )
  say(
    `${log} entries`,
    read(() => store.entries(log, 0)),
  )
  say(
    `${log} history`,
    read(() => store.history(log, Number.MAX_SAFE_INTEGER, 1_000)),
  )
}

const app = pooledPdpServer(management)
for (const [environment, key] of Object.entries(environments)) {
  const headers = { authorization: `Bearer ${key}` }
  const ask = (payload) => app.inject({ method: 'POST', url: '/allowed', headers, payload })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { statusCode, body } = await ask(questions()[0])
    if (statusCode !== 503 || body.includes('DATA_DAMAGED') || body.includes('damaged')) break
    await sleep(50)
  }
  for (const [at, question] of questions().entries()) {
    const { statusCode, body } = await ask(question)
    say(`${environment} ${at}`, statusCode === 200 ? JSON.parse(body).allow : REFUSED)
  }
}
await app.close()
await store.close()

/** A digest of what was read, or that it was refused. */
function read(what) {
  try {
    return createHash('sha256').update(JSON.stringify(what())).digest('hex')
  } catch (error) {
    return error.code === 'DATA_DAMAGED' ? REFUSED : `failed: ${error.stack}`
  }
}
