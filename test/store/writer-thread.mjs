// Entry file of the writer thread in the tests of the store.
import { serveWriter } from '../../dist/src/store/writer-thread.js'
import { useCases } from './use-cases.mjs'

serveWriter(useCases)
