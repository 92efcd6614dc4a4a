// Every case written by management into a store and followed by its log.
import { storeByDeltas } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases([storeByDeltas])
