// The stores of several replicas over one new database, for the suites that run a second time on replicas
// (vitest.config.ts): with ZEROHOP_TEST_REPLICAS set, tests that ask the management API ask that many replicas in turn.
import { randomBytes, randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openStore, type ReplicaOptions, type Store } from '../../src/store/store.ts'
import type { UseCases } from '../../src/store/view.ts'
import { connectTo } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the PostgreSQL server of this run: replicas-setup.ts */
    postgres: string
  }
}

/** How many replicas are asked; undefined where one process has the data folder. */
export const REPLICAS = process.env.ZEROHOP_TEST_REPLICAS ? Number(process.env.ZEROHOP_TEST_REPLICAS) : undefined

/** For `it.skipIf`: true on replicas, with the reason printed. */
export function notOnReplicas(reason: string): boolean {
  if (REPLICAS !== undefined) process.stdout.write(`skipped on replicas: ${reason}\n`)
  return REPLICAS !== undefined
}

export interface Replica<U extends UseCases> {
  readonly data: string
  readonly replica: ReplicaOptions
  readonly store: Store<U>
}

export interface Replicas<U extends UseCases> {
  readonly all: readonly Replica<U>[]
  close(): Promise<void>
}

/** Opens replicas over an empty database, and removes it when they are closed. */
export async function openReplicas<U extends UseCases>(
  count: number,
  writerThread: URL,
  folderFor: (name: string) => string,
): Promise<Replicas<U>> {
  const server = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await runSql(server, `CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const secretsKey = randomBytes(32)
  const all: Replica<U>[] = []
  for (let number = 0; number < count; number++) {
    const data = folderFor('replica')
    const replica = { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey }
    all.push({ data, replica, store: await openStore<U>({ data, writerThread, replica }) })
  }
  const close = async () => {
    for (const { store } of all) await store.close()
    await runSql(server, `DROP DATABASE ${name} WITH (FORCE)`)
  }
  return { all, close }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = await connectTo(url)
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
