// `zerohop pdps`: the PDPs that follow an environment, from the list of a management API.
import { listAll } from '../../client/list-all.ts'
import type { PdpRead } from '../../management/schemas/pdps.ts'
import { PDP_API_VERSION_V1 } from '../../model/version.ts'
import type { Env } from '../configuration/env.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { remoteEnvironment } from './ask-api.ts'
import type { ApiOptions } from './management-api.ts'

export interface PdpsOptions extends ApiOptions {
  readonly stale?: boolean
  readonly all?: boolean
  readonly json?: boolean
}

/** Prints them, stale ones first. @throws as `remoteEnvironment` */
export async function listPdps(env: Env, options: PdpsOptions): Promise<void> {
  const { client, path } = await remoteEnvironment(env, options)
  const query = options.stale ? { stale: true } : {}
  await printList(listAll(client, '/v2/pdps/{p}/{e}', { params: { path, query } }), COLUMNS, options)
}

const COLUMNS: readonly Column<PdpRead>[] = [
  { head: 'name', cell: ({ name }) => name ?? 'unknown' },
  { head: 'version', cell: ({ version }) => version ?? 'unknown' },
  {
    head: 'API',
    cell: ({ api_version: api }) => (api === null ? 'unknown' : `v${api === PDP_API_VERSION_V1 ? 1 : 2}`),
  },
  {
    head: 'revision',
    cell: ({ revision, revision_is: is }) => (revision === null ? '' : `${revision}${is === 'sent' ? ' (sent)' : ''}`),
  },
  { head: 'behind', cell: ({ lag }) => (lag === null ? '' : String(lag)) },
  { head: 'last seen', cell: ({ last_seen_at: at }) => at.replace('+00:00', 'Z') },
  {
    head: 'state',
    cell: ({ connected, stale }) => (connected ? (stale ? 'stale' : 'connected') : 'not connected'),
  },
]
