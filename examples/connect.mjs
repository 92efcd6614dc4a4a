// Follows a running management API (`npm start`) and asks in this process. The key is one of data/keys.json:
// PDP_API_KEY=… node examples/connect.mjs [URL]
import { connect, isZerohopError } from 'zerohop'

const url = process.argv[2] ?? 'http://127.0.0.1:8080'
try {
  const pdp = await connect({ url, apiKey: process.env.PDP_API_KEY ?? '' })
  for (const user of ['ana', 'ben', 'nobody']) {
    console.log(`may ${user} say hello? ${pdp.check(user, 'say', 'hello')}`)
  }
  const ben = pdp.subject('ben')
  console.log(`may ben wave? ${ben.can('wave', 'hello')}`)
  console.log(`why may ana say hello? ${JSON.stringify(pdp.explain('ana', 'say', 'hello').because)}`)
  await pdp.close()
} catch (error) {
  if (!isZerohopError(error)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
