// `zerohop types`: the names of a policy as TypeScript types, from policy files, from an image file or from the image of
// an environment.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RemoteFeed } from '../../client/http-feed.ts'
import { Image } from '../../image/image.ts'
import { Trust } from '../../log/signature.ts'
import { readKeys } from '../../management/objects/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { imageIn } from '../../pdp/image-task.ts'
import { printTypes } from '../../pdp/print-types.ts'
import type { Env } from '../configuration/env.ts'
import { findProject, type Project } from '../configuration/project-file.ts'
import { formatUrl } from '../process/process.ts'
import { imageOfPolicyFiles } from './policy-image.ts'

export interface TypesOptions {
  /** an image file */
  readonly image?: string
  readonly url?: string
  readonly apiKey?: string
  readonly tenants?: boolean
}

/**
 * The text of the declarations: of the policy files that are named, else of what an option names, else of the files of
 * `zerohop.yaml`, else of the environment at a management API.
 * @throws CONFIG_INVALID when the policy has errors, which are printed, or without a key; and what loading an image throws
 */
export async function makeTypes(env: Env, files: readonly string[], options: TypesOptions): Promise<string> {
  const image = await imageOfOptions(env, files, options)
  return printTypes(image.names, { tenants: options.tenants ?? false })
}

async function imageOfOptions(env: Env, files: readonly string[], options: TypesOptions): Promise<Image> {
  const { image, url, apiKey } = options
  const isServer = url !== undefined || apiKey !== undefined
  if (files.length > 0 && (isServer || image !== undefined))
    throw new ZerohopError('CONFIG_INVALID', { reason: 'name policy files, an image or a server: one of them' })
  const trust = env.imagePublicKey === undefined ? undefined : new Trust(env.imagePublicKey)
  if (image !== undefined) return Image.load(image, { trust })
  if (files.length > 0) return imageOfPolicyFiles(files)
  const project = findProject(process.cwd())
  if (!isServer && hasPolicy(project)) return imageOfPolicyFiles([])
  return fetchImage(env, options, project.api, trust)
}

/** Whether `zerohop.yaml` is about policy files: one that only says which server there is has none. */
const hasPolicy = ({ file, folder, files, api }: Project): boolean =>
  file !== undefined && (api === undefined || files.some((each) => existsSync(join(folder, each))))

async function fetchImage(
  env: Env,
  options: TypesOptions,
  api: string | undefined,
  trust: Trust | undefined,
): Promise<Image> {
  const apiKey = options.apiKey ?? env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (apiKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'no API key: give --api-key or PDP_API_KEY; there is no keys.json in the data folder',
    })
  const url = options.url ?? env.controlPlane ?? api ?? formatUrl(env.host, env.apiPort, env.tlsCert !== undefined)
  return imageIn(await new RemoteFeed({ url, apiKey }).image(), trust)
}
