// `zerohop image`: inspects, verifies, signs and fetches image files.
import { readFileSync } from 'node:fs'
import { RemoteFeed } from '../../client/http-feed.ts'
import { inspectImageFile } from '../../image/file/image-file.ts'
import { Image } from '../../image/image.ts'
import { Signer, Trust } from '../../log/signature.ts'
import { isState } from '../../log/state-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { imageIn } from '../../pdp/image-task.ts'
import type { Env } from '../configuration/env.ts'
import { writeOut } from '../process/process.ts'

/**
 * Loads the file and verifies its contents; prints one line. @throws IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID
 * with the reason
 */
export function verifyImage(path: string, publicKey: string | undefined): void {
  const image = Image.load(path, { trust: publicKey === undefined ? undefined : new Trust(publicKey) })
  image.verify() // also one that is signed
  const signed = publicKey === undefined ? '' : ', signature good'
  process.stdout.write(`${path}: sound${signed}, environment ${image.environment}, revision ${image.revision}\n`)
}

/**
 * Signs the image in the file; an existing signature is replaced. @throws CONFIG_INVALID without a key, IMAGE_DAMAGED
 */
export async function signImage(path: string, signingKey: string | undefined): Promise<void> {
  if (signingKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'ZEROHOP_IMAGE_SIGNING_KEY is not set: it is an Ed25519 private key as PEM, or the path of its file',
    })
  const signer = new Signer(signingKey)
  const { environment, position, length, digest, tail } = await inspectImageFile(path)
  const image = readFileSync(path).subarray(0, length - (tail?.length ?? 0))
  writeOut(path, Buffer.concat([image, signer.tail(digest)]))
  process.stdout.write(`${path}: signed, environment ${environment}, revision ${position.revision}\n`)
}

/** Prints figures and identity of the image. */
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
  const received = await new RemoteFeed({ url, apiKey }).image()
  const trust = env.imagePublicKey === undefined ? undefined : new Trust(env.imagePublicKey)
  const image = await imageIn(received, trust)
  // When the server's images have another ABI, the image is built here and has no signature of the server.
  const bytes = isState(received) ? image.save() : received
  writeOut(path, bytes)
  process.stdout.write(`${path}: environment ${image.environment}, revision ${image.revision}, ${bytes.length} bytes\n`)
}
