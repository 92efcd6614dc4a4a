// One PostgreSQL server for all suites of a run that are run on replicas.
import type { TestProject } from 'vitest/node'
import { removeTemporaryFolders } from './folders.ts'
import { endPostgres, startPostgres } from './postgres.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url } = await startPostgres()
  project.provide('postgres', url)
  return async () => {
    await endPostgres()
    removeTemporaryFolders()
  }
}
