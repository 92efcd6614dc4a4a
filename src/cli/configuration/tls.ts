// TLS from files (PDP_TLS_CERT, PDP_TLS_KEY), for both servers. The files are tried before anyone relies on them: at
// the start a bad one ends the process with one line, at a reload (SIGHUP) it is logged and the old one goes on.
import { readFileSync } from 'node:fs'
import { createSecureContext, Server } from 'node:tls'
import type { Logger } from 'pino'
import { noteCertificate } from '../../http/certificate.ts'
import { contained } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { TlsSettings } from '../../server.ts'
import type { Env } from './env.ts'

/** What a server listens with; undefined when no files are named. @throws CONFIG_INVALID when they cannot be used */
export function readTls({ tlsCert, tlsKey }: Pick<Env, 'tlsCert' | 'tlsKey'>): TlsSettings | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    const [set, missing] = tlsCert === undefined ? ['PDP_TLS_KEY', 'PDP_TLS_CERT'] : ['PDP_TLS_CERT', 'PDP_TLS_KEY']
    throw new ZerohopError('CONFIG_INVALID', { reason: `${set} is set and ${missing} is not: TLS needs both files` })
  }
  const settings = { cert: read('PDP_TLS_CERT', tlsCert), key: read('PDP_TLS_KEY', tlsKey) }
  try {
    createSecureContext(settings)
    return settings
  } catch (error) {
    const reason = `PDP_TLS_CERT and PDP_TLS_KEY name \`${tlsCert}\` and \`${tlsKey}\`, which cannot be used: ${(error as Error).message}`
    throw new ZerohopError('CONFIG_INVALID', { reason }, { cause: error })
  }
}

type Servers = readonly { readonly server: unknown }[]

/** Reads the files again at each SIGHUP. */
export function reloadOnHangup(env: Env, servers: Servers, log: Logger): void {
  if (env.tlsCert !== undefined) {
    const again = (): void => reload(env, servers, log)
    process.on('SIGHUP', contained('reading the TLS files again', again))
  }
}

/** Reads the files again. Connections that are open stay as they are. */
export function reload(env: Env, servers: Servers, log: Logger): void {
  try {
    const settings = readTls(env)
    if (settings === undefined) return
    for (const { server } of servers) {
      if (!(server instanceof Server)) continue
      server.setSecureContext({ ...settings, ...MINIMUM })
      noteCertificate(server, settings.cert)
    }
    log.info('TLS files reloaded')
  } catch (error) {
    log.error(`could not reload the TLS files, the old ones stay in use: ${(error as Error).message}`)
  }
}

const MINIMUM = { minVersion: 'TLSv1.2' } as const

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ZerohopError('CONFIG_INVALID', { reason: `${name} names \`${path}\`, which cannot be read: ${code}` })
  }
}
