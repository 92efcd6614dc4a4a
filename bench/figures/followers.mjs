// Several followers of one environment in one process, running beside the measured PDP.
import { connect } from '../../dist/src/index.js'

const [, , api, key, count] = process.argv
await Promise.all(Array.from({ length: Number(count) }, () => connect({ url: `http://127.0.0.1:${api}`, apiKey: key })))
process.send({ port: Number(api) })
process.on('disconnect', () => process.exit())
