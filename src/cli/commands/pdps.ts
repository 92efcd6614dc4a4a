// `zerohop pdps`: the PDPs that follow an environment, from the list of a management API.
import { listAll } from '../../client/list-all.ts'
import type { PdpRead } from '../../management/schemas/pdps.ts'
import { PDP_API_VERSION_V1 } from '../../model/version.ts'
import type { Env } from '../configuration/env.ts'
import { printTable } from '../terminal/print-table.ts'
import { remoteEnvironment } from './ask-api.ts'
import type { ApiOptions } from './management-api.ts'

export interface PdpsOptions extends ApiOptions {
  readonly stale?: boolean
  readonly json?: boolean
}

/** Prints them, stale ones first. @throws as `remoteEnvironment` */
export async function listPdps(env: Env, options: PdpsOptions): Promise<void> {
  const { client, path } = await remoteEnvironment(env, options)
  const pdps: PdpRead[] = []
  const query = options.stale ? { stale: true } : {}
  for await (const pdp of listAll(client, '/v2/pdps/{p}/{e}', { params: { path, query } })) pdps.push(pdp)
  if (options.json) {
    for (const pdp of pdps) process.stdout.write(`${JSON.stringify(pdp)}\n`)
    return
  }
  printTable(
    ['name', 'version', 'API', 'revision', 'behind', 'last seen', 'state'],
    pdps.map((pdp) => [
      pdp.name ?? 'unknown',
      pdp.version ?? 'unknown',
      pdp.api_version === null ? 'unknown' : `v${pdp.api_version === PDP_API_VERSION_V1 ? 1 : 2}`,
      pdp.revision === null ? '' : `${pdp.revision}${pdp.revision_is === 'sent' ? ' (sent)' : ''}`,
      pdp.lag === null ? '' : String(pdp.lag),
      pdp.last_seen_at.replace('+00:00', 'Z'),
      !pdp.connected ? 'not connected' : pdp.stale ? 'stale' : 'connected',
    ]),
  )
}
