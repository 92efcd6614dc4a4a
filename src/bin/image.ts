// `zerohop image`: what is in an image file, and whether it is whole.

import { writeFileSync } from 'node:fs'
import { RemoteFeed } from '../client/feed.ts'
import { Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Env } from './env.ts'

/** Loads the file and walks everything in it; prints one line. @throws IMAGE_DAMAGED, IMAGE_FOREIGN with the reason */
export function verifyImage(path: string): void {
  const image = Image.load(path)
  image.verify()
  process.stdout.write(`${path}: sound, environment ${image.environment}, revision ${image.revision}\n`)
}

/** Prints what the image holds. */
export function inspectImage(path: string, options: { json?: boolean }): void {
  const image = Image.load(path)
  const facts = {
    environment: image.environment,
    revision: image.revision,
    chain: image.position.chain,
    hash: image.hash(),
    ...image.stats(),
  }
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  const lines = options.json
    ? [JSON.stringify(facts)]
    : Object.entries(facts).map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Fetches the image of an environment from the management API. */
export async function pullImage(env: Env, path: string): Promise<void> {
  const { pdpApiKey: apiKey, controlPlane: url } = env
  if (apiKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: 'PDP_API_KEY is not set: it is the API key of the environment' })
  if (url === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_CONTROL_PLANE is not set: it is the URL of the management API',
    })
  const bytes = await new RemoteFeed({ url, apiKey }).image()
  const image = Image.load(bytes)
  writeFileSync(path, bytes, { mode: 0o600 })
  process.stdout.write(`${path}: environment ${image.environment}, revision ${image.revision}, ${bytes.length} bytes\n`)
}
