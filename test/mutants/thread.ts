// The thread that tries mutants, in the order in which they are sent.
import { parentPort, workerData } from 'node:worker_threads'
import { Court, type Mutant } from './mutants.ts'

const { root, checks, seed } = workerData as { root: string; checks: number; seed: number }
const court = new Court(new URL(root), checks, seed)
await court.acquit()
parentPort!.postMessage('ready')
parentPort!.on('message', (mutant: Mutant) => {
  court.try(mutant).then(
    (fate) => parentPort!.postMessage(fate),
    (error: unknown) => parentPort!.postMessage({ fate: 'caught', by: String(error) }),
  )
})
