// PDPs that only have a connection and nothing behind it.
import { expect } from 'vitest'
import { createClient, dataOf } from '../../src/client.ts'
import { eventually } from './eventually.ts'

/** A PDP that follows the environment of the key, and then loses its connection. Its name has no blanks. */
export async function losePdp(url: string, key: string, name: string): Promise<void> {
  const client = createClient({ url, apiKey: key })
  const { project_id, environment_id } = dataOf(await client.GET('/v2/api-key/scope'))
  const path = { p: project_id ?? '', e: environment_id ?? '' }
  const authorization = `Bearer ${key}`
  const feed = `${url}/v2/feed/${path.p}/${path.e}`
  const image = await fetch(`${feed}/image`, { headers: { authorization } })
  await image.arrayBuffer()
  const ending = new AbortController()
  const from = `after=${image.headers.get('x-revision')}&chain=${image.headers.get('x-chain')}`
  const { status } = await fetch(`${feed}/deltas?${from}`, {
    headers: { authorization, 'x-pdp-instance': `instance-${name}`, 'x-pdp-name': name, 'x-pdp-version': '0.0.9' },
    signal: ending.signal,
  })
  expect(status).toBe(200)
  ending.abort()
  const lost = async () => {
    const { data } = dataOf(await client.GET('/v2/pdps/{p}/{e}', { params: { path, query: { connected: false } } }))
    return data.some((pdp) => pdp.name === name)
  }
  await eventually(lost, true)
}
