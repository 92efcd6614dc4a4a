// The entry of the writer thread: the store's writer with the use cases of this project. The store loads it from the
// build, by its URL.
import { serveWriter } from '../../store/writer-thread.ts'
import { useCases } from './registry.ts'

serveWriter(useCases, () => import('../../store/postgres/replica.ts'))
