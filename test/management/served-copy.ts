// The management API of a copy of the build in which something was added: for the tests of what CONTRIBUTING.md writes about
// fields and kinds.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../support/folders.ts'
import { otherBuild } from '../support/other-build.ts'

type Server = typeof import('../../src/server.ts')

export interface ServedCopy {
  /** a module of the copy, by its path in `src` */
  load<M>(file: string): Promise<M>
  /** asks with the key of the organization */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  close(): Promise<void>
}

/** Serves a new data folder by a build with these changes. */
export async function serveCopy(changes: Parameters<typeof otherBuild>[0]): Promise<ServedCopy> {
  const copy = await otherBuild(changes)
  const load = <M>(file: string): Promise<M> => import(pathToFileURL(join(copy, file)).href)
  const { managementServer, openManagement, readKeys } = await load<Server>('server.js')
  const data = join(temporaryFolder('served-copy'), 'data')
  const management = await openManagement({ data })
  const app = managementServer(management)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const authorization = `Bearer ${readKeys(data)?.organization}`
  return {
    load,
    ask: async (method, path, body) => {
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(url + path, { method, headers: { authorization, ...json }, ...sent })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
    },
    close: async () => {
      await app.close()
      await management.store.close()
    },
  }
}
