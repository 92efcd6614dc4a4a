// The folder of a run for what test files share: removed when all of them have ended.
import type { TestProject } from 'vitest/node'
import { memoryFolder, removeTemporaryFolders } from './folders.ts'

export default function setup(project: TestProject): () => void {
  project.provide('kept', memoryFolder('kept'))
  return removeTemporaryFolders
}
