// `zerohop types`: the names of a policy as TypeScript types, from an image file or from the image of an environment.
import { RemoteFeed } from '../../client/http-feed.ts'
import { Image } from '../../image/image.ts'
import { Trust } from '../../log/signature.ts'
import { readKeys } from '../../management/api-keys/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { imageIn } from '../../pdp/image-task.ts'
import { printTypes } from '../../pdp/print-types.ts'
import type { Env } from '../configuration/env.ts'
import { urlOf } from '../process/process.ts'

export interface TypesOptions {
  /** an image file; without it a management API is asked */
  readonly image?: string
  readonly url?: string
  readonly apiKey?: string
  readonly tenants?: boolean
}

/** The text of the declarations. @throws CONFIG_INVALID without a key, and what loading an image throws */
export async function typesOf(env: Env, options: TypesOptions): Promise<string> {
  const trust = env.imagePublicKey === undefined ? undefined : new Trust(env.imagePublicKey)
  const image = options.image === undefined ? await fetched(env, options, trust) : Image.load(options.image, { trust })
  return printTypes(image.names, { tenants: options.tenants ?? false })
}

async function fetched(env: Env, options: TypesOptions, trust: Trust | undefined): Promise<Image> {
  const apiKey = options.apiKey ?? env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (apiKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'no API key: give --api-key or PDP_API_KEY; there is no keys.json in the data folder',
    })
  const url = options.url ?? env.controlPlane ?? urlOf(env.host, env.apiPort, env.tlsCert !== undefined)
  return imageIn(await new RemoteFeed({ url, apiKey }).image(), trust)
}
