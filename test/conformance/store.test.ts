// Every case written by management into a store: followed by its log, and after closing and opening the folder.
import { storeDeciders } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases(storeDeciders)
