// TLS between a replica and its database: the server is who it says it is, or the replica does not start.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, Server, url } from '../support/server.ts'

const HOST = 'localhost'

const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' })

/** A certificate authority, and a server certificate of its own for each host. Returns the folder. */
function certificates(hosts: readonly string[]): string {
  const folder = temporaryFolder('certificates')
  const at = (name: string): string => join(folder, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const ca of ['ca', 'other-ca'])
    openssl('req', '-x509', ...key, '-keyout', at(`${ca}.key`), '-out', at(`${ca}.pem`), '-subj', `/CN=${ca}`)
  for (const host of hosts) {
    openssl('req', ...key, '-keyout', at(`${host}.key`), '-out', at(`${host}.csr`), '-subj', `/CN=${host}`)
    writeFileSync(at('names'), `subjectAltName=DNS:${host}`)
    const issuer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('names')]
    openssl('x509', '-req', '-in', at(`${host}.csr`), '-out', at(`${host}.pem`), '-days', '2', ...issuer)
  }
  return folder
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a replica that asks for `sslmode=verify-full`', () => {
  let folder: string
  let server: Postgres
  let impostor: Postgres
  beforeAll(async () => {
    folder = certificates([HOST, 'another.example'])
    chmodSync(folder, 0o755)
    server = await startPostgres({ tls: { cert: join(folder, `${HOST}.pem`), key: join(folder, `${HOST}.key`) } })
    const [cert, key] = [join(folder, 'another.example.pem'), join(folder, 'another.example.key')]
    impostor = await startPostgres({ tls: { cert, key } })
  })
  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  const start = async ({ port: to }: Postgres, ca: string) => {
    const port = await freePort()
    const database = `postgres://postgres@${HOST}:${to}/postgres?sslmode=verify-full&sslrootcert=${join(folder, ca)}`
    const env = {
      ZEROHOP_DATA: temporaryFolder('replica'),
      ZEROHOP_API_PORT: String(port),
      ZEROHOP_DATABASE_URL: database,
      ZEROHOP_SECRETS_KEY: randomBytes(32).toString('hex'),
    }
    return { port, replica: new Server('api', env, ['--no-example']) }
  }

  it('starts where the certificate is of its authority and of the host', async () => {
    const { replica, port } = await start(server, 'ca.pem')
    await replica.until(async () => (await fetch(`${url(port)}/ready`)).ok)
    const sessions = await server.query<{ ssl: boolean; name: string }>(
      server.url,
      `SELECT ssl, application_name AS name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE application_name LIKE 'zerohop%'`,
    )
    expect(sessions.length).toBeGreaterThan(1)
    expect(sessions.filter(({ ssl }) => !ssl)).toEqual([])
    expect(await replica.end()).toBe(0)
  })

  it.each([
    ['of another authority', () => server, 'other-ca.pem', /certificate/],
    ['of another host', () => impostor, 'ca.pem', /another\.example/],
    ['whose authority is not there', () => server, 'nowhere.pem', /ENOENT.*nowhere\.pem/],
  ] as const)('ends with one line where it is %s', async (_, to, ca, reason) => {
    const { replica } = await start(to(), ca)
    await expect.poll(() => replica.ended, { timeout: 30_000 }).toBe(true)
    expect(await replica.end()).toBe(1)
    const lines = replica.output.trim().split('\n')
    expect(lines).toEqual([expect.stringContaining('the database cannot be used')])
    expect(lines[0]).toMatch(reason)
  })
})
