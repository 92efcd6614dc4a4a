// Every case written by management into a store, and asked after closing and opening the folder.
import { storeBySnapshots } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases([storeBySnapshots])
